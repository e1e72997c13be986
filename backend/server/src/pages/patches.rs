//! Patches as the forms offer them: those of the chosen model, each with what it needs; and what a run may be compared
//! with.
//!
//! Must not know what a patch does.

use readahead_lab_core::models::shown::{together, with_needs};
use readahead_lab_core::models::{MODELS, ModelInfo, Patch, PatchInfo};
use serde_json::Value;

/// So many comparisons stand on the page of a run at once.
const FEW: usize = 6;
/// Patches whose comparisons come first, because they change most.
const TELLING: [Patch; 6] = [
    Patch::ThrashingSafe,
    Patch::Default512k,
    Patch::FmodeRandom,
    Patch::SmallDeviceLimitV3,
    Patch::Cap2mb,
    Patch::GlobalHalf,
];

/// The patches of every model, with one of them chosen.
#[derive(Clone, Debug)]
pub(super) struct PatchBoxes {
    /// The name of the field.
    pub(super) field: &'static str,
    /// The chosen model.
    pub(super) model: String,
    /// Its patches.
    pub(super) boxes: Vec<PatchBox>,
    /// The models, each with its patches, for a form whose model is changed.
    pub(super) models: Vec<(&'static str, Vec<PatchBox>)>,
}

/// One patch to switch on.
#[derive(Clone, Debug)]
pub(super) struct PatchBox {
    pub(super) name: &'static str,
    /// What it does, and what it needs.
    pub(super) about: String,
    /// The patches that it needs, separated by spaces.
    pub(super) needs: String,
    pub(super) chosen: bool,
}

impl PatchBoxes {
    /// For a form whose field of patches has this name.
    pub(super) fn of(field: &'static str, model: &str, chosen: &[String]) -> Self {
        let boxes = |info: &ModelInfo| -> Vec<PatchBox> {
            info.patches.iter().map(|patch| PatchBox::of(*patch, info.name == model, chosen)).collect()
        };
        let of_model = MODELS.iter().find(|info| info.name == model);
        PatchBoxes {
            field,
            model: model.to_owned(),
            boxes: of_model.map(boxes).unwrap_or_default(),
            models: MODELS.iter().map(|info| (info.name, boxes(info))).collect(),
        }
    }
}

impl PatchBox {
    fn of(patch: Patch, here: bool, chosen: &[String]) -> Self {
        let info: &PatchInfo = patch.info();
        let needs = needed(info);
        let about = match needs.as_slice() {
            [] => info.about.to_owned(),
            needs => format!("{} Needs {}.", info.about, needs.join(", ")),
        };
        let chosen = here && chosen.iter().any(|name| name == info.name);
        PatchBox { name: info.name, about, needs: needs.join(" "), chosen }
    }
}

/// What a patch needs, and what that needs.
fn needed(info: &PatchInfo) -> Vec<&'static str> {
    with_needs(info.id).into_iter().filter(|name| *name != info.name).collect()
}

/// The model and the patches of a scenario.
pub(super) fn kernel_of(scenario: &Value) -> (String, Vec<String>) {
    let kernel = &scenario["kernel"];
    let patches = kernel["patches"].as_array().into_iter().flatten().filter_map(Value::as_str);
    (kernel["model"].as_str().unwrap_or_default().to_owned(), patches.map(str::to_owned).collect())
}

/// The kernel of a scenario in a word: MODEL or MODEL+PATCH….
pub(super) fn kernel_word(scenario: &Value) -> String {
    let (model, patches) = kernel_of(scenario);
    std::iter::once(model).chain(patches).collect::<Vec<_>>().join("+")
}

/// A comparison that is offered.
#[derive(Clone, Debug)]
pub(super) struct Against {
    /// The settings of the other side.
    pub(super) settings: String,
    pub(super) label: String,
    pub(super) about: String,
}

