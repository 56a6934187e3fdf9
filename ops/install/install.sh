#!/bin/sh
# Installs a binary of a release without root: picks the platform, verifies the checksum and, if `gh` 2.49 or later is
# signed in, the attestation. Usage: sh install.sh [tokenctl|tokend|launch-signer] [version]
#   PREFIX   where `bin/` is (default: ~/.local)
#   RELEASES where releases are (default: those of the repository)
set -eu

program=${1:-tokenctl}
version=${2:-latest}
repository=@REPOSITORY@
releases=${RELEASES:-https://github.com/$repository/releases}
bin=${PREFIX:-$HOME/.local}/bin

fail() { echo "install.sh: $1" >&2; exit 1; }

case $program in
  tokenctl | tokend | launch-signer) ;;
  *) fail "there is no program $program: name tokenctl, tokend or launch-signer" ;;
esac
case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) fail "there is no binary for $(uname -s)" ;; esac
case $(uname -m) in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "there is no binary for $(uname -m)" ;;
esac
if [ "$os" = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
  fail "the binary needs glibc, which this system (Alpine?) does not have"
fi
if [ "$version" = latest ]; then from=$releases/latest/download; else from=$releases/download/v$version; fi

# On the disk of the program, so that a rename replaces it: a crash or a full disk leaves the old one.
folder=$(mkdir -p "$bin" && mktemp -d "$bin/.install-XXXXXX")
trap 'rm -rf "$folder"' EXIT; trap 'exit 130' HUP INT TERM
file=$program-$os-$cpu
for name in "$file" SHA256SUMS; do
  curl --fail --silent --show-error --location --output "$folder/$name" "$from/$name" ||
    fail "$from/$name cannot be downloaded"
done

expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$folder/SHA256SUMS")
if command -v sha256sum >/dev/null; then actual=$(sha256sum "$folder/$file"); else actual=$(shasum -a 256 "$folder/$file"); fi
[ -n "$expected" ] && [ "$expected" = "${actual%% *}" ] || fail "the checksum of $file is wrong: nothing is installed"
if gh attestation --help >/dev/null 2>&1 && gh auth status >/dev/null 2>&1; then
  gh attestation verify "$folder/$file" --repo "$repository" >/dev/null ||
    fail "$file is not attested by $repository: nothing is installed"
  echo "$file is attested by $repository"
fi

chmod 755 "$folder/$file"
mv "$folder/$file" "$bin/$program"
echo "installed $bin/$program: $("$bin/$program" licenses | sed -n 1p)"
case :$PATH: in *":$bin:"*) ;; *) echo "Add $bin to PATH to run it as $program." ;; esac
