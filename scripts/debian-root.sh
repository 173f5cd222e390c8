#!/usr/bin/env bash
# Unpacks packages of any Debian release and architecture, with all that they depend on, into a folder: to build
# against, or to chroot into. Nothing is installed and no script of theirs is run, so that it needs no root. apt checks
# them against Debian's signatures, with a configuration, lists and cache of its own; the system's apt is only asked
# which mirror and proxy it uses. dpkg's tools can ask the folder with --admindir=FOLDER/var/lib/dpkg.
#
#   scripts/debian-root.sh trixie arm64 FOLDER PACKAGE…
#
# Does nothing where FOLDER holds just that already; takes the place of what else is there. Only some of a package's
# files, without what it depends on: PACKAGE=/usr/share/doc/*,/etc/*. With + before it, those of the first package that
# it depends on, as of the kernel that is linux-image-arm64 now: +linux-image-arm64=… SECURITY=yes also takes Debian's
# security updates.
set -euo pipefail

suite=$1 architecture=$2 folder=$(realpath --canonicalize-missing "$3")
shift 3
fail() {
  echo "debian-root.sh: $*" >&2
  exit 1
}

wanted="$suite $architecture $*${SECURITY:+ with security updates}"
if [ "$(cat "$folder/.debian-root" 2>/dev/null)" = "$wanted" ]; then exit 0; fi
for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || fail "$tool is missing: this runs on Debian"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || fail "$keyring is missing: apt-get install debian-archive-keyring"

# The first Debian archive that this system's apt reads packages from; from the files, where it never ran.
mirror=$({
  apt-get indextargets --format '$(SITE) $(ORIGIN) $(CODENAME)' 'Identifier: Packages' 2>/dev/null |
    awk '$2 == "Debian" && $1 !~ /security/ { print $1 }'
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n -e 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\(http[^ ]*\).*/\2/p' -e 's/^URIs: *\(http[^ ]*\).*/\1/p' |
    grep '/debian/*$' || true
} | awk 'NR == 1')
mirror=${DEBIAN_MIRROR:-$mirror}
[ -n "$mirror" ] || fail "no Debian mirror in /etc/apt: set DEBIAN_MIRROR, and run this again"

new=$folder.new
apt=$folder.apt
rm -rf "$folder" "$new" "$apt"
mkdir -p "$apt"/etc/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d} "$apt"/state/lists/partial \
  "$apt"/cache/archives/partial "$new"
trap 'rm -rf "$apt"' EXIT
: >"$apt/state/status"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/etc/sources.list"
[ -z "${SECURITY:-}" ] ||
  echo "deb [signed-by=$keyring] ${mirror%/debian*}/debian-security $suite-security main" >>"$apt/etc/sources.list"
{
  printf 'Dir "%s/";\nDir::Etc "%s/etc/";\nDir::State "%s/state/";\n' "$apt"{,,}
  printf 'Dir::State::status "%s/state/status";\nDir::Cache "%s/cache/";\n' "$apt"{,}
  printf 'APT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' "$architecture"{,}
  printf 'APT::Sandbox::User "";\nAPT::Install-Recommends "false";\nAcquire::Languages "none";\nAcquire::Retries "2";\n'
  # A mirror that stands still, as a snapshot does, is as good to build from; the signatures are checked all the same.
  printf 'Acquire::Check-Valid-Until "false";\n'
  apt-config dump 2>/dev/null | grep -i '^Acquire::[a-z]*::Proxy' || true
} >"$apt/apt.conf"
export APT_CONFIG=$apt/apt.conf
log=$folder.log

echo "== Fetching packages of Debian $suite for $architecture from $mirror" >&2
reason() { grep -m 1 -E '^[EW]:' "$log" || echo "see $log"; }
# apt-get update only warns where nothing could be reached.
apt-get --quiet update >"$log" 2>&1 && [ -n "$(apt-cache pkgnames | head -n 1)" ] ||
  fail "no package lists of $suite from $mirror (no network?): $(reason)"
whole=() some=() files=()
for wish in "$@"; do
  package=${wish%%=*}
  case $package in +*)
    package=$(apt-cache depends "${package#+}" | awk '$1 == "Depends:" { print $2; exit }')
    [ -n "$package" ] || fail "$suite has no ${wish%%=*} that depends on another package" ;;
  esac
  case $wish in *=*) some+=("$package") files+=("${wish#*=}") ;; *) whole+=("$package") ;; esac
done
[ ${#whole[@]} -eq 0 ] || apt-get --quiet --yes --download-only install "${whole[@]}" >>"$log" 2>&1 ||
  fail "the packages cannot be had from $mirror: $(reason)"
mkdir "$apt/some"
[ ${#some[@]} -eq 0 ] || (cd "$apt/some" && apt-get --quiet download "${some[@]}") >>"$log" 2>&1 ||
  fail "the packages cannot be had from $mirror: $(reason)"

# Unpacks one, and notes what dpkg would have noted, as far as its tools ask for it.
database=$new/var/lib/dpkg
mkdir -p "$database"/{info,updates}
echo 1 >"$database/info/format"
unpack() {
  local control=$apt/control name
  rm -rf "$control"
  dpkg-deb --control "$1" "$control"
  name=$(dpkg-deb --field "$1" Package)
  if [ "$(dpkg-deb --field "$1" Multi-Arch)" = same ]; then name=$name:$architecture; fi
  # The links from /lib to /usr/lib are in base-files, and packages go through them.
  dpkg-deb --fsys-tarfile "$1" | tar --extract --keep-directory-symlink --verbose --directory "$new" |
    sed -e 's|^\.||' -e 's|/$||' -e 's|^$|/.|' >"$database/info/$name.list" || fail "$1 cannot be unpacked"
  { echo "Status: install ok unpacked"; cat "$control/control"; echo; } >>"$database/status"
  for file in shlibs symbols; do
    [ ! -e "$control/$file" ] || cp "$control/$file" "$database/info/$name.$file"
  done
}
for package in "$apt"/cache/archives/base-files_*.deb "$apt"/cache/archives/*.deb; do
  [ ! -e "$package" ] || unpack "$package"
  rm -f "$package"
done
for index in "${!some[@]}"; do
  dpkg-deb --fsys-tarfile "$apt/some/${some[index]}"_*.deb |
    tar --extract --directory "$new" --wildcards $(set -f && IFS=, && printf '.%s\n' ${files[index]}) ||
    fail "${some[index]} has no ${files[index]}"
done

echo "$wanted" >"$new/.debian-root"
mv "$new" "$folder"
rm -f "$log"
