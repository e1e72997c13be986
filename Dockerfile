# Readahead Lab as a container:
#
#   docker build -t readahead-lab .
#   docker run --rm -p 127.0.0.1:8080:8080 -v readahead-lab:/data readahead-lab
#
# Inside, it listens on every address of the container and answers to every name; publish the port on loopback only, or
# put a proxy with a login in front of it.

FROM node:20-bookworm-slim AS assets
WORKDIR /src/web
# The lock file alone first: installing is repeated only when it changes.
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web/ ./
COPY static/ ../static/
RUN npm run --silent build

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY Cargo.toml Cargo.lock rustfmt.toml clippy.toml LIMITATIONS.md ./
COPY backend/ backend/
COPY scenarios/ scenarios/
COPY web/templates/ web/templates/
RUN cargo build --release --locked --bin readahead-lab

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /data lab \
    && install -d -o lab -g lab /data
WORKDIR /app
COPY --from=build /src/target/release/readahead-lab ./
COPY --from=assets /src/static/ static/
COPY LICENSE-APACHE LICENSE-MIT ./
USER lab
# Figures are made on many threads; with an arena for each, the C library would keep what they freed.
ENV MALLOC_ARENA_MAX=2
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The database and the recordings are in /data; a stop gives running work ten seconds.
ENTRYPOINT ["/app/readahead-lab"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--data", "/data"]
