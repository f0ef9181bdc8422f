#!/usr/bin/env bash
# Linters on the Dockerfile, the Compose files, YAML and shell scripts.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/tools.sh

find_checkers
rerunnable 'hadolint' hadolint --config deploy/test/hadolint.yaml \
  Dockerfile deploy/test/stand-ins.Dockerfile
rerunnable 'compose-lint' compose-lint --quiet docker-compose.yml docker-compose.gpu.yml
rerunnable 'yamllint' yamllint --strict --config-file deploy/test/yamllint.yaml \
  docker-compose.yml docker-compose.gpu.yml deploy/envoy deploy/kubernetes deploy/test/*.y*ml
rerunnable 'shellcheck' shellcheck -x --source-path=deploy/test --source-path=scripts \
  deploy/test/*.sh deploy/test/run scripts/*
echo 'passed'
