#!/usr/bin/env bash
# Every overlay renders, is valid for Kubernetes' own schemas, and is consistent.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
source deploy/test/tools.sh

[[ $(command -v kubectl) ]] || skip 'no kubectl'
find_checkers
rendered=$work/kubernetes
rm -rf "$rendered"
mkdir -p "$rendered"
for folder in base overlays/{gpu,monitoring,object-storage} kserve; do
  kubectl kustomize "deploy/kubernetes/$folder" >"$rendered/${folder##*/}.yaml"
done
rerunnable 'schemas' kubernetes-validate --strict "$rendered"/*.yaml
rerunnable 'consistency' python3 deploy/test/check_manifests.py "$rendered"
echo 'passed'
