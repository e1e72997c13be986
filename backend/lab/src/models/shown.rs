//! One model as it is asked for: its patches and settings checked, and everything about it under one roof.
//!
//! What was asked for wrongly is named beside its field, and the model is shown as if the field had not been sent.

use super::settings::{KB_MOST, MEMORY_MB_MOST, Settings, has_large_folios, uses_max_sectors, uses_memory};
use super::tree::{Ladder, names, tree};
use super::windows::{OtherWay, Row, other_ways, row, steps, table};
use super::{facts, windows};
use crate::LabError;
use crate::library::unknown;
use readahead_policy::{MODELS, ModelId, ModelInfo, Patch, PatchInfo, Patches};

/// The largest read of the walk through its windows, in pages: 16 MiB.
const REQUEST_MOST: u64 = 4096;
/// The read of the walk when nothing is said: 1 MiB.
const REQUEST: u64 = 256;

/// What was asked for, as text; absent or empty fields keep their defaults.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Names of patches.
    pub patches: Vec<String>,
    /// queue/read_ahead_kb.
    pub read_ahead_kb: String,
    /// queue/max_sectors_kb.
    pub max_sectors_kb: String,
    /// Free and inactive memory of the node, in MiB.
    pub memory_mb: String,
    /// `yes` or `no`.
    pub large_folios: String,
    /// Pages of each read of the walk.
    pub request: String,
}

/// Something that was asked for wrongly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The field.
    pub field: &'static str,
    /// Place, value, expectation.
    pub message: String,
}

/// A model with patches and settings.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What it is.
    pub info: &'static ModelInfo,
    /// The patches that are on.
    pub patches: Patches,
    /// For what its tables are computed.
    pub settings: Settings,
    /// Pages of each read of the walk.
    pub request: u64,
    /// What was asked for wrongly.
    pub troubles: Vec<Trouble>,
    /// What was asked for rightly and changes nothing in this model with these patches.
    pub unused: Vec<Trouble>,
}

/// The model of that name, as asked for. Only an unknown model is an error.
pub fn shown(name: &str, asked: &Asked) -> Result<Shown, LabError> {
    let names = MODELS.iter().map(|info| info.name);
    let info = MODELS
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| LabError::new("models.unknown_model", unknown("model", name, names)))?;
    let mut troubles = Vec::new();
    let patches = Patches::parse(info.id, &asked.patches).unwrap_or_else(|error| {
        troubles.push(Trouble { field: "patch", message: error.to_string() });
        Patches::default()
    });
    let mut settings = Settings::usual(info.id, patches);
    let mut number = |field: &'static str, text: &str, value: &mut u64, from: u64, to: u64, unit: &str| {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match text.parse::<u64>() {
            Ok(given) if (from..=to).contains(&given) => *value = given,
            _ => troubles.push(Trouble {
                field,
                message: format!("{field}: `{text}`; expected a whole number of {unit} from {from} to {to}"),
            }),
        }
    };
    let mut request = REQUEST;
    number("read_ahead_kb", &asked.read_ahead_kb, &mut settings.read_ahead_kb, 0, KB_MOST, "KiB");
    number("max_sectors_kb", &asked.max_sectors_kb, &mut settings.max_sectors_kb, 4, KB_MOST, "KiB");
    number("memory_mb", &asked.memory_mb, &mut settings.memory_mb, 0, MEMORY_MB_MOST, "MiB");
    number("request", &asked.request, &mut request, 1, REQUEST_MOST, "pages");
    match asked.large_folios.trim() {
        "" => {}
        "no" => settings.large_folios = false,
        "yes" if has_large_folios(info.id) => settings.large_folios = true,
        "yes" => troubles.push(Trouble {
            field: "large_folios",
            message: format!("large_folios: `yes`; {} has none, they came with linux-6.1", info.name),
        }),
        other => troubles
            .push(Trouble { field: "large_folios", message: format!("large_folios: `{other}`; expected yes or no") }),
    }
    let given = [
        ("max_sectors_kb", &asked.max_sectors_kb),
        ("memory_mb", &asked.memory_mb),
        ("large_folios", &asked.large_folios),
    ];
    let idle = given.into_iter().filter(|(field, text)| !text.trim().is_empty() && !uses(info.id, patches, field));
    let unused = idle.map(|(field, _)| Trouble { field, message: why_unused(info, field) }).collect();
    Ok(Shown { info, patches, settings, request, troubles, unused })
}

