# Everything is made with `make TARGET`; `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run build test golden crash lint bench format check demo gallery deb try-deb packages clean

BIN := .build/release
# What the binaries are made of: nothing newer means nothing to build, and no waiting for a build plan.
SOURCES := Package.swift $(shell find Sources -type f)
# config/edgeprint.dev.yaml finds the pictures by this.
export CHECKOUT := $(CURDIR)

help: ## Lists what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: packages demo/landscape.jpg $(BIN)/edgeprint ## Serves the demo's pictures on 127.0.0.1:8080
	@echo "Try: http://127.0.0.1:8080/demo/landscape.jpg?w=800"
	@echo "     http://127.0.0.1:8080/demo/badge.png?w=400&blur=3&format=webp"
	@echo "     http://127.0.0.1:8080/demo/wheel.gif?w=120"
	@exec $(BIN)/edgeprint serve --config config/edgeprint.dev.yaml

build: packages $(BIN)/edgeprint ## Builds the daemon and its worker (release)

# With Swift's runtime inside: it starts twice as fast, and runs where no Swift is. Addresses of functions are bound at the
# start and then write-protected.
# No path of the machine that builds is in it: the same tree gives the same binaries wherever it lies.
RELEASE := -c release --static-swift-stdlib -Xlinker -z -Xlinker now \
	-Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.

$(BIN)/edgeprint: $(SOURCES)
	swift build $(RELEASE) --product edgeprint-worker
	swift build $(RELEASE) --product edgeprint
	@touch $@

test: packages ## Runs every test
	swift build --build-tests
	swift test --disable-xctest --skip-build --no-parallel

golden: packages ## Writes the pictures that results are held against anew
	@echo "What a step makes from now on is right by definition: look at each picture that git then shows as changed."
	swift build --build-tests
	rm -f Tests/ImageWorkerTests/Golden/*.png
	EDGEPRINT_WRITE_GOLDEN=1 swift test --disable-xctest --skip-build --no-parallel --filter GoldenTests
	@git status --short Tests/ImageWorkerTests/Golden

crash: packages $(BIN)/edgeprint ## Kills the daemon under load 100 times, and cuts a sequence of writes 200 times
	swift build --build-tests
	EDGEPRINT_BINARY=$(CURDIR)/$(BIN)/edgeprint EDGEPRINT_CRASH_ROUNDS=$${ROUNDS:-100} EDGEPRINT_CUTS=$${CUTS:-200} \
	swift test --disable-xctest --skip-build --no-parallel --filter 'CrashTests|DiskEveryCallTests'

lint: packages ## Checks formatting, warnings and the length of files
	scripts/lint

bench: demo/landscape.jpg $(BIN)/edgeprint ## Measures hits against nginx, transforms against a C loop, eviction policies
	@scripts/install-packages nginx-light wrk sqlite3 gcc libc6-dev
	Benchmarks/hits.sh
	Benchmarks/disk.sh
	Benchmarks/eviction.sh
	Benchmarks/transforms.sh
	Benchmarks/formats.sh
	Benchmarks/widths.sh
	Benchmarks/encoders.sh
	Benchmarks/quality.sh
	swift run -c release CacheReplay

format: ## Formats the sources
	swift format -i -r Package.swift Sources Tests

check: packages demo/landscape.jpg $(BIN)/edgeprint ## Prints the configuration that `make run` serves
	@$(BIN)/edgeprint check --config config/edgeprint.dev.yaml

demo: packages demo/landscape.jpg ## Draws the demo's pictures

demo/landscape.jpg: scripts/draw-demo $(wildcard scripts/demo/*)
	scripts/draw-demo demo
	@touch $@

gallery: demo/landscape.jpg $(BIN)/edgeprint ## Makes a page of pictures of every transform: .build/gallery/index.html
	scripts/gallery

deb: build ## Builds the Debian package into .build/deb/packages
	@scripts/install-packages dpkg-dev binutils chrpath xz-utils
	scripts/make-deb

try-deb: demo/landscape.jpg deb ## Installs the package in a clean Debian and gets pictures from it
	scripts/try-deb

packages: ## Installs the system packages that are missing
	@scripts/install-packages

clean: ## Deletes what was built and drawn
	rm -rf .build demo
