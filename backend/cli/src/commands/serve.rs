//! `serve`: the lab for browsers.

use crate::output::{Answer, Failure};
use readahead_server::{Config, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::signal::unix::{SignalKind, signal};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Address and port; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Directory of the runs and uploads; it is made when it is missing.
    #[arg(long, default_value = "data", value_name = "DIR")]
    data: PathBuf,
}

pub(crate) fn command(arguments: Arguments) -> Result<Answer, Failure> {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

    let runtime = tokio::runtime::Runtime::new().map_err(Failure::input)?;
    let served = runtime.block_on(async {
        let mut config = Config::new(arguments.data);
        config.listen = arguments.listen;
        let server = Server::bind(config).await?;
        println!("Readahead Lab listens on http://{}", server.address()?);
        let mut terminate = signal(SignalKind::terminate())?;
        let stop = async move {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        };
        server.run(stop).await
    });
    served.map_err(|error| Failure::Input(format!("{error:#}")))?;
    Ok(Answer::Yes)
}
