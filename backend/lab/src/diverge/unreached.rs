//! Why a search found no difference: what patches that only one side has change, and what of it no workload reaches.
//!
//! Must not know how a search goes on.

use super::{Kernel, OPERATIONS_MAX};
use readahead_policy::{ModelId, PATCHES, Patch, PatchInfo};

/// A sentence for each difference of the two kernels that the search cannot show.
pub(super) fn unreached(a: Kernel, b: Kernel) -> Vec<String> {
    let one_sided: Vec<&PatchInfo> =
        PATCHES.iter().filter(|info| a.patches.has(info.id) != b.patches.has(info.id)).collect();
    let mut sentences = Vec::new();
    if a == b {
        sentences.push("Both sides are the same kernel.".to_owned());
    } else if (a.model.min(b.model), a.model.max(b.model)) == (ModelId::Linux7_2, ModelId::Linux7_3Rc) {
        sentences.push("linux-7.3-rc decides exactly as linux-7.2.".to_owned());
    }
    let silent: Vec<&str> =
        one_sided.iter().filter(|info| decides_nothing(info.id, a, b)).map(|info| info.name).collect();
    match silent.as_slice() {
        [] => {}
        [one] => {
            sentences.push(format!("{one} changes only defaults, traces or counters, and decides nothing by itself."))
        }
        more => sentences.push(format!(
            "These change only defaults, traces or counters, and decide nothing by themselves: {}.",
            more.join(", ")
        )),
    }
    let deciding = one_sided.iter().filter(|info| !decides_nothing(info.id, a, b));
    sentences.extend(deciding.map(|info| format!("{}: {}", info.name, beyond(info.id, a.model.min(b.model)))));
    sentences
}

/// The patch changes only defaults, traces or counters.
fn decides_nothing(patch: Patch, a: Kernel, b: Kernel) -> bool {
    match patch {
        Patch::SmallDeviceLimitV1
        | Patch::SmallDeviceLimitV2
        | Patch::SmallDeviceLimitV3
        | Patch::Patterns
        | Patch::TraceEvent
        | Patch::Stats => true,
        // Its smallest window is that of thrashing-safe.
        Patch::Default512k => !(a.patches.has(Patch::ThrashingSafe) && b.patches.has(Patch::ThrashingSafe)),
        _ => false,
    }
}

/// What of a patch no workload of the search reaches.
fn beyond(patch: Patch, model: ModelId) -> String {
    match patch {
        Patch::RaFlags => format!(
            "mmap_miss ends at 65,535 instead of 2,147,483,647, and {OPERATIONS_MAX} operations do not miss that often."
        ),
        Patch::FastHoleSearch => {
            "it may find more cached pages than it looks for. Without thrashing-safe the window is \
                                  cut to the same limit; with it, a history of more than 8 × read_ahead_kb counts."
                .to_owned()
        }
        Patch::GlobalHalf => "it looks at the memory of all nodes, and the machine of the search has one.".to_owned(),
        Patch::NodeHalf | Patch::RhelRevert if model < ModelId::Linux3_18 => {
            format!("half of the node's memory is what {} allows by itself.", model.name())
        }
        Patch::NodeHalf | Patch::RhelRevert => "node-half and rhel-revert allow the same.".to_owned(),
        _ => format!("it decides, but on no workload of up to {OPERATIONS_MAX} operations that was drawn."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(a: &str, b: &str) -> String {
        unreached(Kernel::parse(a, "--a").unwrap(), Kernel::parse(b, "--b").unwrap()).join("\n")
    }

    #[test]
    fn each_patch_says_what_the_search_cannot_reach() {
        let plain = "linux-2.6.33";
        for (patch, said) in [
            ("ra-flags", "ra-flags: mmap_miss ends at 65,535 instead of 2,147,483,647, and 6 operations do not"),
            ("fast-hole-search", "fast-hole-search: it may find more cached pages than it looks for."),
            ("global-half", "global-half: it looks at the memory of all nodes, and the machine of the search has one."),
            ("node-half", "node-half: half of the node's memory is what linux-2.6.33 allows by itself."),
            ("512k-default", "512k-default changes only defaults, traces or counters, and decides nothing by itself."),
        ] {
            let text = of(plain, &format!("{plain}+{patch}"));
            assert!(text.starts_with(said) && !text.contains('\n'), "{text}");
        }
        let series = "linux-2.6.33+ra-flags+retain-inactive+thrashing-safe";
        assert_eq!(
            of(series, &format!("{series}+patterns+stats")),
            "These change only defaults, traces or counters, and decide nothing by themselves: patterns, stats."
        );
        assert!(of(series, &format!("{series}+512k-default")).starts_with("512k-default: it decides, but on no"));
        assert_eq!(of("linux-7.2", "linux-7.3-rc"), "linux-7.3-rc decides exactly as linux-7.2.");
        assert_eq!(of("linux-7.2", "linux-7.2"), "Both sides are the same kernel.");
        assert_eq!(of("linux-6.1", "linux-6.12"), "");
    }
}
