//! Tests on captures and on small texts of our own.

mod fixtures;
mod round_trip;