impl Shown {
    fn id(&self) -> ModelId {
        self.info.id
    }

    /// The rows for every size of reads.
    pub fn table(&self) -> Vec<Row> {
        table(self.id(), self.patches, &self.settings)
    }

    /// The windows of one size of reads, one by one.
    pub fn walk(&self) -> Vec<windows::Cell> {
        steps(self.id(), self.patches, &self.settings, self.request)
    }

    /// Faults, and a range asked for in advance.
    pub fn other_ways(&self) -> Vec<OtherWay> {
        other_ways(self.id(), self.patches, &self.settings)
    }

    /// The decision tree.
    pub fn tree(&self) -> Vec<Ladder> {
        tree(self.id(), self.patches)
    }

    /// What the names in the tree mean.
    pub fn names(&self) -> Vec<facts::Named> {
        names(self.id(), self.patches)
    }

    /// Its fixed numbers.
    pub fn constants(&self) -> Vec<facts::Named> {
        facts::constants(self.id(), self.patches)
    }

    /// The code around its decisions.
    pub fn callers(&self) -> Vec<facts::Named> {
        facts::callers(self.id(), self.patches)
    }

    /// What it changed against the one before.
    pub fn changes(&self) -> &'static [&'static str] {
        facts::changes(self.id())
    }

    /// What of that kernel is not modelled.
    pub fn limits(&self) -> Vec<&'static str> {
        facts::limits(self.id())
    }

    /// The models before and after it.
    pub fn neighbours(&self) -> (Option<&'static str>, Option<&'static str>) {
        let place = MODELS.iter().position(|info| info.id == self.id()).unwrap_or_default();
        let name = |place: Option<usize>| place.and_then(|place| MODELS.get(place)).map(|info| info.name);
        (name(place.checked_sub(1)), name(Some(place + 1)))
    }

    /// Whether a setting changes anything in this model.
    pub fn uses(&self, field: &str) -> bool {
        uses(self.id(), self.patches, field)
    }
}

fn uses(model: ModelId, patches: Patches, field: &str) -> bool {
    match field {
        "max_sectors_kb" => uses_max_sectors(model),
        "memory_mb" => uses_memory(model, patches),
        "large_folios" => has_large_folios(model),
        _ => true,
    }
}

fn why_unused(info: &ModelInfo, field: &str) -> String {
    let name = info.name;
    match field {
        "max_sectors_kb" => format!("{field} changes no window of {name}; only from linux-4.14 on does it limit one"),
        "memory_mb" => format!("{field} changes no window of {name} with these patches"),
        _ => format!("{field} changes no window of {name}, which has none; they came with linux-6.1"),
    }
}

/// A patch with all that it needs, in the order of the registry: what has to be switched on together.
pub fn with_needs(patch: Patch) -> Vec<&'static str> {
    let mut wanted: Vec<&'static PatchInfo> = vec![patch.info()];
    let mut seen = 0;
    while let Some(info) = wanted.get(seen) {
        for need in info.needs.iter().map(|need| need.info()) {
            if !wanted.iter().any(|info| info.id == need.id) {
                wanted.push(need);
            }
        }
        seen += 1;
    }
    wanted.sort_by_key(|info| info.id);
    wanted.into_iter().map(|info| info.name).collect()
}

/// The patches `own` of a model together with another one and what that one needs, in the order of the registry; nothing
/// when the other one does not apply, is among them already, or excludes one of them.
pub fn together(model: &ModelInfo, own: &[String], patch: Patch) -> Option<Vec<&'static str>> {
    let mut names: Vec<&str> = own.iter().map(String::as_str).collect();
    if names.contains(&patch.info().name) {
        return None;
    }
    names.extend(with_needs(patch));
    Patches::parse(model.id, &names).ok().map(Patches::names)
}

/// The models that a patch applies to.
pub fn applies_to(patch: Patch) -> Vec<&'static str> {
    MODELS.iter().filter(|info| info.patches.contains(&patch)).map(|info| info.name).collect()
}

