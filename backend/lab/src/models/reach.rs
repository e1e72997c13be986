//! Which branches a model can take: for each code, from which kernel to which, and with which patches. Kept apart from
//! the decision trees, so that each is a check of the other; the vectors are a check of both.

use readahead_policy::{ModelId, Patch, Patches};

/// When a branch can be taken.
struct Reach {
    code: &'static str,
    from: ModelId,
    to: ModelId,
    /// A further condition on the patches.
    with: fn(ModelId, Patches) -> bool,
}

const fn reach(code: &'static str, from: ModelId, to: ModelId) -> Reach {
    Reach { code, from, to, with: |_, _| true }
}

const fn with(code: &'static str, from: ModelId, to: ModelId, with: fn(ModelId, Patches) -> bool) -> Reach {
    Reach { code, from, to, with }
}

use ModelId::{
    Linux2_4_23 as V2_4, Linux2_6_33 as V2_6, Linux3_10 as V3_10, Linux3_18 as V3_18, Linux4_14 as V4_14,
    Linux5_4 as V5_4, Linux5_10 as V5_10, Linux6_1 as V6_1, Linux6_12 as V6_12, Linux7_2 as V7_2, Linux7_3Rc as LAST,
};

const PLAIN: fn(ModelId, Patches) -> bool = |_, patches| !patches.has(Patch::ThrashingSafe);
const CONTEXT: fn(ModelId, Patches) -> bool = |_, patches| patches.has(Patch::ThrashingSafe);
const ALIGNED: fn(ModelId, Patches) -> bool = |_, patches| !patches.has(Patch::AlignInRaOrder);
const IN_ORDER: fn(ModelId, Patches) -> bool = |_, patches| patches.has(Patch::AlignInRaOrder);

const BRANCHES: &[Reach] = &[
    reach("sync_readahead_off", V5_10, LAST),
    with("sync_random_file", V2_6, LAST, |model, patches| model >= V3_10 || patches.has(Patch::FmodeRandom)),
    reach("sync_start_of_file", V2_6, LAST),
    reach("sync_oversize", V2_6, LAST),
    with("sync_sequential", V2_6, LAST, PLAIN),
    reach("sync_small_random", V3_18, LAST),
    with("sync_history", V2_6, LAST, PLAIN),
    with("sync_history_from_start", V2_6, LAST, PLAIN),
    reach("async_readahead_off", V2_6, LAST),
    reach("async_expected", V2_6, LAST),
    with("async_unexpected", V2_6, LAST, PLAIN),
    // The searches of linux-5.4 to 6.1 end on a cached page instead.
    reach("async_no_gap", V2_6, V4_14),
    reach("async_no_gap", V6_12, LAST),
    reach("fault_random", V2_6, LAST),
    reach("fault_readahead_off", V3_10, LAST),
    reach("fault_too_many_misses", V2_6, LAST),
    reach("fault_huge", V6_1, LAST),
    reach("fault_exec", V7_2, LAST),
    reach("fault_around", V2_6, LAST),
    with("fault_around_floor", V7_2, LAST, |_, patches| patches.has(Patch::MmapFloorOrder)),
    reach("fault_marker_random", V2_6, LAST),
    reach("fault_marker_readahead_off", V5_10, LAST),
    reach("forced", V2_4, LAST),
    reach("forced_cut", V2_4, LAST),
    reach("single_page", V2_4, LAST),
    reach("page_past_end", V2_6, V5_10),
    reach("sync_no_readahead", V2_6, V5_4),
    reach("sync_expected", V2_6, V6_1),
    reach("sync_window_end", V2_6, V6_1),
    with("sync_no_history", V2_6, V3_10, PLAIN),
    // Before linux-5.10 no page 0 carries a marker. It lies at size − async of the window as decided; a window that begins
    // there with size = async is merged with the next first. Since then the end of the file may cut the window before.
    reach("async_start_of_file", V5_10, V6_1),
    reach("async_window_end", V2_6, V6_1),
    reach("async_past_cached", V5_4, V6_1),
    with("sync_start_after_seek", V2_6, V2_6, |_, patches| patches.has(Patch::LseekFlag)),
    with("context_miss", V2_6, V2_6, CONTEXT),
    with("context_marker", V2_6, V2_6, CONTEXT),
    with("context_enough", V2_6, V2_6, CONTEXT),
    with("context_random", V2_6, V2_6, CONTEXT),
    with("context_thrashed", V2_6, V2_6, CONTEXT),
    with("fault_no_memory", V2_6, V3_18, |model, patches| match model {
        // With ra_pages 0 a fault of linux-2.6.33 comes as far as this.
        V2_6 => true,
        V3_10 => !patches.has(Patch::Cap2mb) && !patches.has(Patch::AquiniMax),
        _ => [Patch::NodeHalf, Patch::RhelRevert, Patch::GlobalHalf].iter().any(|patch| patches.has(*patch)),
    }),
    reach("old_sync", V2_4, V2_4),
    reach("old_async", V2_4, V2_4),
    reach("old_cluster", V2_4, V2_4),
    reach("old_cluster_ahead", V2_4, V2_4),
    with("aligned", V7_2, LAST, ALIGNED),
    with("cut", V7_2, LAST, ALIGNED),
    with("not_cut", V7_2, LAST, ALIGNED),
    with("halved", V7_2, LAST, |_, patches| patches.has(Patch::KeepHalfWindow)),
    with("shrunk_to_order", V7_2, LAST, IN_ORDER),
    with("order_aligned", V7_2, LAST, IN_ORDER),
    with("order_not_cut", V7_2, LAST, IN_ORDER),
    with("order_not_large", V7_2, LAST, IN_ORDER),
    reach("merged", V2_6, V6_1),
    with("merged_to_limit", V4_14, V6_1, |model, patches| model >= V5_4 || patches.has(Patch::StableIoPages)),
    reach("grown_past_end", V6_1, V6_1),
];

/// The codes of the Reasons and of what is done to a window afterwards (`none` apart) that a model with these patches
/// can give.
pub fn reachable(model: ModelId, patches: Patches) -> Vec<&'static str> {
    let reached = |reach: &&Reach| (reach.from..=reach.to).contains(&model) && (reach.with)(model, patches);
    BRANCHES.iter().filter(reached).map(|reach| reach.code).collect()
}
