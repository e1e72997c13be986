//! Colours by meaning, on a light and on a dark ground. Every meaning has a second cue in the renderer.

use plotters::style::RGBColor;
use serde::Serialize;

/// The two grounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Ink on paper.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// What a series means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    SideA,
    SideAPale,
    SideAFaint,
    SideB,
    SideBPale,
    SideBFaint,
    Used,
    Ahead,
    InFlight,
    EvictedUnused,
    Marker,
    Warning,
    /// A stream begins.
    Start,
    /// The expected marker.
    Expected,
    /// History in the cache, or another stream's marker.
    Context,
    /// A fault.
    Fault,
    /// Asked for in advance, or read as it was asked for.
    Forced,
    Ink,
}

const fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

impl Role {
    /// The colour on this ground.
    pub(crate) fn colour(self, theme: Theme) -> RGBColor {
        let (light, dark) = match self {
            Role::SideA => (0xb2501f, 0xf0a06b),
            Role::SideAPale => (0xe9ab84, 0xab5d2e),
            Role::SideAFaint => (0xf9e8dd, 0x402c22),
            Role::SideB => (0x1f6f8b, 0x7cc4da),
            Role::SideBPale => (0x86bdd1, 0x2f8199),
            Role::SideBFaint => (0xddedf2, 0x1e3640),
            Role::Used | Role::Start => (0x3d6b8e, 0x9cc7e8),
            Role::Ahead => (0x9cc7e8, 0x3f7ca8),
            Role::InFlight => (0xf3d9a0, 0x8a6d2c),
            Role::EvictedUnused | Role::Warning => (0xd9480f, 0xff8a4c),
            Role::Marker | Role::Context => (0xa0298d, 0xe58bd6),
            Role::Expected => (0x1f6f8b, 0x7cc4da),
            Role::Fault => (0x8a6d2c, 0xf3d9a0),
            Role::Forced => (0x6b6f76, 0xa9adb5),
            Role::Ink => (0x20242a, 0xe8e6e1),
        };
        rgb(match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        })
    }
}

/// The colours that are not data.
pub(crate) struct Ground {
    pub(crate) paper: RGBColor,
    pub(crate) ink: RGBColor,
    pub(crate) quiet: RGBColor,
    pub(crate) rule: RGBColor,
}

impl Theme {
    pub(crate) fn ground(self) -> Ground {
        match self {
            Theme::Light => {
                Ground { paper: rgb(0xffffff), ink: rgb(0x20242a), quiet: rgb(0x5c636e), rule: rgb(0xe6e4de) }
            }
            Theme::Dark => {
                Ground { paper: rgb(0x17191d), ink: rgb(0xe8e6e1), quiet: rgb(0xa2a8b2), rule: rgb(0x31353c) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let channel = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_marks_stand_out_as_wcag_aa_wants() {
        for theme in [Theme::Light, Theme::Dark] {
            let ground = theme.ground();
            assert!(contrast(ground.ink, ground.paper) >= 7.0);
            assert!(contrast(ground.quiet, ground.paper) >= 4.5);
            for role in [Role::SideA, Role::SideB, Role::Warning, Role::Start, Role::Expected, Role::Context] {
                assert!(contrast(role.colour(theme), ground.paper) >= 3.0, "{role:?} {theme:?}");
            }
        }
    }
}