/// One reader on every model: the first windows of 4 KiB reads and of 1 MiB reads, at each model's usual settings.
pub fn overview() -> Vec<(&'static ModelInfo, Row, Row)> {
    let rows = |info: &'static ModelInfo| {
        let settings = Settings { read_ahead_kb: 128, ..Settings::usual(info.id, Patches::default()) };
        let of = |request| row(info.id, Patches::default(), &settings, request);
        (info, of(1), of(REQUEST))
    };
    MODELS.iter().map(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_policy::PATCHES;

    fn fields(asked: &Asked) -> Vec<&'static str> {
        shown("linux-7.2", asked).unwrap().troubles.iter().map(|trouble| trouble.field).collect()
    }

    #[test]
    fn every_patch_switched_on_with_what_it_needs_is_taken_by_each_of_its_models() {
        for info in PATCHES {
            assert!(!applies_to(info.id).is_empty(), "{}", info.name);
            for model in applies_to(info.id) {
                let asked =
                    Asked { patches: with_needs(info.id).into_iter().map(str::to_owned).collect(), ..Asked::default() };
                let shown = shown(model, &asked).unwrap();
                assert!(shown.troubles.is_empty() && shown.patches.has(info.id), "{model} {}", info.name);
            }
        }
    }

    #[test]
    fn a_patch_joins_those_that_are_on_with_what_it_needs_or_not_at_all() {
        let of = |model: ModelId, own: &[&str], patch| {
            let own: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
            together(model.info(), &own, patch)
        };
        let joined = of(ModelId::Linux2_6_33, &["512k-default"], Patch::ThrashingSafe);
        assert_eq!(joined.unwrap(), ["512k-default", "ra-flags", "retain-inactive", "thrashing-safe"]);
        assert_eq!(of(ModelId::Linux7_2, &["keep-half-window"], Patch::AlignInRaOrder), None);
        assert_eq!(of(ModelId::Linux7_2, &["keep-half-window"], Patch::KeepHalfWindow), None);
        assert_eq!(of(ModelId::Linux2_4_23, &[], Patch::KeepHalfWindow), None);
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_is_shown() {
        assert!(fields(&Asked::default()).is_empty());
        let wrong = Asked {
            patches: vec!["keep-half-window".into(), "align-in-ra-order".into()],
            read_ahead_kb: "-1".into(),
            max_sectors_kb: "x".into(),
            large_folios: "maybe".into(),
            request: "0".into(),
            ..Asked::default()
        };
        assert_eq!(fields(&wrong), ["patch", "read_ahead_kb", "max_sectors_kb", "request", "large_folios"]);
        let shown = shown("linux-7.2", &wrong).unwrap();
        assert_eq!(shown.settings, Settings::usual(ModelId::Linux7_2, Patches::default()));
        assert_eq!(
            shown.troubles[0].message,
            "patches `keep-half-window` and `align-in-ra-order` are alternatives; choose one"
        );
        assert_eq!(shown.troubles[1].message, "read_ahead_kb: `-1`; expected a whole number of KiB from 0 to 16384");
    }

    #[test]
    fn what_changes_nothing_is_said() {
        let unused = |model: &str, patch: &str| -> Vec<&'static str> {
            let asked = Asked {
                patches: Some(patch.to_owned()).filter(|patch| !patch.is_empty()).into_iter().collect(),
                max_sectors_kb: "64".into(),
                memory_mb: "64".into(),
                ..Asked::default()
            };
            let shown = shown(model, &asked).unwrap();
            assert!(shown.troubles.is_empty());
            shown.unused.iter().map(|one| one.field).collect()
        };
        assert_eq!(unused("linux-2.6.33", ""), ["max_sectors_kb"]);
        assert_eq!(unused("linux-2.6.33", "2mb-cap"), ["max_sectors_kb", "memory_mb"]);
        assert_eq!(unused("linux-7.2", ""), ["memory_mb"]);
    }

    #[test]
    fn an_unknown_model_is_answered_with_the_nearest() {
        let error = shown("linux-7.1", &Asked::default()).unwrap_err().to_string();
        assert!(error.contains("linux-7.2"), "{error}");
    }

    #[test]
    fn the_largest_settings_are_answered() {
        for info in MODELS {
            for read_ahead_kb in ["0", "1", "16384"] {
                let asked = Asked {
                    read_ahead_kb: read_ahead_kb.into(),
                    max_sectors_kb: "16384".into(),
                    request: "4096".into(),
                    ..Asked::default()
                };
                let shown = shown(info.name, &asked).unwrap();
                assert!(shown.troubles.is_empty());
                assert_eq!(shown.table().len(), windows::REQUESTS.len());
                assert!(shown.walk().len() <= 64 && !shown.other_ways().is_empty());
            }
        }
    }
}
