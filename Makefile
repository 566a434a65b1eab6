# Thin: each target is a command or two. `make help` lists them.

SWIFT ?= swift

# SwiftPM passes the traits to the compiler in the order of a set. Another order would compile all of the
# package again.
export SWIFT_DETERMINISTIC_HASHING = 1

# Tools come from the Swift toolchain and the system, whatever stands first in PATH.
export PATH := $(shell SWIFT='$(SWIFT)' Scripts/path)

# The commands that make release has built.
RELEASED = $(CURDIR)/.build/rebind-inspect/bin/rebind-inspect
RELEASED_RUN = $(CURDIR)/.build/rebind-run/bin/rebind-run
# Suites of the stages: those that have tests which `make test` leaves out.
CORE_SUITES = FixtureTests.*furtherCompiler|StubTests|JobTests|AbsenceTests|FirstTriesTests|RefusalTests|AnnotationLinkTests|CompilationTests|ToolTests
PRODUCT_SUITES = CMakeTests|SamplePackageTests|RebindMacrosTests.PackageTests|ShellFilesTests|InstalledFilesTests
RELEASED_SUITES = RebindInspectTests.(Golden|Example|Process|Tree|Why|Failure|Output)Tests

.PHONY: help build release demo test check check-core check-testing check-inspection check-registries check-running test-inputs test-core test-beside work test-products test-traits test-machine test-bare test-all coverage abi abi-baseline golden golden-inputs bench bench-swift bench-testing bench-annotations bench-counting bench-counting-nio bench-metrics bench-inspect bench-run performance test-distribution amalgamation install docs format lint prose clean

# List the main targets; CONTRIBUTING.md has all.
help:
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)
	@echo "check-AREA: Run the tests of an area as check does: core, testing, inspection, running or registries"
	@echo "CONTRIBUTING.md has the other targets."

build: ## Build everything for debugging
	@Scripts/bootstrap build
	@echo "build: 2 to 3 minutes on two cores if nothing is built yet"
	$(SWIFT) build

demo: ## Hook open and close, then show the imports that made it possible
	@Scripts/bootstrap build
	@Scripts/demo

release: ## Build rebind-inspect and rebind-run for release, as static executables, with completions and manual pages
	@Scripts/bootstrap build
	@SWIFT='$(SWIFT)' Scripts/release

test: ## Build and run all tests; print where the time goes
	@Scripts/bootstrap test
	@SWIFT='$(SWIFT)' Scripts/test

check: ## The inner loop: the tests that build no package and use no sanitizer, with gcc alone and fewer rounds
	@SWIFT='$(SWIFT)' Scripts/test --check

# An area of Documentation/Areas: its suites.
AREA_core = CRebindTests|RebindTests
AREA_testing = RebindTestingTests|RebindCountingTests
AREA_inspection = RebindFilesTests|RebindInspectTests
AREA_running = RebindRunTests
AREA_registries = RebindMacrosTests|RebindTests.(Annotation|ConfigurationFile|SwiftPlugin)|CRebindTests.Annotation

check-core check-testing check-inspection check-registries check-running: check-%:
	@SWIFT='$(SWIFT)' Scripts/test --check --filter '^($(AREA_$*))'

# Run the tests under strace; fail if they read a file that another machine may lack
test-inputs:
	@Scripts/bootstrap test
	@SWIFT='$(SWIFT)' Scripts/test-inputs

golden: ## Write the recorded interfaces, golden output, JSON Schema and tables of fields anew; look at the difference
	@Scripts/bootstrap test
	REBIND_GOLDEN=write $(SWIFT) test --filter 'GoldenTests|GeneratedFileTests|theInterface'

# Build the files anew that the golden output is of
golden-inputs:
	@Scripts/golden-inputs

# Test the C core with clang and sanitizers, on other machines, and for mappings that are writable and executable
test-core:
	@Scripts/bootstrap test
	@Scripts/bootstrap cross
	@Scripts/owners
	@SWIFT='$(SWIFT)' REBIND_TESTS=core Scripts/test --filter '$(CORE_SUITES)'
	@SWIFT='$(SWIFT)' Scripts/fixtures run aarch64 s390x musl x86-64-traced aarch64-traced

# Run programs with libc hooked beside other people's preloaded libraries
test-beside:
	@Scripts/test-beside

work: ## Count the instructions and system calls of the core's calls; fail if one has grown by more than 3 %
	@Scripts/bootstrap work
	@Scripts/work

# Build packages that depend on this one by URL and tag, and the samples, as users do; test the released command
test-products: release
	@Scripts/bootstrap test
	@SWIFT='$(SWIFT)' Scripts/test-products
	@SWIFT='$(SWIFT)' REBIND_TESTS=products Scripts/test --filter '$(PRODUCT_SUITES)'
	@SWIFT='$(SWIFT)' REBIND_INSPECT='$(RELEASED)' Scripts/test --filter '$(RELEASED_SUITES)'

