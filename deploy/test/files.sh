#!/usr/bin/env bash
# Compose takes its files and Envoy its configuration. Neither needs an engine.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/packages.sh

check_compose() {
  "${compose[@]}" -f docker-compose.yml config -q
  "${compose[@]}" -f docker-compose.yml -f docker-compose.gpu.yml config -q
  "${compose[@]}" -f docker-compose.yml -f deploy/test/compose.yml --project-directory . config -q
}

find_compose
find_envoy
rerunnable 'Compose' check_compose
rerunnable 'Envoy' envoy --mode validate --log-level warning -c deploy/envoy/envoy.yaml
echo 'passed'
