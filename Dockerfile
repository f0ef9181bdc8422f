# LADDER's images, one target each: server, server-cuda, trainer, client.
#
#   docker build --target server --tag ladder-server .
#
# Base images are arguments, so that they can be pinned by digest or come from a
# registry of one's own. Needs BuildKit.
ARG BASE_IMAGE=debian:12.11-slim
# Only its libraries are taken. CUDA 13 and cuDNN 9 go with onnxruntime-gpu 1.27 and
# later; for CUDA 12 give ONNXRUNTIME_GPU=onnxruntime-gpu==1.26.0 and its checksum.
ARG CUDA_IMAGE=nvidia/cuda:13.0.1-cudnn-runtime-ubuntu24.04

# What the project's own set-up installs; rebuilt only when that changes.
FROM ${BASE_IMAGE} AS dependencies
WORKDIR /src
COPY scripts/setup scripts/debian.sh scripts/lib.sh scripts/
COPY tests/requirements.txt tests/
RUN scripts/setup && apt-get clean && rm -rf /var/lib/apt/lists/*

FROM dependencies AS build
ARG JOBS=
ENV LANG=C.UTF-8 CCACHE_DIR=/var/cache/ccache
COPY . .
RUN cmake --preset release -DLADDER_BUILD_TESTS=OFF -DLADDER_BUILD_BENCH=OFF \
      -DCMAKE_EXE_LINKER_FLAGS=-s

FROM build AS build-server
RUN --mount=type=cache,target=/var/cache/ccache \
    cmake --build --preset release --target ladder-server ladder -- ${JOBS:+-j$JOBS} \
    && mkdir -p /out/bin /out/lib \
    && cp build/release/bin/ladder-server build/release/bin/ladder /out/bin \
    && cp -P .deps/onnxruntime/lib/*.so* /out/lib \
    && if [ -e .deps/opentelemetry ]; then \
         cp -P .deps/opentelemetry/usr/lib/*/libopentelemetry*.so* /out/lib; \
       fi

