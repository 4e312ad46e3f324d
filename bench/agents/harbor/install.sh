#!/bin/sh
# Unpacks the tarball of Longhaul into /opt/longhaul and checks that it runs. Needs no network.
# Usage: install.sh TARBALL
set -eu
tarball=${1:?Usage: install.sh TARBALL}
mkdir -p /opt
rm -rf /opt/longhaul
tar -xzf "$tarball" -C /opt
if ! /opt/longhaul/bin/longhaul --version; then
  echo "The Node.js of the tarball does not run here: it needs $(uname -m) Linux with glibc 2.28 or newer (ldd --version)." >&2
  exit 1
fi
ln -sf /opt/longhaul/bin/longhaul /opt/longhaul/bin/longhaul-agent /usr/local/bin/ 2>/dev/null || true
