# The HTTP service in a container: `vclean serve` on port 8780, as a user without rights, with a read-only root if wanted.
#
#   docker build --tag vclean .                                    with Chromium
#   docker build --tag vclean-small --build-arg BROWSER=none .     with the built-in engine alone
#   docker run --read-only --tmpfs /tmp --init --env VCLEAN_TOKEN --publish 127.0.0.1:8780:8780 \
#       --security-opt seccomp=packaging/chromium-seccomp.json vclean
#
# Chromium's sandbox needs user namespaces, which that profile allows; without it, a request for Chromium gets status 501, and
# pages are rendered by the built-in engine. compose.yaml has the same options and limits.

FROM rust:1-slim-bookworm AS build
# Versions of packages are not pinned, so that a build has the security fixes of its day.
# hadolint ignore=DL3008
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev python3 libfontconfig1 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY crates crates
COPY js js
COPY models models
COPY benches benches
COPY examples examples
# Crates of the workspace that are not built here.
COPY python/Cargo.toml python/Cargo.toml
COPY python/src python/src
COPY npm/Cargo.toml npm/Cargo.toml
COPY npm/src npm/src
# Cargo needs the files of all targets that Cargo.toml names.
COPY tests tests
RUN cargo build --release --locked --package vclean-cli --no-default-features --features builtin,chromium,serve \
    && strip target/release/vclean

FROM debian:bookworm-slim
ARG BROWSER=chromium-headless-shell
# hadolint ignore=DL3008
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        ca-certificates libfontconfig1 fonts-liberation fonts-noto-core fonts-droid-fallback \
    && if [ "$BROWSER" != none ]; then \
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$BROWSER"; \
    fi \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin vclean
COPY --from=build /source/target/release/vclean /usr/local/bin/vclean
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/vclean/
USER 10001:10001
# The browser keeps its profile in a temporary folder.
ENV TMPDIR=/tmp HOME=/tmp
EXPOSE 8780
STOPSIGNAL SIGTERM
# The token comes from the variable VCLEAN_TOKEN, or from a file named by --token-file. A container is reached from outside,
# so there is no start without one.
ENTRYPOINT ["vclean"]
CMD ["serve", "--bind", "0.0.0.0:8780"]
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["vclean", "serve", "--check", "127.0.0.1:8780"]
