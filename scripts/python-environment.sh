#!/usr/bin/env bash
# Makes a virtual environment of Python with the packages of a requirements file, and makes it anew when that has changed:
#   python-environment.sh FOLDER REQUIREMENTS
# PYTHON=PATH is for another Python than python3.
set -euo pipefail
folder=$1 requirements=$2
cmp -s "$requirements" "$folder/requirements.txt" && exit
echo "== Installing in $folder: $(tr '\n' ' ' <"$requirements")"
rm -rf "$folder"
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$folder/requirements.txt"
