# Sourced by scripts that take packages from suites of Debian that the machine does
# not have.
# shellcheck shell=bash

# read_suite SUITE FOLDER: leaves in FOLDER/apt.conf a private apt configuration for
# SUITE, so that the machine's own stays as it is. FOLDER is an absolute path.
read_suite() {
  local apt=$2
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$apt"/{lists,cache/archives}/partial
  touch "$apt/status"
  cat >"$apt/apt.conf" <<END
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
// Hooks that serve the machine's own package lists, and may need root.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
  # apt itself tells the machine's mirrors, in whatever format its sources are.
  apt-get update --print-uris |
    sed -nE "s|^'(.*)/dists/[a-z]+/main/binary-.*|deb [signed-by=$keyring] \1 $1 main|p" |
    sort -u >"$apt/sources.list"
  # This may fail for a third party's archive among them, which has no such suite
  # signed by Debian. Whether Debian's own answered, the download shows.
  apt-get -q -c "$apt/apt.conf" update || true
}
