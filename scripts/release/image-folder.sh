#!/bin/sh
# Makes the folder that ops/container/Dockerfile is built from: image-folder.sh RELEASE FOLDER
set -eu
install -D "$1/tokend-linux-x64" "$2/amd64/tokend"
install -D "$1/tokend-linux-arm64" "$2/arm64/tokend"
install -d -m 700 "$2/data"
