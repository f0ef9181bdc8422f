# Stand-ins for images that cannot be pulled where there is no registry: the same
# programs from Python's and Debian's packages, which may have other versions.
ARG BASE_IMAGE=debian:12.11-slim

FROM ${BASE_IMAGE} AS envoy
COPY envoy /usr/local/bin/envoy

FROM ${BASE_IMAGE} AS prometheus
RUN apt-get update \
    && apt-get install -y --no-install-recommends prometheus wget \
    && apt-get clean && rm -rf /var/lib/apt/lists/* \
    && install -d -o nobody -g nogroup /prometheus
USER nobody
ENTRYPOINT ["prometheus"]
