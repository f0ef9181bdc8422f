#!/usr/bin/env bash
# Builds the images of server and client and runs them as an operator would: without
# rights, on a file system that cannot be written. See engine.sh for what happens
# where there is no Docker engine or no base image.
#
# JOBS=N limits the compilers that run at once.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/engine.sh

server=ladder-test-server
folder=$work/image

finish() {
  local code=$?
  docker rm --force "$server" >/dev/null 2>&1 || true
  stop_engine
  return "$code"
}
trap 'report_failed_step; finish' EXIT

# build_image TARGET
build_image() {
  docker build "${base_options[@]}" --build-arg "JOBS=${JOBS-}" --target "$1" \
    --tag "ladder-test/$1" --progress plain .
}

# build_timed TARGET
build_timed() {
  local begin=$SECONDS
  rerunnable "image $1: build" build_image "$1"
  echo "image $1: $(docker image inspect --format '{{.Size}}' "ladder-test/$1" |
    numfmt --to=si) in $((SECONDS - begin)) s"
}

# The tiny model of the tests: numbers in, and thirty rows of each of two groups.
write_input() {
  rm -rf "$folder"
  mkdir -p "$folder/store" "$folder/out"
  cp -r tests/testdata/bundles/v1/tiny "$folder/store"
  awk 'BEGIN {
    srand(7); print "place,a,b,c,d,e,f"
    for (i = 0; i < 60; i++) {
      printf "%s", i % 2 ? "lake" : "hill"
      for (j = 0; j < 6; j++) printf ",%.3f", 2 * rand() - 1
      print ""
    }
  }' >"$folder/input.csv"
  chmod -R a+rX "$folder"
  chmod a+rwx "$folder/out" # The client's user is nobody's on this machine.
}

# The server sees the loopback device alone, so that it can call nobody outside.
start_server() {
  docker run --detach --name "$server" --network none --read-only --cap-drop ALL \
    --security-opt no-new-privileges --memory 1g --pids-limit 512 \
    --volume "$folder/store:/models:ro" ladder-test/server
}

# client ARGUMENT...
client() {
  docker run --rm --network "container:$server" --read-only --cap-drop ALL \
    --security-opt no-new-privileges --volume "$folder:/work" ladder-test/client "$@"
}

# wait_for_health STATE
wait_for_health() {
  local state
  until state=$(docker inspect --format '{{.State.Health.Status}}' "$server") &&
    [[ $state == "$1" ]]; do
    [[ $(docker inspect --format '{{.State.Running}}' "$server") == true ]] || {
      docker logs "$server"
      fail 'the server has ended'
    }
    ((SECONDS < deadline)) || fail "the server is $state after 120 s, expected $1"
    sleep 0.5
  done
}

predict() {
  client predict /work/input.csv --group-by place --features a,b,c,d,e,f \
    --output /work/out/predictions.csv
  [[ $(wc -l <"$folder/out/predictions.csv") == 61 ]] || fail 'expected 60 predictions'
}

# Nothing to build with, nobody's root, labels.
inspect_image() {
  local image=ladder-test/$1 tools
  [[ $(docker image inspect --format '{{.Config.User}}' "$image") == 10001:10001 ]] ||
    fail "$image runs as root"
  [[ $(docker image inspect --format '{{index .Config.Labels "org.opencontainers.image.title"}}' \
    "$image") ]] || fail "$image has no title"
  tools=$(docker run --rm --network none --entrypoint sh "$image" -c \
    'for tool in g++ gcc cc ld make cmake ninja python3 pip curl git; do command -v $tool; done; true')
  [[ ! $tools ]] || fail "$image has build tools: $tools"
}

# A read-only file system and no rights, seen from inside.
inspect_server() {
  [[ $(docker exec "$server" id -u) == 10001 ]] || fail 'the server runs as another user'
  if docker exec "$server" sh -c ': >/usr/local/file' 2>/dev/null; then
    fail 'the root file system can be written'
  fi
  docker exec "$server" grep -q '^CapEff:\s*0000000000000000$' /proc/1/status ||
    fail 'the server has capabilities'
}

# SIGTERM ends it within its own time, by itself.
stop_server() {
  docker stop --time 40 "$server" >/dev/null
  local code
  code=$(docker inspect --format '{{.State.ExitCode}}' "$server")
  [[ $code == 0 ]] || fail "the server ended with $code after SIGTERM, expected 0"
}

start_engine
find_base
build_timed server
build_timed client
inspect_image server
inspect_image client
write_input
docker rm --force "$server" >/dev/null 2>&1 || true
start_server >/dev/null
begin=$SECONDS deadline=$((SECONDS + 120))
wait_for_health healthy
echo "healthy after $((SECONDS - begin)) s"
rerunnable 'predict' predict
inspect_server
echo "memory: $(docker stats --no-stream --format '{{.MemUsage}}' "$server")"
rerunnable 'stop' stop_server
echo 'passed'
