#!/usr/bin/env bash
# ray_batch.py on the real Ray, against two replicas.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/tools.sh

find_checkers
find_programs
rerunnable 'client' install_client
rerunnable 'Ray' python3 deploy/test/ray_test.py "$server" "$client" "$store_writer"
echo 'passed'
