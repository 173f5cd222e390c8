# Two commands do everything on a fresh Debian 12 with a Swift toolchain: `make demo` and `make test`.

BUILD := .build/release
SWIFT_BUILD := scripts/swift-build.sh
CLIENTS_ENVIRONMENT := scripts/python-environment.sh .build/clients Tests/Clients/requirements.txt
CLIENTS_PYTHON := .build/clients/bin/python
# The Python of Tests and Benchmarks is run by modules' names, from here.
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: help packages test-packages build demo core smoke test test-clients test-torture torture test-hostile test-home fuzz check format bench clean
.PHONY: audit profile order tour check-libgpiod sounds wiring drawings panel-pictures site reference sanitize size test-hardware test-panel
.PHONY: deb test-package test-arm64 test-boards image test-image sd-card test-sd-card
.PHONY: record dist instructions test-instructions test-dist test-fleet bench-fleet test-restarts test-printed

help:
	@echo "make demo     install what is missing, build, and show the appliance on a simulated board"
	@echo "make core     the handset alone: its stories, its unit tests and a short run of its model, in seconds; FILTER=NAME for some"
	@echo "make smoke    format and unit tests of what has changed, and one push by curl, in minutes; BASE=COMMIT"
	@echo "make test     install what is missing, build, and run all tests"
	@echo "make build    build $(BUILD)/deskbell"
	@echo "make torture  kill, cut off and starve the release binary for an hour, and count what was lost; MINUTES=5 for less"
	@echo "make test-printed  the printed commands on the package, and three first evenings, in a Debian of its own; needs root"
	@echo "make test-restarts  500 pushes by eight clients through SIGTERM and kill -9; installs Node, Go and a JDK"
	@echo "make test-fleet   a fleet of 500 handsets: kill servers, gateways and desks for ten minutes, cut the power, do what docs/fleet.md says; needs root; MINUTES=2"
	@echo "make test-hostile   attack the release binary, and measure what a provider beside notices; ATTACKS=NAMES, BINARY=PATH, JSON=FILE, LONG=60"
	@echo "make test-home    a real Home Assistant, and aiontfy; fetches Python 3.13 and 600 MB"
	@echo "make test-hardware  run the release binary on a real kernel with simulated lines, twice; a report"
	@echo "make test-boards  compare board-configs with the device trees of Debian's kernels; fetches 260 MB once"
	@echo "make test-panel   the web panel in headless Chromium; pictures in .build/panel"
	@echo "make check    format, warnings, shipped files; no tests"
	@echo "make fuzz     bytes made up by libFuzzer; SECONDS=60 for each target, TARGET=NAME for one (Fuzz/README.md)"
	@echo "make sanitize the unit tests under the thread and the address sanitizer, each a build of its own; not part of CI"
	@echo "make deb      the Debian package for this system, in .build/package; ARCH=arm64 for a Raspberry Pi"
	@echo "make image    an OCI image of that package, in .build/image, without a daemon; ARCH=arm64"
	@echo "make sd-card  the image of an SD card for a Raspberry Pi 3, 4 or Zero 2 W, in .build/sd-card"
	@echo "make test-sd-card   use it on an emulated Raspberry Pi 3, and pull the plug again and again; PULLS=20"
	@echo "make test-image     start it by crun, and run docs/images.md's recipes with a Docker of its own; needs root"
	@echo "make test-package   install, use, kill, reboot, upgrade and purge it in a Debian of its own; needs root; OLD=DEB upgrades from that one"
	@echo "make test-arm64     build the package for arm64, and use it on an emulated Raspberry Pi 3"
	@echo "make dist     a release in .build/dist: packages, apt repository, checksums, notes; KEY=KEY URL=URL; DIRTY=1; SD_CARD=1"
	@echo "make test-dist    make it again elsewhere, and install it from its apt repository in a Debian 12 and 13; needs root"
	@echo "make audit    compare what the program consists of with the known vulnerabilities; SBOM=FILE audits a package's; JSON=1"
	@echo "make bench    measure, beside a Go server that does the same and nghttpd; PART='contest lists' for some;"
	@echo "              BEFORE=PROGRAM: the contest and full lists also of an earlier program, in its own tree; half an hour"
	@echo "make instructions   count the instructions of a push, as make test does; WRITE=1 records them"
	@echo "make bench-fleet  what a fleet costs: pushes a second through gateways beside one daemon, and a registry of 100,000 tokens"
	@echo "make profile  where the processor's time of a push goes"
	@echo "make order    write packaging/function-order.txt, in which the program's functions lie, from a run; needs valgrind"
	@echo "make tour     record the pictures of docs/tour: the demo in a terminal, and the panel"
	@echo "make wiring   draw docs/wiring from board-configs, and docs/displays.svg from the chips' models"
	@echo "make drawings   draw docs/how-it-works.svg from the rooms and modules in ARCHITECTURE.md"
	@echo "make panel-pictures   take the pictures of the panel in docs"
	@echo "make site     the documentation as a web site, in .build/site/html"
	@echo "make reference   write docs/reference from what the program says of itself"
	@echo "make record   record what this version leaves on disk and what it promises, before its release"
	@echo "make clean    remove what was built"

