#!/bin/sh
# Installs Longhaul as a single file, which needs no Node.js:
#
#   sh install.sh --base-url URL [--to FOLDER]
#
# URL is the folder that holds the files of `npm run binary` and their SHA256SUMS. The variable LONGHAUL_BASE_URL can
# name it too. FOLDER is ~/.local/bin if it is not given. The file is installed only if its checksum is right.
set -eu

base_url=${LONGHAUL_BASE_URL:-}
folder=${HOME:+$HOME/.local/bin}
redirects=

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

usage() {
  echo 'Usage: sh install.sh --base-url URL [--to FOLDER]'
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --base-url | --to)
      [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value. $(usage)"
      if [ "$1" = --to ]; then folder=$2; else base_url=$2; fi
      shift 2
      ;;
    *) fail "There is no argument $1. $(usage)" ;;
  esac
done

# Whoever can change the files on their way could change the checksums too. What is before an @ is not the host.
base_url=${base_url%/}
case $base_url in
  '') fail "It must know where the files are. Add --base-url URL, or set LONGHAUL_BASE_URL." ;;
  http://*@*) fail "The address must begin with https://, not: $base_url" ;;
  https://*) redirects='--proto-redir =https' ;;
  http://127.0.0.1:* | http://127.0.0.1/* | http://localhost:* | http://localhost/*) ;;
  *) fail "The address must begin with https://, not: $base_url" ;;
esac
[ -n "$folder" ] || fail 'HOME is not set. Add --to FOLDER.'
case $folder in
  /*) ;;
  *) folder=$PWD/$folder ;;
esac
case $folder in
  ?*/) folder=${folder%/} ;;
esac

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  *) fail "There is no file for $(uname -s). On Windows, use WSL. With Node.js 24: npm install -g longhaul" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) fail "There is no file for the processor $(uname -m). With Node.js 24: npm install -g longhaul" ;;
esac
# A system with glibc can have the loader of musl too: its own programs count.
uses_musl() {
  case $(ldd --version 2>&1 || :) in
    *musl*) return 0 ;;
    *GLIBC* | *glibc* | *GNU*) return 1 ;;
  esac
  ls /lib/ld-musl-* >/dev/null 2>&1
}
libc=
if [ "$system" = linux ] && uses_musl; then libc=-musl; fi
name=longhaul-$system-$machine$libc

if command -v curl >/dev/null; then
  # shellcheck disable=SC2086 # Two words, or none.
  download() { curl --fail --silent --show-error --location $redirects --output "$2" "$1"; }
elif command -v wget >/dev/null; then
  download() { wget -q -O "$2" "$1"; }
else
  fail 'It needs curl or wget. Install one of them.'
fi
if command -v sha256sum >/dev/null; then
  checksum() { sha256sum "$1"; }
elif command -v shasum >/dev/null; then
  checksum() { shasum -a 256 "$1"; }
else
  fail 'It needs sha256sum or shasum, to verify the file. Install coreutils.'
fi

[ ! -d "$folder/longhaul" ] || fail "$folder/longhaul is a folder. Add --to with another folder."
mkdir -p "$folder" || fail "The folder $folder cannot be made. Add --to FOLDER."
# In the folder itself, so that the last step replaces an earlier version at once.
work=$(mktemp -d "$folder/.longhaul-install-XXXXXX") || fail "$folder cannot be written. Add --to FOLDER."
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

download "$base_url/SHA256SUMS" "$work/SHA256SUMS" || fail "$base_url/SHA256SUMS cannot be downloaded. Is the address right?"
wanted=$(awk -v name="$name" '{ sub(/\r$/, "") } $2 == name || $2 == "*" name { print $1; exit }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "$base_url has no file for this machine: SHA256SUMS does not list $name."
echo "Downloading $name ..."
download "$base_url/$name" "$work/longhaul" || fail "$base_url/$name cannot be downloaded."
found=$(checksum "$work/longhaul" | awk '{ print $1 }')
[ "$found" = "$wanted" ] || fail "$name is damaged or was changed: its SHA-256 is $found, not $wanted. Nothing was installed."

chmod 755 "$work/longhaul"
version=$("$work/longhaul" --version) || fail "$name does not run on this machine. Nothing was installed."
mv -f "$work/longhaul" "$folder/longhaul"
echo "Installed longhaul $version in $folder."
case :$PATH: in
  *:"$folder":*) ;;
  *) echo "$folder is not on your PATH. Add it: export PATH=\"$folder:\$PATH\"" ;;
esac
first=$(command -v longhaul || :)
case $first in
  '' | "$folder/longhaul") ;;
  *) echo "The command longhaul still starts another version: $first comes first on your PATH." ;;
esac
