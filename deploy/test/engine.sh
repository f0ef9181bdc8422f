# Sourced by the tests beside it: a Docker engine and base images, made on the spot
# where there are none. All that is fetched and built stays in build/deploy.
# shellcheck shell=bash

source deploy/test/packages.sh
engine_pid=
export DOCKER_BUILDKIT=1

# start_engine: the machine's engine, or else a private one without a network of
# its own, which stop_engine ends.
start_engine() {
  if docker info >/dev/null 2>&1; then return; fi
  ((EUID == 0)) || skip 'no Docker engine answers, and only root can start one'
  local engine=$work/engine
  fetch 'a Docker engine' \
    fetch_packages '' "$engine" docker.io containerd runc tini libseccomp2 mmdebstrap
  export PATH=$engine/usr/bin:$engine/usr/sbin:$PATH
  cat >"$engine/daemon.json" <<CONFIG
{
  "data-root": "$engine/data",
  "exec-root": "$engine/exec",
  "pidfile": "$engine/pid",
  "hosts": ["unix://$engine/socket"],
  "iptables": false,
  "bridge": "none",
  "storage-driver": "overlay2"
}
CONFIG
  export DOCKER_HOST=unix://$engine/socket DOCKER_CONFIG=$engine/config
  if docker info >/dev/null 2>&1; then return; fi
  dockerd --config-file "$engine/daemon.json" >"$engine/log" 2>&1 &
  engine_pid=$!
  until docker info >/dev/null 2>&1; do
    kill -0 "$engine_pid" 2>/dev/null || skip "dockerd does not run here: $(tail -1 "$engine/log")"
    sleep 0.2
  done
}

stop_engine() {
  [[ ! $engine_pid ]] || { kill "$engine_pid" && wait "$engine_pid" || true; }
}

# find_base: leaves in base_options what docker build needs: nothing, where
# the Dockerfile's base can be pulled; or else a base with the machine's own apt
# sources and certificates.
find_base() {
  base_options=(--network host)
  local name=ladder-test/debian:bookworm-slim wanted
  wanted=$(sed -n 's/^ARG BASE_IMAGE=//p' Dockerfile)
  if ! docker image inspect "$name" >/dev/null 2>&1; then
    if docker pull -q "$wanted" >"$work/pull.log" 2>&1; then
      base_options=()
      return
    fi
    fetch 'a base image' make_base "$name"
  fi
  base_options+=(--build-arg "BASE_IMAGE=$name")
}

# make_base NAME
make_base() {
  local archive=$work/base.tar
  # Slim images leave out the same paths.
  # shellcheck disable=SC2016 # $1 is the hook's own
  debian_sources | mmdebstrap --variant=minbase --include=ca-certificates,usr-is-merged \
    --hook-dir="$(dirname "$(command -v mmdebstrap)")/../share/mmdebstrap/hooks/merged-usr" \
    --dpkgopt=path-exclude=/usr/share/doc/* --dpkgopt=path-include=/usr/share/doc/*/copyright \
    --dpkgopt=path-exclude=/usr/share/man/* --dpkgopt=path-exclude=/usr/share/locale/* \
    --dpkgopt=path-exclude=/usr/share/info/* \
    --customize-hook='cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"' \
    bookworm "$archive" -
  docker import -c 'CMD ["bash"]' "$archive" "$1"
  rm "$archive"
}
