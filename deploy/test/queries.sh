#!/usr/bin/env bash
# A real Prometheus finds data for all that dashboards and alerts ask. The bundle is
# the worked example's in its smallest form, trained once.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/packages.sh

example=$work/example

# Renamed last, so that an interrupted run leaves nothing that looks complete.
train() {
  rm -rf "$example" "$example.partial"
  "$trainer" make-example --out "$example.partial/data" --sources 8 --targets 3 \
    --frames-per-source 120 --held-out-per-source 10 --frames-per-target 60
  # One thread: several wait for each other by spinning, which a busy machine cannot bear.
  OMP_NUM_THREADS=1 "$trainer" fit --config trainer/configs/example.toml --data "$example.partial/data" \
    --run "$example.partial/run" --out "$example.partial/store/garments"
  mv "$example.partial" "$example"
}

find_checkers
find_prometheus
find_programs
[[ -e $example ]] || rerunnable 'train' train
rerunnable 'queries' python3 deploy/test/grafana/queries_test.py \
  "$server" "$client" "$example/store" "$example/data"
echo 'passed'
