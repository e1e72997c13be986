// Applies the theme that was chosen last before anything is painted. Loaded in the head, on its own.

export const THEME_KEY = "readahead-lab-theme";

try {
  const chosen = localStorage.getItem(THEME_KEY);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to this page; then the system's scheme holds.
}
