# Sourced by the tests beside it: a Docker engine and base images, made on the spot
# where there are none. All that is fetched and built stays in build/deploy.
# shellcheck shell=bash

source deploy/test/tools.sh
engine_pid=
export DOCKER_BUILDKIT=1

# fetch_packages SUITE FOLDER PACKAGE...: unpacks Debian packages into FOLDER. SUITE
# is "" for the machine's own.
fetch_packages() {
  local folder=$2 options=()
  [[ -e $folder/complete ]] && return
  if [[ $1 ]]; then
    read_suite "$1"
    options=(-c "$work/apt/$1/apt.conf")
  fi
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder/packages"
  (cd "$folder/packages" && apt-get -q "${options[@]}" download "$@")
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
  touch "$folder/complete"
}

# read_suite SUITE: a private apt configuration with Debian's own keyring, at the
# machine's mirrors.
read_suite() {
  local apt=$work/apt/$1
  mkdir -p "$apt"/{lists,cache/archives}/partial
  touch "$apt/status"
  cat >"$apt/apt.conf" <<CONFIG
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONFIG
  debian_sources | sed -nE "s| bookworm main$| $1 main|p" | sort -u >"$apt/sources.list"
  apt-get -q -c "$apt/apt.conf" update
}

# debian_sources: the machine's own sources of Debian 12, one a line.
debian_sources() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -nE "s|^([^ ]+) (bookworm[a-z-]*) main$|deb [signed-by=$keyring] \1 \2 main|p" | sort -u
}

# start_engine: the machine's engine, or else a private one without a network of
# its own, which stop_engine ends.
start_engine() {
  if docker info >/dev/null 2>&1; then return; fi
  ((EUID == 0)) || skip 'no Docker engine answers, and only root can start one'
  local engine=$work/engine
  step 'Docker engine: fetch' 'check the network and apt'"'"'s sources' \
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
    step 'base image: make' 'check the network and apt'"'"'s sources' make_base "$name"
  fi
  base_options+=(--build-arg "BASE_IMAGE=$name")
}

# make_base NAME
make_base() {
  local archive=$work/base.tar
  # Without what slim images leave out as well.
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
