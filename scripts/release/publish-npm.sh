#!/bin/sh
# Publishes the packages of a release on npm: publish-npm.sh FOLDER VERSION [npm's flags]. Run again after a failure, it
# skips what npm already has, and fails if that is not what the folder has.
set -eu

# npm would take the path `release/file.tgz` for a repository on GitHub.
folder=$(cd "$1" && pwd)
version=$2
shift 2

for name in @tokenctl/sdk tokenctl; do
  file=$folder/$(echo "$name" | tr -d @ | tr / -)-$version.tgz
  here=sha512-$(openssl dgst -sha512 -binary "$file" | base64 -w0)
  # Nothing, if npm does not know the package or the version; a registry that does not answer also refuses the publish.
  there=$(npm view "$name@$version" dist.integrity 2>/dev/null) || true
  if [ "$there" = "$here" ]; then
    echo "npm has $name@$version already"
  elif [ -n "$there" ]; then
    echo "npm has another $name@$version, of $there: raise the version" >&2
    exit 1
  else
    npm publish "$file" "$@"
  fi
done