/// What a run may be compared with, and the rest behind a disclosure.
#[derive(Clone, Debug, Default)]
pub(super) struct AgainstAll {
    pub(super) first: Vec<Against>,
    pub(super) rest: Vec<Against>,
}

/// The patches that can be added to those of the run, each with what it needs.
pub(super) fn against(scenario: &Value) -> AgainstAll {
    let (model, own) = kernel_of(scenario);
    let Some(info) = MODELS.iter().find(|info| info.name == model) else { return AgainstAll::default() };
    let mut patches = info.patches.to_vec();
    patches.sort_by_key(|patch| TELLING.iter().position(|other| other == patch).unwrap_or(TELLING.len()));
    let with = |patch: Patch| {
        let names = together(info, &own, patch)?;
        let added = needed(patch.info()).into_iter().filter(|name| !own.iter().any(|other| other == name));
        let about = match added.collect::<Vec<_>>().as_slice() {
            [] => patch.info().about.to_owned(),
            added => format!("{} With {}, which it needs.", patch.info().about, added.join(", ")),
        };
        Some(Against {
            settings: format!("kernel.patches={}", names.join(",")),
            label: patch.info().name.to_owned(),
            about,
        })
    };
    let mut all: Vec<Against> = patches.into_iter().filter_map(with).collect();
    if !own.is_empty() {
        let label = format!("{model} without patches");
        all.insert(0, Against { settings: "kernel.patches=".to_owned(), label, about: info.about.to_owned() });
    }
    let rest = all.split_off(all.len().min(FEW));
    AgainstAll { first: all, rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labels(list: &[Against]) -> Vec<&str> {
        list.iter().map(|one| one.label.as_str()).collect()
    }

    #[test]
    fn a_model_offers_its_own_patches_only() {
        let boxes = |model: &str, chosen: &[&str]| {
            PatchBoxes::of("p", model, &chosen.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        let old = boxes("linux-2.4.23", &["last-page"]);
        assert_eq!(old.boxes.iter().map(|one| (one.name, one.chosen)).collect::<Vec<_>>(), [("last-page", true)]);
        assert!(boxes("linux-4.4", &[]).boxes.is_empty());
        let series = boxes("linux-2.6.33", &[]);
        let patterns = series.boxes.iter().find(|one| one.name == "patterns").unwrap();
        assert_eq!(patterns.needs, "ra-flags retain-inactive thrashing-safe");
        assert!(patterns.about.ends_with("Needs ra-flags, retain-inactive, thrashing-safe."));
        assert_eq!(series.models.len(), MODELS.len());
        // What is chosen for one model is not chosen for another that has the patch too.
        let seven = boxes("linux-7.2", &["keep-half-window"]);
        let other = &seven.models.iter().find(|(name, _)| *name == "linux-7.3-rc").unwrap().1;
        assert!(other.iter().all(|one| !one.chosen));
    }

    #[test]
    fn a_run_is_compared_with_what_fits_on_top_of_its_own_patches() {
        let of = |model: &str, patches: Value| against(&json!({"kernel": {"model": model, "patches": patches}}));
        let plain = of("linux-2.6.33", json!([]));
        assert_eq!(plain.first.len(), FEW);
        assert_eq!(plain.first.len() + plain.rest.len(), 18);
        assert_eq!(plain.first[0].settings, "kernel.patches=ra-flags,retain-inactive,thrashing-safe");
        assert!(plain.first[0].about.ends_with("With ra-flags, retain-inactive, which it needs."));
        let half = of("linux-7.2", json!(["keep-half-window"]));
        assert_eq!(labels(&half.first), ["linux-7.2 without patches", "mmap-floor-order"]);
        assert_eq!(half.first[1].settings, "kernel.patches=keep-half-window,mmap-floor-order");
        assert!(labels(&of("linux-4.4", json!([])).first).is_empty());
        assert_eq!(labels(&of("linux-2.4.23", json!([])).first), ["last-page"]);
    }
}
