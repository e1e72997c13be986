//! Tests of the lab as its callers see it, one file a subject.

#[cfg(test)]
mod defaults;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod recording;
#[cfg(test)]
mod scenario_errors;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod seeds;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod sweeps;
#[cfg(test)]
mod texts;
#[cfg(test)]
mod voices;
