# Sourced by the tests beside it: checkers out of Python packages, and results that a
# test can be skipped with. What is fetched stays in build/deploy.
# shellcheck shell=bash

work=$PWD/build/deploy
# shellcheck disable=SC2034 # for scripts/lib.sh
log_dir=$work/log
mkdir -p "$work"

# skip REASON: ends a test that cannot run here.
skip() {
  echo "skipped: $1"
  exit 77
}

# fail PROBLEM
fail() {
  echo "failed: $1" >&2
  exit 1
}

# install_checkers: puts those of requirements.txt into PATH.
install_checkers() {
  local python=$work/python wanted=deploy/test/requirements.txt
  if ! cmp -s "$wanted" "$python/requirements.txt"; then
    rm -rf "$python"
    /usr/bin/python3 -m venv "$python"
    "$python/bin/pip" install --quiet --disable-pip-version-check --no-input \
      --only-binary=:all: -r "$wanted" >"$work/pip.log" 2>&1 ||
      skip "pip cannot fetch the checkers, log in $work/pip.log"
    cp "$wanted" "$python"
  fi
  PATH=$python/bin:$PATH
}