packages:
	@scripts/install-packages.sh build

test-packages:
	@scripts/install-packages.sh build test

build: packages
	@echo "== Building deskbell (the first time takes 5 to 20 minutes on two cores)"
	@$(SWIFT_BUILD) --product deskbell

# The first build takes 5 to 20 minutes on two cores.
demo:
	@scripts/timed.sh 1 3 'Debian packages' scripts/install-packages.sh build demo
	@scripts/timed.sh 2 3 'building deskbell (5 to 20 minutes the first time)' $(SWIFT_BUILD) --product deskbell
	@scripts/timed.sh 3 3 'the demo' $(BUILD)/deskbell demo $(if $(MUTE),--mute)

# The core is a package of its own, built in debug: 15 s after a changed rule, 75 s from nothing. `make test` also has the
# long runs of the model and of random inputs, and the limits that take 10,000 inputs to reach.
CORE_LONG := theRunsReachEverything|centerTotal|goneTokens|goneNodes|PolicyLimitTests/apps|RecentPushTests/(limit|shares)\(
CORE := --package-path Sources/Core --scratch-path .build/core
core:
	@swift build $(CORE) --build-tests
	@DESKBELL_MODEL_OPERATIONS=2000 HANDSET_COMMANDS=60 swift test $(CORE) --skip-build --skip '$(CORE_LONG)' \
	  $(if $(FILTER),--filter '$(FILTER)')

smoke: test-packages
	@scripts/smoke.sh

test: test-packages
	@echo "== Building deskbell and its tests (the first time takes 5 to 20 minutes on two cores)"
	@$(SWIFT_BUILD) --build-tests
	@echo "== Unit tests and stories"
	@scripts/unit-tests.sh
	@echo "== The store with the SQLite of Debian 13"
	@scripts/debian13-sqlite.sh tests
	@echo "== Real clients, and a fleet of three servers, gateways and desks"
	@scripts/python-tests.sh Tests/Clients Tests/Fleet
	@$(MAKE) --no-print-directory test-torture
	@$(MAKE) --no-print-directory test-instructions
	@$(MAKE) --no-print-directory size

# Counted, not timed: the same on a busy machine.
test-instructions:
	@$(CLIENTS_ENVIRONMENT)
	@echo "== Instructions of a push"
	@$(CLIENTS_PYTHON) -m Benchmarks.instructions $(if $(WRITE),--write)

# WRITE=1 records the counts.
instructions: build test-packages
	@$(SWIFT_BUILD) --product push-cost
	@$(MAKE) --no-print-directory test-instructions

# The order of the program's functions, which its next linking has.
order: build
	@$(CLIENTS_ENVIRONMENT)
	@$(CLIENTS_PYTHON) -m Benchmarks.order

# The pictures of docs/tour, from the real program. Tests say when they are no longer what it shows.
tour: build
	@scripts/install-packages.sh demo panel
	@scripts/tour/run.sh

# Clients that we did not write, against the daemon as it is shipped.
test-clients:
	@echo "== Real clients against the real daemon"
	@Tests/Clients/run.sh

# Restarts in the middle of 500 pushes, with what no other test needs: Node, Go, a JDK. Prints figures.
test-restarts: build test-packages
	@scripts/install-packages.sh test-restarts
	@$(CLIENTS_ENVIRONMENT)
	@EVERY_CLIENT=1 DESKBELL="$(CURDIR)/$(BUILD)/deskbell" $(CLIENTS_PYTHON) -m unittest Tests.Clients.test_restarts

# Each story of Tests/Torture for some seconds.
test-torture: MINUTES := 2
test-torture:
	@$(CLIENTS_ENVIRONMENT)
	@echo "== Torture: kills, power cuts, disk faults"
	@python3 -m unittest --quiet Tests.Torture.test_disk
	@$(CLIENTS_PYTHON) -m Tests.Torture.run --minutes "$(MINUTES)"

torture: MINUTES := 60
torture: build test-packages
	@$(MAKE) --no-print-directory test-torture MINUTES="$(MINUTES)"

# Ten minutes of kills over 500 handsets, power cuts, and docs/fleet.md on machines of its own, both of which need root
# (Tests/Fleet). MINUTES=2 for less.
test-fleet: MINUTES := 10
test-fleet: deb test-packages
	@scripts/install-packages.sh test-fleet
	@Tests/Fleet/run.sh
	@echo "== docs/fleet.md, from apt install to the first ring, on six machines"
	@Tests/Fleet/run.sh page "$(PACKAGE)"
	@echo "== Power cuts: what the servers did not synchronise is gone"
	@Tests/Fleet/run.sh power_cut
	@echo "== A storm of $(MINUTES) minutes"
	@Tests/Fleet/run.sh storm --minutes "$(MINUTES)"

bench-fleet: build test-packages
	@scripts/install-packages.sh bench
	@Tests/Fleet/run.sh bench

# Not part of CI: what it installs takes 600 MB. TESTS='-k name' for some.
test-home: build test-packages
	@scripts/install-packages.sh test-home
	@echo "== A real Home Assistant"
	@Tests/Home/run.sh $(TESTS)

# The web panel, in a browser that we did not write either. TESTS='-k name' for some.
test-panel: build
	@scripts/install-packages.sh panel
	@echo "== The web panel in Chromium"
	@Tests/Panel/run.sh $(TESTS)

fuzz: SECONDS := 60
fuzz: test-packages
	@scripts/fuzz.sh "$(SECONDS)" "$(TARGET)"

# Every attack of Tests/Clients/hostile, timed, and 5,000 idle connections: eight minutes. ATTACKS='PING rapid' for some,
# BINARY=PATH attacks another daemon, JSON=FILE has all figures, LONG=60 also measures, for so many seconds each, what a
# stranger's request writes.
test-hostile: build test-packages
	@$(CLIENTS_ENVIRONMENT)
	@$(CLIENTS_PYTHON) -m Tests.Clients.hostile $(ATTACKS) \
	  $(if $(BINARY),--binary "$(BINARY)") $(if $(JSON),--json "$(JSON)") $(if $(LONG),--long "$(LONG)")
	@$(CLIENTS_PYTHON) -m Tests.Clients.idle_connections

# The virtual board: two runs of an emulator in its own time (Tests/Hardware/README.md).
test-hardware: build
	@scripts/install-packages.sh hardware
	@python3 -m unittest --quiet Tests.Hardware.test_decoders
	@python3 -m Tests.Hardware.run

size:
	@scripts/check-binary.sh $(BUILD)/deskbell

check: test-packages
	@echo "== Format"
	@swift format lint --strict --recursive Package.swift Sources Tests Benchmarks kits examples
	@scripts/check-tree.py
	@echo "== Shipped sounds are what their generator makes"
	@python3 Sounds/generate.py --check
	@echo "== Warnings are errors"
	@$(SWIFT_BUILD) --build-tests
	@echo "== Wiring is what the board files say, and each module has its place in the drawing"
	@python3 -B docs/wiring/generate.py --check
	@python3 -B docs/architecture/generate.py --check
	@echo "== Links in the documentation"
	@scripts/check-links.py
	@scripts/install-packages.sh dist
	@echo "== The unit, the list of what the program consists of, and the apt repository"
	@python3 -m unittest discover --start-directory Tests/Package --top-level-directory .
	@echo "== The services' exposure is 2.0 of 10 at most"
	@systemd-analyze security --offline=yes --threshold=20 --no-pager systemd/deskbell.service systemd/deskbell-gateway.service >/dev/null
	@$(MAKE) --no-print-directory check-libgpiod

# GPIO through both of libgpiod's incompatible interfaces, 1.6 of this system and 2.x of Debian 13.
check-libgpiod:
	@echo "== libgpiod 1.6 and 2.x"
	@scripts/check-libgpiod2.sh

format:
	@swift format --in-place --recursive Package.swift Sources Tests Benchmarks kits examples

sounds:
	@python3 Sounds/generate.py

wiring: build test-packages
	@python3 -B docs/wiring/generate.py
	@$(CLIENTS_ENVIRONMENT)
	@$(CLIENTS_PYTHON) -m Tests.Clients.model_pictures

drawings:
	@python3 -B docs/architecture/generate.py

panel-pictures: build
	@scripts/install-packages.sh panel
	@scripts/python-environment.sh .build/panel-tests Tests/Panel/requirements.txt
	@DESKBELL="$(CURDIR)/$(BUILD)/deskbell" .build/panel-tests/bin/python -m Tests.Panel.pictures docs

# From the same pages; mkdocs ends with an error where one of their links leads nowhere.
site:
	@scripts/install-packages.sh site
	@scripts/site/build.py

# What a release leaves on disk and what it promises. Again for a version that is not released yet.
record: build test-packages
	@$(CLIENTS_ENVIRONMENT)
	@DESKBELL="$(CURDIR)/$(BUILD)/deskbell" $(CLIENTS_PYTHON) -m Tests.Released

reference: build
	@docs/reference/generate.py

# Not part of CI: it builds everything twice more.
sanitize: test-packages
	@Tests/Sanitizers/run.sh

bench: build
	@$(SWIFT_BUILD) --product push-cost
	@Benchmarks/run.sh $(PART)

profile: build
	@scripts/install-packages.sh test bench profile
	@$(CLIENTS_ENVIRONMENT)
	@$(CLIENTS_PYTHON) -m Benchmarks.profile

# For arm64 it is built on amd64 with a compiler of its own, which is not part of CI.
ARCH ?= $(shell dpkg --print-architecture)
PACKAGE = $$(ls -t .build/package/deskbell_*_$(ARCH).deb | head -n 1)
ifeq ($(ARCH),$(shell dpkg --print-architecture))
deb: build
	@scripts/install-packages.sh package
	@packaging/deb.sh --binary $(BUILD)/deskbell
else
deb: build
	@scripts/install-packages.sh package package-$(ARCH)
	@packaging/build.sh trixie $(ARCH)
	@packaging/deb.sh --arch $(ARCH) --binary .build/trixie-$(ARCH)/deskbell --sysroot .build/trixie-$(ARCH)/sysroot \
	  --help-from $(BUILD)/deskbell
endif

image: deb
	@packaging/image.sh "$(PACKAGE)"

# Made again, started by crun without a daemon, and used as docs/images.md says. Not part of CI.
IMAGE = $$(ls -t .build/image/deskbell-*-$(ARCH).oci.tar | head -n 1)
test-image: image
	@scripts/install-packages.sh test-image
	@scripts/python-environment.sh .build/containers Tests/Package/containers.txt
	@Tests/Package/reproduce.sh .build/image packaging/image.sh "$(PACKAGE)"
	@.build/containers/bin/python -m Tests.Package.containers "$(IMAGE)"

# 0: nothing to do. 1: something to update. 3: not all could be checked (scripts/audit.py).
SBOM := .build/audit/deskbell.cdx.json
audit:
ifeq ($(SBOM),.build/audit/deskbell.cdx.json)
	@$(MAKE) --no-print-directory build
	@mkdir -p .build/audit
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) packaging/sbom.py --binary $(BUILD)/deskbell --version built-here \
	  --architecture $$(dpkg --print-architecture) >$(SBOM)
