# `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run build test clients golden crash fuzz lint bench overload soak cluster format check demo gallery docs deb try-deb packages clean

BIN := .build/release
# Inputs of the binaries. If none is newer, swift build, and the time it takes to plan, is skipped.
SOURCES := Package.swift $(shell find Sources -type f)
# config/edgeprint.dev.yaml locates the demo images through this variable.
export CHECKOUT := $(CURDIR)

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: packages demo/landscape.jpg $(BIN)/edgeprint ## Serves the demo images on 127.0.0.1:8080
	@echo "Try: http://127.0.0.1:8080/demo/landscape.jpg?w=800"
	@echo "     http://127.0.0.1:8080/demo/badge.png?w=400&blur=3&format=webp"
	@echo "     http://127.0.0.1:8080/demo/wheel.gif?w=120"
	@exec $(BIN)/edgeprint serve --config config/edgeprint.dev.yaml

build: packages $(BIN)/edgeprint ## Builds the server and its worker (release)

# The Swift runtime is linked statically: the binary starts twice as fast and runs without Swift installed. Symbols are bound
# at start and then write-protected (full RELRO). Paths of the build machine are mapped away, so that the same tree gives the
# same binaries in any folder.
RELEASE := -c release --static-swift-stdlib -Xlinker -z -Xlinker now \
	-Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.

$(BIN)/edgeprint: $(SOURCES)
	swift build $(RELEASE) --product edgeprint-worker
	swift build $(RELEASE) --product edgeprint
	@touch $@

test: packages ## Runs every test
	@scripts/install-packages python3 python3-markdown jq chromium nodejs
	@scripts/install-engines
	@scripts/install-validators
	swift build --build-tests
	EDGEPRINT_ENGINES=required scripts/run-tests

clients: ## Tests the clients in JavaScript and Python
	@scripts/install-packages nodejs node-typescript python3 python3-django python3-jinja2 mypy
	tsc -p clients/js
	tsc -p clients/js/tsconfig.node.json
	node --test clients/js/vectors.test.js clients/js/loaders.test.js
	cd clients/python && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m unittest discover -s tests -t .
	cd clients/python && mypy --cache-dir /dev/null

golden: packages ## Regenerates the golden images that tests compare against
	@echo "This declares the current output correct: look at every image that git shows as changed."
	swift build --build-tests
	rm -f Tests/ImageWorkerTests/Golden/*.png
	EDGEPRINT_WRITE_GOLDEN=1 swift test --disable-xctest --skip-build --no-parallel --filter GoldenTests
	@git status --short Tests/ImageWorkerTests/Golden

crash: packages $(BIN)/edgeprint ## Kills the server under load 100 times, and interrupts a sequence of writes 200 times
	swift build --build-tests
	EDGEPRINT_BINARY=$(CURDIR)/$(BIN)/edgeprint EDGEPRINT_CRASH_ROUNDS=$${ROUNDS:-100} EDGEPRINT_CUTS=$${CUTS:-200} \
	swift test --disable-xctest --skip-build --no-parallel --filter 'CrashTests|DiskEveryCallTests'

fuzz: packages ## Fuzzes every parser of bytes from outside for FUZZ_SECONDS (60) each
	scripts/fuzz

lint: packages ## Checks formatting, warnings, file lengths and cycles of folders
	@scripts/install-packages python3
	scripts/lint

bench: demo/landscape.jpg $(BIN)/edgeprint ## Measures hits against nginx, transforms against a C loop, and eviction policies
	@scripts/install-packages nginx-light openssl wrk sqlite3 gcc libc6-dev python3
	Benchmarks/hits.sh
	Benchmarks/dashboard.sh
	Benchmarks/disk.sh
	Benchmarks/nginx-front.sh
	Benchmarks/first-byte.sh
	Benchmarks/eviction.sh
	Benchmarks/transforms.sh
	Benchmarks/formats.sh
	Benchmarks/widths.sh
	Benchmarks/restoration.sh
	Benchmarks/encoders.sh
	Benchmarks/domains.sh
	Benchmarks/sandbox-cost.sh
	Benchmarks/memory.sh
	Benchmarks/quality.sh
	Benchmarks/hanging-host.py
	Benchmarks/idle-connections.py
	Benchmarks/simulate.sh
	swift run -c release CacheReplay

overload: $(BIN)/edgeprint ## Measures floods, slow images, loads above the capacity and clients that leave
	@scripts/install-packages python3
	Benchmarks/overload.py

soak: $(BIN)/edgeprint ## Runs the server for an hour (SOAK_SECONDS) in a control group of 512 MiB, and checks that it does not grow
	@scripts/install-packages python3
	Benchmarks/soak.py

cluster: $(BIN)/edgeprint ## Runs three nodes in network namespaces with a real Valkey, breaks things, and checks what a cluster promises
	@scripts/install-packages python3 iproute2 nftables
	@scripts/install-engines
	Benchmarks/cluster.py short
	Benchmarks/cluster.py

format: ## Formats the sources
	swift format -i -r Package.swift Sources Tests clients/swift

check: packages demo/landscape.jpg $(BIN)/edgeprint ## Prints the effective configuration of `make run`
	@$(BIN)/edgeprint check --config config/edgeprint.dev.yaml

demo: packages demo/landscape.jpg ## Draws the demo images

demo/landscape.jpg: scripts/draw-demo $(wildcard scripts/demo/*)
	scripts/draw-demo demo
	@touch $@

gallery: demo/landscape.jpg $(BIN)/edgeprint ## Builds a page that shows every transform: .build/gallery/index.html
	scripts/gallery

docs: gallery ## Builds the documentation as a site, with the gallery as its front page: .build/site/index.html
	@scripts/install-packages python3-markdown
	scripts/make-site --gallery .build/gallery .build/site
	scripts/make-site --llms > llms.txt

deb: build ## Builds the Debian package in .build/deb/packages
	@scripts/install-packages dpkg-dev binutils chrpath xz-utils
	scripts/make-deb

try-deb: demo/landscape.jpg $(if $(SUITE),,deb) ## Installs the package in a clean Debian (SUITE=trixie: another release) and requests images from it
	scripts/try-deb $(if $(SUITE),--required $(SUITE))

packages: ## Installs missing system packages
	@scripts/install-packages

clean: ## Deletes the build and the demo images
	rm -rf .build demo