# Build and test without traits; with each alone if ALL is set
test-traits:
	@Scripts/bootstrap test
	@SWIFT='$(SWIFT)' Scripts/test-traits

# Build in a root that has only the packages of Swift's official image, with each set of traits
test-bare:
	@SWIFT='$(SWIFT)' Scripts/test-bare

# Compare rebind-inspect with readelf, eu-readelf, nm, ld.so and SQLite on all of this machine, and rebind-run with strace
test-machine: release
	@Scripts/bootstrap test
	@Scripts/test-machine
	@PYTHONPATH='$(CURDIR)/.build/python' /usr/bin/python3 -B Tests/Witnesses/ask.py '$(RELEASED)' /usr/bin /usr/lib
	@/usr/bin/python3 -B Tests/Witnesses/opens.py '$(RELEASED_RUN)'

test-all: ## Test all that is promised: every machine, set of traits, sanitizer and round, the whole machine, coverage
	@Scripts/test-all

# Print which lines and branches the tests run; fail at a branch of the core that no list excuses
coverage:
	@Scripts/bootstrap test
	@SWIFT='$(SWIFT)' Scripts/coverage

# Compare the C library's ABI with the recorded one
abi:
	@Scripts/abi

abi-baseline: ## Record the C library's ABI anew; look at the difference
	@Scripts/abi --write

# Test the sample that reads a distribution's packages, with packages of Debian, DuckDB and Spark
test-distribution: release
	@Scripts/test-distribution

performance: release ## Measure all that Documentation/Performance.md shows, and write it there
	@Scripts/performance

amalgamation: ## Join the C core into one file, dist/rebind.c, beside the headers that it needs
	@Scripts/amalgamate dist

install: ## Build the C library and install it, and what make release has built, under PREFIX (/usr/local), below DESTDIR
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' INSPECT='$(INSPECT)' RUN='$(RUN)' CC='$(CC)' Scripts/install

# Measure the core beside a scan of all relocations and fishhook's loop
bench:
	@$(MAKE) --no-print-directory -C Benchmarks run

# Measure a typed rebinding's call beside the same in C
bench-swift:
	@$(MAKE) --no-print-directory -C Benchmarks swift

# Measure a call that a test has rebound, and one out of its reach
bench-testing:
	@Scripts/bootstrap build
	$(SWIFT) run --package-path Benchmarks/RebindTesting --configuration release

# Measure a visit of 1,000 annotations over 100 images
bench-annotations:
	@$(MAKE) --no-print-directory -C Benchmarks annotations

# Measure counted allocations beside a preloaded library; fail if a target is missed
bench-counting: bench-counting-nio
	@Scripts/bootstrap build
	@$(MAKE) --no-print-directory -C Benchmarks counting

# Count swift-nio's tests with its counter and ours; fail if they differ. NIO=FOLDER is a checkout
bench-counting-nio:
	@Scripts/bootstrap build
	@$(MAKE) --no-print-directory -C Benchmarks counting-nio NIO='$(if $(NIO),$(abspath $(NIO)))'

# Run the sample of ordo-one/benchmark with our counts; fail if a count is worse than it was
bench-metrics:
	@Scripts/bootstrap build
	cd Samples/benchmark-metrics && $(SWIFT) package benchmark --no-progress
	cd Samples/benchmark-metrics && $(SWIFT) package benchmark thresholds check --no-progress

# Measure rebind-inspect beside the least possible work, readelf, eu-readelf and nm
bench-inspect: release
	@$(MAKE) --no-print-directory -C Benchmarks inspect PROGRAM='$(RELEASED)'

# Measure rebind-run beside ltrace, uftrace, strace and a library that is preloaded by hand
bench-run: release
	@$(MAKE) --no-print-directory -C Benchmarks rebind-run COMMAND='$(RELEASED_RUN)'

docs: ## Build the documentation of every product into .build/documentation
	@Scripts/bootstrap build
	@SWIFT='$(SWIFT)' Scripts/docs

format: ## Format the Swift sources in place; lint checks the format
	$(SWIFT) format --in-place --parallel --recursive Package.swift Scripts Sources Tests Samples

# Check the format of the Swift sources
lint:
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Scripts Sources Tests Samples

# List sentences that a reader has to read twice, in documents, comments and messages
prose:
	@Scripts/bootstrap test
	@Scripts/prose

clean: ## Delete what was built
	$(SWIFT) package clean
	@rm -rf .build/fixtures .build/documentation .build/documentation-parts .build/rebind-inspect .build/rebind-run .build/manual
	@$(MAKE) --no-print-directory -C Benchmarks clean