# The same program with the GPU's ONNX Runtime, linked again because it asks for the
# very version that it was linked to.
FROM build-server AS build-server-cuda
ARG ONNXRUNTIME_GPU=onnxruntime-gpu==1.31.1
ARG ONNXRUNTIME_GPU_SHA256=f659529e07c21ec6b6179fd1bfaf82ffb7c3dc9c0916e18f6f313f9a690891be
RUN --mount=type=cache,target=/var/cache/ccache \
    echo "$ONNXRUNTIME_GPU --hash=sha256:$ONNXRUNTIME_GPU_SHA256" >gpu.txt \
    && python3 -m pip download --no-deps --only-binary=:all: --implementation cp \
         --python-version 3.13 --abi cp313 --platform manylinux_2_28_x86_64 \
         --require-hashes --requirement gpu.txt --dest wheel \
    && python3 -m zipfile -e wheel/*.whl wheel \
    && rm -f /out/lib/libonnxruntime* \
    && cp wheel/onnxruntime/capi/libonnxruntime.so.* /out/lib \
    && cp wheel/onnxruntime/capi/libonnxruntime_providers_shared.so /out/lib \
    && cp wheel/onnxruntime/capi/libonnxruntime_providers_cuda.so /out/lib \
    && ln -sr /out/lib/libonnxruntime.so.*.* /out/lib/libonnxruntime.so.1 \
    && rm -rf wheel \
    && cmake --preset release -DONNXRUNTIME_LIBRARY=/out/lib/libonnxruntime.so.1 \
    && cmake --build --preset release --target ladder-server -- ${JOBS:+-j$JOBS} \
    && cp build/release/bin/ladder-server /out/bin

FROM build AS build-client
RUN --mount=type=cache,target=/var/cache/ccache \
    cmake --build --preset release --target ladder -- ${JOBS:+-j$JOBS} \
    && mkdir -p /out/bin && cp build/release/bin/ladder /out/bin

FROM build AS build-trainer
RUN --mount=type=cache,target=/var/cache/ccache \
    cmake --build --preset release --target ladder-train -- ${JOBS:+-j$JOBS} \
    && mkdir -p /out/bin /out/lib /out/share/ladder \
    && cp build/release/bin/ladder-train /out/bin \
    && cp -P .deps/onnxruntime/lib/*.so* /out/lib \
    && cp -r trainer/configs /out/share/ladder

# What all images have in common: a user without rights, and what they are.
FROM ${BASE_IMAGE} AS runtime
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libabsl20220623 libssl3 \
    && apt-get clean && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 ladder \
    && useradd --uid 10001 --gid ladder --no-create-home --home-dir /nonexistent \
         --shell /usr/sbin/nologin ladder
COPY LICENSE /usr/local/share/doc/ladder/
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.vendor="LADDER" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

FROM runtime AS runtime-server
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcivetweb1 libcurl4 libgrpc++1.51 libhwy1 \
         libjpeg62-turbo libonnx1 libpng16-16 libprometheus-cpp-core1.0 \
    && apt-get clean && rm -rf /var/lib/apt/lists/*
ENV LADDER_MODEL_REPOSITORY=/models
EXPOSE 8000 8001 8002
USER 10001:10001
# Whether it is ready, by gRPC, as callers come in. With TLS it needs other options, those of `ladder health --help`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ladder health --server "127.0.0.1:${LADDER_GRPC_PORT:-8001}" --timeout 4 --attempts 1
ENTRYPOINT ["ladder-server"]

FROM runtime AS client
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4 libgrpc++1.51 libhwy1 \
         libjpeg62-turbo libpng16-16 \
    && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY --from=build-client /out/ /usr/local/
LABEL org.opencontainers.image.title="ladder" \
      org.opencontainers.image.description="Client of LADDER servers"
USER 10001:10001
ENTRYPOINT ["ladder"]

FROM runtime AS trainer
RUN apt-get update \
    && apt-get install -y --no-install-recommends dataset-fashion-mnist libhwy1 libjpeg62-turbo \
         libonnx1 libopenblas0-openmp libpng16-16 libtorch1.13 zlib1g \
    && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY --from=build-trainer /out/ /usr/local/
# Docker gives the owner of these folders to new volumes there.
RUN ldconfig && install -d -o ladder -g ladder /work /work/data /work/store
LABEL org.opencontainers.image.title="ladder-train" \
      org.opencontainers.image.description="Trains LADDER's bundles"
USER 10001:10001
ENTRYPOINT ["ladder-train"]

# CUDA's and cuDNN's libraries, wherever the image keeps them.
FROM ${CUDA_IMAGE} AS cuda
RUN mkdir /cuda \
    && find / -xdev \( -path /proc -o -path /cuda \) -prune -o \
         \( -name 'libcublas.so.*' -o -name 'libcublasLt.so.*' -o -name 'libcudart.so.*' \
         -o -name 'libcufft.so.*' -o -name 'libcurand.so.*' -o -name 'libnvrtc*.so.*' \
         -o -name 'libnvJitLink.so.*' -o -name 'libcudnn*.so.*' \) \
         -exec cp -P -t /cuda {} +

FROM runtime-server AS server-cuda
USER root
COPY --from=cuda /cuda/ /usr/local/lib/
COPY --from=build-server-cuda /out/ /usr/local/
RUN ldconfig
LABEL org.opencontainers.image.title="ladder-server-cuda" \
      org.opencontainers.image.description="LADDER's server on NVIDIA GPUs"
# The last two tell NVIDIA's container runtime, which brings the driver, what to show.
ENV LADDER_DEVICE=cuda NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
USER 10001:10001

# The last: what a build without --target makes.
FROM runtime-server AS server
USER root
COPY --from=build-server /out/ /usr/local/
RUN ldconfig
LABEL org.opencontainers.image.title="ladder-server" \
      org.opencontainers.image.description="LADDER's server on CPUs"
USER 10001:10001
