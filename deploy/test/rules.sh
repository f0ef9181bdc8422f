#!/usr/bin/env bash
# Prometheus takes its configuration, and alerts fire when they should.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/packages.sh

find_checkers
find_prometheus
rerunnable 'rules' python3 deploy/test/prometheus/rules_test.py
echo 'passed'
