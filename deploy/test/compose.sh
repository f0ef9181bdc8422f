#!/usr/bin/env bash
# The Compose files run, with a private engine and the images of image.sh: both
# replicas are called, and no group is lost when one of them is killed.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/engine.sh

export LADDER_STORE=$PWD/build/demo/store
started=

finish() {
  local code=$?
  [[ ! $started ]] || "${project[@]}" down --volumes --timeout 5 >"$work/log/down.log" 2>&1 || true
  stop_engine
  return "$code"
}
trap 'report_failed_step; finish' EXIT

build_stand_ins() {
  local target
  for target in envoy prometheus; do
    docker build "${base_options[@]}" --file deploy/test/stand-ins.Dockerfile --target "$target" \
      --tag "ladder-test/$target" "$work/envoy"
  done
}

# query EXPRESSION: Prometheus' answer, one "INSTANCE VALUE" a line.
query() {
  curl -sf --get --data-urlencode "query=$1" http://172.31.77.20:9090/api/v1/query |
    python3 -c '
import json, sys
for result in json.load(sys.stdin)["data"]["result"]:
    print(result["metric"].get("instance", ""), result["value"][1])'
}

# wait_until SECONDS WHAT COMMAND...
wait_until() {
  local end=$((SECONDS + $1)) what=$2
  until "${@:3}"; do
    ((SECONDS < end)) || fail "not within $1 s: $what"
    sleep 1
  done
}

both_replicas_are_called() {
  (($(query 'ladder_groups_total > 0' | cut -d' ' -f1 | sort -u | wc -l) == 2))
}

# predict: one run of the demo's client, which must lose nothing.
predict() {
  "${project[@]}" exec -T demo ladder predict /data/example/metadata.csv \
    --image-root /data/example/train --where split=test --group-by location_remapped \
    --model garments --output /tmp/test.csv --overwrite
  local rows
  rows=$("${project[@]}" exec -T demo sh -c 'wc -l </tmp/test.csv')
  ((rows == 1201)) || fail "$rows rows, expected 1201"
}

kill_replica() {
  kill -KILL "$(docker inspect --format '{{.State.Pid}}' "$(container ladder-1)")"
}

container() {
  "${project[@]}" ps --all --quiet "$1"
}

replica_is_back() {
  [[ $(docker inspect --format '{{.RestartCount}} {{.State.Health.Status}}' \
    "$(container ladder-1)") == '1 healthy' ]]
}

predict_while_killed() {
  local run
  for run in 1 2 3 4 5 6; do
    ((run != 2)) || kill_replica
    predict
  done
}

start_engine
[[ $engine_pid || ${DOCKER_HOST-} == *"$work"* ]] || skip 'it is for a private engine only'
docker image inspect ladder-test/server ladder-test/client >/dev/null 2>&1 ||
  skip 'it needs the images of deploy/test/image.sh'
[[ -e build/demo/store/garments/1 ]] || skip 'it needs what scripts/demo trains'
find_compose
find_envoy
project=("${compose[@]}" -f docker-compose.yml -f deploy/test/compose.yml --project-directory .)
find_base
rerunnable 'stand-ins: build' build_stand_ins
started=1
rerunnable 'up' "${project[@]}" up --detach --no-build --wait --wait-timeout 180
wait_until 60 'both replicas are called' both_replicas_are_called
rerunnable 'predict while a replica is killed' predict_while_killed
wait_until 90 'the replica is back' replica_is_back
"${project[@]}" ps --format 'table {{.Service}}\t{{.Status}}'
query 'sum by (instance) (ladder_groups_total)'
echo 'passed'
