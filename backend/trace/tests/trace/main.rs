//! Tests on captures and on small texts of our own.
#![cfg(test)]

mod bytewise;
mod counts;
mod dat;
mod fixtures;
mod inspection;
mod nasty_inputs;
mod nasty_lines;
mod never_panics;
mod round_trip;
mod shared_traces;
