#!/usr/bin/env bash
# Three replicas behind Envoy lose nothing when one is killed and another drained.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/packages.sh

find_checkers
find_envoy
find_programs
rerunnable 'client' install_client
rerunnable 'replicas' python3 deploy/test/replicas_test.py "$server" "$client"
echo 'passed'
