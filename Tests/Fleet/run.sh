#!/usr/bin/env bash
# A fleet of real servers, gateways and desks on this machine: the tests, or one of storm, power_cut, page and bench,
# with its options.
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=.build/clients
scripts/python-environment.sh "$environment" Tests/Clients/requirements.txt
export DESKBELL="${DESKBELL:-$PWD/.build/release/deskbell}" PYTHONDONTWRITEBYTECODE=1
case "${1:-}" in
  storm | power_cut | page | bench) exec "$environment/bin/python" -m "Tests.Fleet.$1" "${@:2}" ;;
  *) exec scripts/python-tests.sh Tests/Fleet -- "$@" ;;
esac
