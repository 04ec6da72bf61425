#!/usr/bin/env bash
# Lays a gpu-worker into a folder of its own: its sources, its checkpoints, the three packages it needs.
# Usage: gpu-worker/deploy/install.sh /opt/svc-worker    (again for a new version; then restart the unit)
# KEEP_FOREIGN=1 keeps onnxruntime's files for other systems, 240 MB that this host never opens.
# ONNXRUNTIME_NODE_INSTALL=cuda12 (with KEEP_FOREIGN=1) downloads onnxruntime's CUDA library, which npm ci has just removed.
set -euo pipefail
target=${1:?usage: install.sh FOLDER}
# The sources are TypeScript, which Node runs as it is from 22.18 on; an older one ends at the first file without saying so.
if ! node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)'; then
  echo "install.sh: the worker needs Node 22.18 or newer, and \`node\` here is $(node --version || echo none)" >&2
  exit 1
fi
checkout=$(cd "$(dirname "$0")/../.." && pwd)

# The unit's user must be able to read all of this, none of which is secret. Under a umask of 077, or from a checkout
# that was made under one, the copies would be root's alone.
umask 022
mkdir -p "$target"
cp "$checkout"/gpu-worker/deploy/package.json "$checkout"/gpu-worker/deploy/package-lock.json "$target/"
# The link's target: .npmrc keeps packages from running scripts.
cp -L "$checkout/.npmrc" "$target/.npmrc"
chmod a+r "$target"/package.json "$target"/package-lock.json "$target"/.npmrc
for folder in gpu-worker shared; do
  rm -rf "${target:?}/$folder.new"
  cp -r "$checkout/$folder" "$target/$folder.new"
  chmod -R a+rX "$target/$folder.new"
  rm -rf "${target:?}/$folder"
  mv "$target/$folder.new" "$target/$folder"
done
rm -rf "$target/gpu-worker/training"
cd "$target"
npm ci
if [ -n "${ONNXRUNTIME_NODE_INSTALL:-}" ]; then
  npm rebuild onnxruntime-node --ignore-scripts=false
fi
if [ -z "${KEEP_FOREIGN:-}" ]; then
  system=$(node -p 'process.platform + "/" + process.arch')
  for folder in node_modules/onnxruntime-node/bin/napi-v6/*/*; do
    case "$folder" in */"$system") ;; *) rm -rf "$folder" ;; esac
  done
fi
du -sm "$target/node_modules" | sed 's/\s.*/ MB in node_modules/'
echo "next: EDGE_PUBLIC_KEYS='...' npm --prefix '$target' run worker -- --check"