endif
	@scripts/audit.py $(SBOM) $(if $(JSON),--json)

# The guest is made in two minutes and kept; the steps take four, and three times as long on a busy machine.
# The package as three kinds of users meet it, and every command of README and docs on it; needs root and a mirror.
test-printed: deb
	@scripts/install-packages.sh test-fleet
	@python3 -m Tests.Package.printed "$(PACKAGE)"

test-package: deb
	@scripts/install-packages.sh test-package
	@lintian --fail-on error,warning --allow-root "$(PACKAGE)"
	@Tests/Package/reproduce.sh .build/package packaging/deb.sh --binary $(BUILD)/deskbell
	@python3 -m Tests.Package.run "$(PACKAGE)" $(if $(OLD),--old "$(OLD)")

# The arm64 package: its program in an emulator of that processor, with clients that we did not write, and all of it on
# an emulated Raspberry Pi 3. Not part of CI.
test-arm64: ARCH := arm64
test-arm64:
	@$(MAKE) --no-print-directory deb ARCH=arm64
	@scripts/install-packages.sh test test-arm64
	@python3 -m Tests.RaspberryPi.run "$(PACKAGE)"

# Debian 13 and the arm64 package on a card. Not part of CI.
sd-card: ARCH := arm64
sd-card:
	@$(MAKE) --no-print-directory deb ARCH=arm64
	@scripts/install-packages.sh sd-card
	@packaging/sd-card.sh "$(PACKAGE)"

PULLS := 20
test-sd-card: sd-card
	@scripts/install-packages.sh test-arm64 test-sd-card
	@python3 -m Tests.RaspberryPi.sd_card --pulls $(PULLS) "$$(ls -t .build/sd-card/*.img.xz | head -n 1)"

# The board files against Debian's device trees for arm64 and armhf. Debian's own Python has its libfdt.
test-boards: build
	@scripts/install-packages.sh test-boards
	@/usr/bin/python3 -m unittest Tests.Boards.test_device_trees

# A release. KEY signs it, else a throwaway key does; URL is where the apt repository will be.
dist:
	@scripts/install-packages.sh build package package-arm64 dist $(if $(SD_CARD),sd-card)
	@SD_CARD=$(SD_CARD) packaging/dist.sh $(if $(KEY),--key "$(KEY)") $(if $(URL),--url "$(URL)") $(if $(DIRTY),--dirty)

# What `make dist` made: the same again, and installed. Not part of CI.
test-dist:
	@scripts/install-packages.sh package dist test-dist
	@Tests/Package/dist.sh

clean:
	@rm -rf .build
