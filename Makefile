# Doorbell. `make` builds it, `make help` lists what else can be made.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.PHONY: all help packages mail-programs build test test-mail torture powercut bench demo lint sanitize fuzz
.PHONY: install directories clean

# Where things are installed, and as whom the daemons run. DESTDIR is put before every path, for packagers.
PREFIX        ?= /usr/local
SYSCONFDIR    ?= /etc
LOCALSTATEDIR ?= /var
SPOOL_USER    ?= doorbell-spool
DISPATCH_USER ?= doorbell
GROUP         ?= doorbell

BINDIR   = $(PREFIX)/bin
SBINDIR  = $(PREFIX)/sbin
SHAREDIR = $(PREFIX)/share/doorbell
MANDIR   = $(PREFIX)/share/man

SWIFT   ?= swift
CHECKS   = --explicit-target-dependency-import-check error
RELEASE  = $(CURDIR)/.build/release

all: build

help:
	@cat <<-'END'
	make              build everything for release
	make demo         see one mail ring one phone, in a private directory; seconds, once it is built
	make test         lint, build and test everything; installs the Debian packages it needs
	make test-mail    the tests with real mail programs alone
	make torture      kill the programs 600 times (KILLS) while mail comes, and count what arrives; minutes
	make powercut     cut the power 20 times (CUTS) a file system and program, and count what is lost; minutes
	make bench        measure hook, fairness, backlog (PARTS) of a million entries (ENTRIES), Dovecot; as root, minutes
	make install      install below PREFIX, SYSCONFDIR and LOCALSTATEDIR, with DESTDIR before them
	make directories  make spool, state and log directories, once the users are there
	make packages     install the Debian packages that building and testing need
	make lint         format, shell scripts, man pages, whether Tests/HAZARDS.md names the tests there are
	make sanitize     the tests under ThreadSanitizer and AddressSanitizer
	make fuzz         make up input for whatever reads what others write, FUZZ_SECONDS each
	make clean        remove what was built
	END

packages:
	@scripts/packages

mail-programs:
	@scripts/mail-programs

# Statically linked with Swift's own libraries, so that installed programs need no toolchain; and without a run
# path, which the loader would follow for every mail.
build:
	@TMPDIR=$$(mktemp --directory --tmpdir doorbell-build.XXXXXX)  # The package manager cleans up nothing there.
	export TMPDIR
	trap 'rm -rf "$$TMPDIR"' EXIT
	$(SWIFT) build --configuration release $(CHECKS) --static-swift-stdlib --disable-local-rpath

# Tests run the hook as it is shipped: a release build.
test: packages mail-programs lint build
	@DOORBELL_RELEASE="$(RELEASE)" $(SWIFT) test $(CHECKS)

test-mail: packages mail-programs build
	@DOORBELL_RELEASE="$(RELEASE)" $(SWIFT) test $(CHECKS) --filter 'EndToEndTests.(Producer|Dovecot|Resolution)'

KILLS ?= 600

# `make test` has a short one.
torture: packages build
	@DOORBELL_RELEASE="$(RELEASE)" DOORBELL_KILLS="$(KILLS)" $(SWIFT) test $(CHECKS) --filter TortureTests

CUTS ?= 20

# `make test` has a short one of this too. It needs root and loop devices.
powercut: packages build
	@DOORBELL_RELEASE="$(RELEASE)" DOORBELL_CUTS="$(CUTS)" $(SWIFT) test $(CHECKS) --filter PowerCutTests

ENTRIES ?= 1000000
PARTS ?= hook fairness backlog

bench: packages build
	@python3 -B Benchmarks/bench.py "$(RELEASE)" --entries "$(ENTRIES)" --parts $(PARTS)
	python3 -B Benchmarks/resolution.py "$(RELEASE)"

demo: packages build
	@scripts/demo

lint:
	@$(SWIFT) format lint --strict --recursive Sources Tests Fuzzing Package.swift
	shellcheck .ci/run sieve/bin/doorbell-ring $(filter-out %.txt %.py,$(wildcard scripts/*))
	mandoc -Tlint -Wwarning man/*
	python3 scripts/hazards.py

# A sanitizer needs objects of its own. It doesn't go with Embedded Swift, so the hook stays the ordinary one. Leaks
# aren't looked for: XCTest has some of its own, and LeakSanitizer ends programs that strace follows.
sanitize: packages mail-programs build
	@export ASAN_OPTIONS=detect_leaks=0 DOORBELL_SANITIZED=1
	for sanitizer in thread address; do
	    DOORBELL_RELEASE="$(RELEASE)" $(SWIFT) test --sanitize=$$sanitizer --scratch-path .build-$$sanitizer
	done

FUZZ_SECONDS ?= 60

fuzz: packages
	@FUZZ_SECONDS="$(FUZZ_SECONDS)" scripts/fuzz

# What files say about paths and users, as this installation has it. Files hold the defaults above.
LOCALIZE = sed -E \
    -e 's,/etc/doorbell,$(SYSCONFDIR)/doorbell,g' \
    -e 's,/var/(spool|lib|log)/doorbell,$(LOCALSTATEDIR)/\1/doorbell,g' \
    -e 's,/usr/local/share/doorbell,$(SHAREDIR),g' \
    -e 's,/usr/local/(s?bin)/,$(PREFIX)/\1/,g' \
    -e 's,(user ?= ?|nologin |chown |-u |USER="|NAME=")doorbell([": ]|$$),\1$(DISPATCH_USER)\2,g' \
    -e 's,(user ?= ?|nologin |chown |-u |USER="|NAME=")doorbell-spool([": ]|$$),\1$(SPOOL_USER)\2,g' \
    -e 's,(--gid|groupadd --system|chgrp) doorbell\b,\1 $(GROUP),g'

# Overwrites no configuration, makes no user, starts nothing.
install:
	@programs="$(RELEASE)"
	[[ -x $$programs/dispatch ]] || { echo 'make install: build first, with make' >&2; exit 1; }
	put() { install -D -m "$$1" "$$2" "$(DESTDIR)$$3"; }
	put_text() { $(LOCALIZE) "$$2" | install -D -m "$$1" /dev/stdin "$(DESTDIR)$$3"; }
	for program in spool-enqueue doorbell apns-simulator; do
	    put 0755 "$$programs/$$program" "$(BINDIR)/$$program"
	done
	for program in spool-drain dispatch; do
	    put 0755 "$$programs/$$program" "$(SBINDIR)/$$program"
	done
	strip "$(DESTDIR)$(BINDIR)/spool-enqueue"
	for file in procmail/* dovecot/* sieve/*.* exim/* maildrop/* postfix/* supervisord/* configuration/*; do
	    put_text 0644 $$file "$(SHAREDIR)/$$file"
	done
	put_text 0755 sieve/bin/doorbell-ring "$(SHAREDIR)/sieve/bin/doorbell-ring"
	for page in man/*; do
	    put 0644 $$page "$(MANDIR)/man$${page##*.}/$${page##*/}"
	done
	if [[ ! -e "$(DESTDIR)$(SYSCONFDIR)/doorbell/doorbell.toml" ]]; then
	    put_text 0644 configuration/doorbell.toml "$(SYSCONFDIR)/doorbell/doorbell.toml"
	fi
	$(LOCALIZE) scripts/after-install.txt

directories:
	@scripts/directories "$(DESTDIR)$(LOCALSTATEDIR)" "$(SPOOL_USER)" "$(DISPATCH_USER)" "$(GROUP)"

clean:
	@rm -rf .build .build-thread .build-address .build-fuzz
