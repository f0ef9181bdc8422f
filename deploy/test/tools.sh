# Sourced by the tests beside it: Python's packages, the programs that are tested,
# and results that a test can be skipped with. What is fetched stays in build/deploy.
# shellcheck shell=bash

work=$PWD/build/deploy
# shellcheck disable=SC2034 # for scripts/lib.sh
log_dir=build/deploy/log
mkdir -p "$work/log"
export PYTHONDONTWRITEBYTECODE=1

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

# fetch WHAT COMMAND...: the test is skipped if COMMAND fails, which fetches WHAT.
fetch() {
  local log=$log_dir/fetch-${1// /-}.log
  # Waited for, because || would switch off -e inside COMMAND.
  ("${@:2}") >"$log" 2>&1 &
  wait $! || skip "cannot fetch $1, log in $log"
}

# install_packages: those of requirements.txt. The list is copied last, so that an
# interrupted run leaves nothing that looks complete.
install_packages() {
  local python=$work/python wanted=deploy/test/requirements.txt
  cmp -s "$wanted" "$python/requirements.txt" && return
  rm -rf "$python"
  /usr/bin/python3 -m venv "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check --no-input \
    --only-binary=:all: -r "$wanted"
  cp "$wanted" "$python"
}

# find_checkers: puts what requirements.txt has into PATH.
find_checkers() {
  fetch 'Python packages' install_packages
  PATH=$work/python/bin:$PATH
}

# install_client: the Python client, beside the checkers. From a copy, because
# installing leaves files beside the sources.
install_client() {
  local tree=$work/tree
  rm -rf "$tree"
  mkdir -p "$tree"
  cp -r --parents CMakeLists.txt proto/ladder client/python "$tree"
  pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
    --force-reinstall "$tree/client/python"
}

# find_programs: leaves their paths in server, client, trainer and store_writer.
# shellcheck disable=SC2034 # for the tests
find_programs() {
  server=build/dev/bin/ladder-server
  client=build/dev/bin/ladder
  trainer=build/dev/bin/ladder-train
  store_writer=build/dev/tests/server/write_store
  local program
  for program in "$server" "$client" "$trainer" "$store_writer"; do
    [[ -x $program ]] || fail "expected $program; build it with: cmake --build --preset dev"
  done
}
