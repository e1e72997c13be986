//! Golden texts: plain files that a kernel developer can review. `UPDATE_GOLDEN=1 cargo nextest run -p readahead-lab-core`
//! writes them anew.

use std::path::PathBuf;

/// Holds the text against the file of that name.
pub(crate) fn check(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lab/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (left, right)) in golden.lines().zip(text.lines()).enumerate() {
        assert_eq!(left, right, "{name}, line {}", number + 1);
    }
    assert_eq!(golden.lines().count(), text.lines().count(), "{name}: number of lines");
}
