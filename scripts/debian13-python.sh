#!/usr/bin/env bash
# Makes a virtual environment with Debian 13's Python, for programs that need a newer one than Debian 12's:
#   debian13-python.sh FOLDER REQUIREMENTS
# Its packages are unpacked into ${XDG_CACHE_HOME:-~/.cache}/deskbell/python-trixie-ARCH; its own loader and C library run
# it. What has no wheel is built with the system's compiler. Does nothing where FOLDER has these packages already.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1 requirements=$2
cmp -s "$requirements" "$folder/requirements.txt" && exit

architecture=$(dpkg --print-architecture)
root=${XDG_CACHE_HOME:-$HOME/.cache}/deskbell/python-trixie-$architecture
mkdir -p "$(dirname "$root")"
scripts/debian-root.sh trixie "$architecture" "$root" python3.13 python3.13-venv libpython3.13-stdlib libpython3.13-dev
libraries=$(dirname "$(find "$root/usr/lib" -name 'libz.so.1' | head -n 1)")
loader=$(find "$root/usr/lib" "$root/usr/lib64" -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
python=$root/usr/bin/python3.13
if [[ "$(patchelf --print-interpreter "$python")" != "$loader" ]]; then
  patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$python"
fi

echo "== Installing in $folder: $(tr '\n' ' ' <"$requirements")"
rm -rf "$folder"
# Debian's ensurepip has no pip of its own; the system's installs into any environment.
"$python" -m venv --without-pip "$folder"
headers=$root/usr/include
export C_INCLUDE_PATH=$headers:$headers/python3.13:$headers/$(basename "$libraries")
python3 -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check --prefer-binary \
  --requirement "$requirements"
cp "$requirements" "$folder/requirements.txt"
