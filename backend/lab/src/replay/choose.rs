//! What the trace does not tell, read_ahead_kb, max_sectors_kb and where files end, is chosen so that the model agrees
//! best, and said.

use super::drive::file_spec;
use super::recorded::{Call, Recorded};
use super::score::Score;
use super::{Plan, ReplaySettings};
use readahead_sim::SpecError;
use readahead_types::{Bytes, PAGE_BYTES};

/// Values of max_sectors_kb that are tried when the trace does not tell.
const MAX_SECTORS_KB: [u64; 12] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1280, 2048, 4096];
/// Values of read_ahead_kb that are tried when the trace does not tell: the default first, then by how often they are met.
const READ_AHEAD_KB: [u32; 13] = [128, 256, 512, 64, 32, 16, 4, 8, 1024, 2048, 4096, 8192, 0];
/// Calls on which they are tried.
const TRIAL_CALLS: usize = 20_000;
/// Lines of the kernel's work in these calls, at most.
const TRIAL_LINES: usize = 100_000;

impl Plan<'_> {
    /// read_ahead_kb, where no line of the trace prints it: the value with which the model agrees best. True when it is
    /// another than before.
    pub(super) fn choose_read_ahead(&mut self) -> Result<bool, SpecError> {
        let before = self.setup.ra_pages;
        let mut best: Option<(i64, u32)> = None;
        for kb in READ_AHEAD_KB {
            self.setup.ra_pages = kb / 4;
            let points = self.run(self.trial)?.points();
            match best {
                Some((most, _)) if points == most => self.read_ahead_tied.push(kb),
                Some((most, _)) if points < most => {}
                _ => {
                    best = Some((points, kb));
                    self.read_ahead_tied.clear();
                }
            }
        }
        self.setup.ra_pages = best.map_or(before, |(_, kb)| kb / 4);
        Ok(self.setup.ra_pages != before)
    }

    /// Says where the settings come from.
    pub(super) fn say_settings(&mut self, settings: &ReplaySettings, read_ahead_unknown: bool) {
        if read_ahead_unknown {
            let others = match self.read_ahead_tied.as_slice() {
                [] => String::new(),
                tied => {
                    let tied: Vec<String> = tied.iter().map(u32::to_string).collect();
                    format!(" As good: {}.", tied.join(", "))
                }
            };
            self.from.push(format!(
                "read_ahead_kb {}: not in the trace; the value with which the model agrees best.{others}",
                self.setup.ra_pages * 4
            ));
        }
        let (kb, largest) = (self.setup.max_sectors_kb, self.largest_request_kb);
        self.from.push(if settings.max_sectors_kb.is_some() {
            format!("max_sectors_kb {kb}: as set.")
        } else if self.max_sectors_tied {
            format!("max_sectors_kb {kb}: not in the trace; larger values agree as well. The largest request is {largest} KiB.")
        } else {
            format!("max_sectors_kb {kb}: the value with which the model agrees best; the largest request is {largest} KiB.")
        });
    }

    /// max_sectors_kb: as set, or the smallest value, not below the largest request seen, with which the model agrees
    /// best.
    pub(super) fn choose_max_sectors(&mut self, settings: &ReplaySettings) -> Result<(), SpecError> {
        if settings.max_sectors_kb.is_some() {
            return Ok(());
        }
        let largest = self
            .recorded
            .requests
            .iter()
            .filter(|request| self.disk.place(request).is_some())
            .map(|request| request.sectors / 2)
            .max()
            .unwrap_or(0);
        let mut best: Option<(i64, u64)> = None;
        let mut tied = Vec::new();
        for kb in MAX_SECTORS_KB.into_iter().filter(|kb| *kb >= largest) {
            self.setup.max_sectors_kb = kb;
            let score = self.run(self.trial)?;
            let points = score.points();
            match best {
                Some((most, _)) if points == most => tied.push(kb),
                Some((most, _)) if points < most => {}
                _ => {
                    best = Some((points, kb));
                    tied.clear();
                }
            }
        }
        let kb = best.map_or(512, |(_, kb)| kb);
        self.setup.max_sectors_kb = kb;
        self.max_sectors_tied = !tied.is_empty();
        self.largest_request_kb = largest;
        Ok(())
    }

    /// Where the end of a file is not in the trace: either what was seen is all of it, or it goes on; whichever agrees
    /// better.
    pub(super) fn choose_ends(&mut self, settings: &ReplaySettings) -> Result<(), SpecError> {
        let open: Vec<usize> = (0..self.bytes.len())
            .filter(|number| self.bytes[*number].is_none() && !settings.file_bytes.contains_key(number))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let beyond = self.run(usize::MAX)?;
        let without_end: Vec<_> = open.iter().map(|number| self.setup.files[*number].1.clone()).collect();
        for number in &open {
            let (key, spec) = &mut self.setup.files[*number];
            let seen = self.disk.files.get(key).map_or(0, |known| known.seen_end);
            let size = Bytes(seen * PAGE_BYTES);
            *spec = file_spec(self.disk, *key, spec.name.clone(), size, self.orders[*number]);
        }
        let seen = self.run(usize::MAX)?;
        for (number, spec) in open.iter().zip(without_end) {
            let key = self.setup.files[*number].0;
            let points =
                |score: &Score| score.by_file.get(&key).map_or(0, |file| file.agree as i64 - file.extra as i64);
            if points(&seen) > points(&beyond) {
                self.bytes[*number] = self.disk.files.get(&key).map(|known| known.seen_end * PAGE_BYTES);
            } else {
                self.setup.files[*number].1 = spec;
            }
        }
        Ok(())
    }
}

/// How many calls a setting is tried on: the first ones, as far as there is not too much in them.
pub(super) fn trial_calls(recorded: &Recorded) -> usize {
    let mut lines = 0;
    let few = |call: &&Call| {
        lines += call.deeds.len();
        lines <= TRIAL_LINES
    };
    recorded.calls.iter().take(TRIAL_CALLS).take_while(few).count().max(1)
}
