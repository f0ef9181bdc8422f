#!/usr/bin/env bash
# The dashboards are what Grafana's own types know.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/tools.sh

find_checkers
rerunnable 'dashboards' python3 deploy/test/grafana/dashboards_test.py
echo 'passed'
