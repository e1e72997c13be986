//! Prints what an input holds as JSON: `cargo run -p readahead-trace --example trace_inspect -- FILE`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: trace_inspect FILE")?;
    let inspection = readahead_trace::inspect(std::fs::File::open(path)?, |_| ())?;
    println!("{}", serde_json::to_string_pretty(&inspection)?);
    Ok(())
}
