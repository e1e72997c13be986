//! The service from outside: every route's happy path, every bad input, and what survives a restart. One program, so
//! that it is linked once.
#![allow(clippy::unwrap_used, reason = "a test stops where something is not as it must be")]

mod common;
mod compare;
mod control;
mod diverge;
mod events;
mod guards;
mod lifetime;
mod models;
mod pages;
mod runs;
mod stats;
mod traces;
