# fak: `make help` lists what there is. One Makefile, no recursion; objects in build/$(MODE)/obj.

CC ?= gcc
# Another processor's compiler has a mode of its own, so that objects are never mixed.
MODE ?= $(if $(findstring aarch64-linux-gnu,$(CC)),aarch64,release)
PREFIX ?= /usr/local
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
comma := ,
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/sh

# --- modes ---------------------------------------------------------------------------------------------
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
mode_release := -O2 -g
mode_debug := -O0 -g3 -Wno-format-truncation
# gcc's manual: with sanitizers, warnings that follow the flow of values misfire.
no_flow_warnings := -Wno-format-truncation -Wno-maybe-uninitialized -Wno-stringop-overflow
mode_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer $(no_flow_warnings)
mode_tsan := -O2 -g -fsanitize=thread $(no_flow_warnings)
mode_cov := -O0 -g --coverage
mode_llvm := -O2 -g
mode_aarch64 := -O2 -g
mode_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
mode_flags := $(mode_$(MODE))
$(if $(mode_flags),,$(error MODE=$(MODE) is unknown: release, debug, asan, tsan, cov, llvm, fuzz or aarch64))

# Two modes are about the other compiler.
ifneq ($(filter llvm fuzz,$(MODE)),)
CC := clang
mode_flags += -Wno-pass-failed # a loop that clang cannot unroll is slower, not wrong
endif

# And one about another processor: what it builds needs nothing of it to run under qemu.
ifeq ($(MODE),aarch64)
CC := aarch64-linux-gnu-gcc
endif

# Release is what people run: it lies directly under build/. The other modes have a folder each.
bin := $(if $(filter release,$(MODE)),build,build/$(MODE))
obj := build/$(MODE)/obj
gen := build/gen

# No contraction and no fast-math anywhere: where a fused multiply-add is meant, the code says fma.
CFLAGS_ALL := -std=c17 -D_GNU_SOURCE -I. -I$(gen) -fPIC -fvisibility=hidden -ffp-contract=off -pthread \
	$(mode_flags) $(warnings) $(CFLAGS)
LDFLAGS_ALL := -pthread $(mode_flags) $(LDFLAGS)

# --- rooms ---------------------------------------------------------------------------------------------
sources = $(wildcard $(addsuffix /*.c,$(1)))
objects = $(patsubst %.c,$(obj)/%.o,$(call sources,$(1)))

matrix := $(obj)/gen/sota_matrix.o
base := $(call objects,base)
findings := $(call objects,base/findings)
lookup := $(call objects,sotadb ladders)
sotadb := $(lookup) $(matrix)
sql := $(call objects,sotadb/sql sotadb/emit)
schema := $(obj)/gen/schema.o
webpage_parts := $(obj)/gen/webpage_css.o $(obj)/gen/webpage_js.o
scan := $(call objects,coverage/scan)
coverage := $(scan) $(call objects,coverage/debt coverage/report coverage/history coverage/webpage) $(obj)/gen/scan_version.o
libgit2 := $(call objects,git/repo)
git := $(call objects,git git/index git/plumbing)
json := $(call objects,base/json)
hooks := $(call objects,hooks/trailer hooks/gate hooks/range hooks/stage hooks/install) $(obj)/coverage/scan/scan_language.o
agent := $(call objects,hooks/agent)
# The exact lane: each source built once for each clone (KERNEL_CLONES in engine/kernels/kernel.h).
# The first, c, has no instruction by name: the same plain C on every processor, and what the others must equal.
machine := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
clones_x86_64 := avx2 avx512bw avx512vnni
clones_aarch64 := asimd dotprod i8mm
clones := c $(clones_$(machine))
clone_c := -DVEC_PLAIN $(if $(filter x86_64,$(machine)),-march=x86-64)
clone_avx2 := -march=x86-64-v3
clone_avx512bw := -march=x86-64-v4 -mprefer-vector-width=512
clone_avx512vnni := $(clone_avx512bw) -mavx512vnni
clone_asimd := -march=armv8-a
# A CPU with either has the rest of 8.2; of it the compiler needs nothing here but their intrinsics to be there.
clone_dotprod := -march=armv8.2-a+dotprod
clone_i8mm := -march=armv8.2-a+dotprod+i8mm
# No fuzz target runs a kernel, and five copies of each take a sanitizer's compiler minutes.
exact := $(if $(filter fuzz,$(MODE)),,$(foreach c,$(clones),$(patsubst %.c,$(obj)/%.$(c).o,$(call sources,engine/kernels/exact))))
engine := $(call objects,base/json engine engine/tensor engine/file engine/token engine/model engine/kernels \
	engine/kernels/ref engine/backend engine/session) $(exact)
checkkern := $(call objects,tests/checkkern)

# --- what is built ---------------------------------------------------------------------------------------
grammars := c cpp cuda python glsl hlsl
grammars_with_scanner := cpp cuda python hlsl
ts_dir := build/deps/tree-sitter
ts_obj := build/deps/obj
treesitter := $(ts_obj)/runtime.o $(foreach g,$(grammars),$(ts_obj)/$(g)-parser.o) \
	$(foreach g,$(grammars_with_scanner),$(ts_obj)/$(g)-scanner.o)

git_libs := -lgit2
index_libs := -lz
json_libs := -ljansson
sql_libs := -lsqlite3
token_libs := -lonig -l:libutf8proc.a -ljansson
base_libs := -l:libnettle.a -ldl

programs := $(addprefix $(bin)/,fak sotac sota-coverage)
modules := $(patsubst %,$(bin)/lib/fak-%.so,git hooks agent engine scan sql init)

##@ Build
.PHONY: all
all: $(programs) $(modules) ## build fak, sota-coverage and sotac under build/

# fak answers look-ups alone; a command with more to do lives in a module (base/module.h).
$(bin)/fak: $(call objects,cmd/fak cmd/cli) $(sotadb) $(base)
	$(link) $(base_libs)
$(bin)/lib/fak-engine.so: $(call objects,cmd/fak/engine cmd/cli) $(engine) $(checkkern) $(sotadb) $(json) $(base)
	$(link_module) $(token_libs) $(base_libs) -lm
	@sh tools/optional
$(bin)/lib/fak-sql.so: $(call objects,cmd/fak/sql) $(obj)/git/plumbing/process.o $(sql) $(lookup) $(base) $(schema)
	$(link_module) $(sql_libs) $(base_libs)
hook_parts := commands off_switch repo_path sota_call sota_suggest whichmatrix
$(bin)/lib/fak-hooks.so: $(call objects,cmd/fak/hooks cmd/cli) $(patsubst %,$(obj)/cmd/fak/%.o,$(hook_parts)) \
		$(hooks) $(git) $(findings) $(sotadb) $(base)
	$(link_module) $(index_libs) $(base_libs)
agent_parts := commands off_switch repo_path sota_find sota_json sota_suggest whichmatrix
$(bin)/lib/fak-agent.so: $(call objects,cmd/fak/agent cmd/cli) $(patsubst %,$(obj)/cmd/fak/%.o,$(agent_parts)) $(agent) \
		$(hooks) $(git) $(json) $(sotadb) $(base)
	$(link_module) $(json_libs) $(index_libs) $(base_libs)
$(bin)/lib/fak-git.so: $(libgit2) $(obj)/git/change.o $(base)
	$(link_module) $(git_libs) $(base_libs)
$(bin)/lib/fak-scan.so: $(call objects,cmd/fak/scan cmd/cli) $(scan) $(sotadb) $(base) $(treesitter)
	$(link_module) $(base_libs)
$(bin)/lib/fak-init.so: $(call objects,cmd/fak/init cmd/cli) $(scan) $(call objects,coverage/debt) $(obj)/gen/scan_version.o $(git) $(sql) $(sotadb) $(base) $(treesitter)
	$(link_module) $(sql_libs) $(index_libs) $(base_libs)
$(bin)/sota-coverage: $(call objects,cmd/sota-coverage cmd/cli) $(coverage) $(git) $(findings) $(sql) $(sotadb) $(base) $(treesitter) $(schema) $(webpage_parts)
	$(link) $(sql_libs) $(index_libs) $(base_libs)
$(bin)/sotac: $(call objects,cmd/sotac cmd/cli) $(obj)/cmd/fak/sota_page.o $(sql) $(lookup) $(base) $(schema)
	$(link) $(sql_libs) $(base_libs)

link = @mkdir -p $(@D); echo "  LINK  $@"; $(CC) -o $@ $(filter %.o,$^) $(LDFLAGS_ALL)
link_module = @mkdir -p $(@D); echo "  LINK  $@"; $(CC) -shared -o $@ $(filter %.o,$^) $(LDFLAGS_ALL) -Wl,-z,defs

$(obj)/%.o: %.c
	@mkdir -p $(@D); echo "  CC    $<"; $(CC) $(CFLAGS_ALL) $(CFLAGS_$(subst /,_,$(<D))) -MMD -MP -c $< -o $@

define clone_rule
$(obj)/engine/kernels/exact/%.$(1).o: engine/kernels/exact/%.c
	@mkdir -p $$(@D); echo "  CC    $$< ($(1))"; $(CC) $(CFLAGS_ALL) $(exact_flags) $(clone_$(1)) -DCLONE=$(1) \
		-MMD -MP -c $$< -o $$@
endef
# gcc keeps arrays of vectors in registers only when it unrolls them, at -O3; the ABI note is about vectors as
# arguments, and every such function is inlined.
exact_flags := $(if $(filter release aarch64,$(MODE)),-O3) -Wno-psabi
$(foreach c,$(clones),$(eval $(call clone_rule,$(c))))

# --- the matrix: seed -> sotac -> one C literal ------------------------------------------------------------
# sotac is a build tool: always the release one, so that every mode compiles the same literal.
seeds := sotadb/schema.sql $(sort $(wildcard sotadb/seed/*.sql))
$(gen)/sota_matrix.c: build/sotac $(seeds)
	@mkdir -p $(@D); echo "  SOTAC $@"; build/sotac -o $@ $(seeds)
# The schema as bytes, for programs that read another repository's seed: _binary_sotadb_schema_sql_start, _end.
$(schema): sotadb/schema.sql
	@mkdir -p $(@D); ld -r -b binary -z noexecstack -o $@ $<
# What a scanned file is known by in the cache changes with the scanner: its sources, hashed.
scanner := $(sort $(wildcard coverage/scan/*.[ch])) coverage/debt/record.c coverage/debt/suppress.c tools/grammars.txt
$(gen)/scan_version.c: $(scanner)
	@mkdir -p $(@D); printf 'extern const char scan_version[];\nconst char scan_version[] = "%s";\n' \
		"$$(cat $(scanner) | sha256sum | cut -c1-16)" >$@
$(obj)/gen/scan_version.o: $(gen)/scan_version.c
	@mkdir -p $(@D); $(CC) $(CFLAGS_ALL) -c $< -o $@
# Style and script of the HTML report: _binary_coverage_webpage_webpage_css_start, _end.
$(obj)/gen/webpage_%.o: coverage/webpage/webpage.%
	@mkdir -p $(@D); ld -r -b binary -z noexecstack -o $@ $<
$(matrix): $(gen)/sota_matrix.c
	@mkdir -p $(@D); echo "  CC    $<"; $(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
ifneq ($(MODE),release)
build/sotac: FORCE
	@$(MAKE) --no-print-directory MODE=release build/sotac
endif

# --- tree-sitter: others' code, others' warnings -----------------------------------------------------------
build/deps/grammars.stamp: tools/grammars.txt tools/grammar-headers.txt
	@sh tools/fetch-grammars && touch $@
$(ts_obj)/runtime.o: build/deps/grammars.stamp
	@mkdir -p $(@D); echo "  CC    tree-sitter runtime"
	@$(CC) -std=c11 -D_DEFAULT_SOURCE -O2 -fPIC -fvisibility=hidden -w -I$(ts_dir)/tree-sitter/tree_sitter/core/lib/include \
		-I$(ts_dir)/tree-sitter/tree_sitter/core/lib/src \
		-c $(ts_dir)/tree-sitter/tree_sitter/core/lib/src/lib.c -o $@
$(ts_obj)/%-parser.o: build/deps/grammars.stamp
	@mkdir -p $(@D); echo "  CC    tree-sitter $*"; $(CC) -std=c11 -O1 -fPIC -fvisibility=hidden -w -I$(ts_dir)/headers \
		-I$(ts_dir)/tree-sitter-$*/src -c $(ts_dir)/tree-sitter-$*/src/parser.c -o $@
$(ts_obj)/%-scanner.o: build/deps/grammars.stamp
	@mkdir -p $(@D); $(CC) -std=c11 -O1 -fPIC -fvisibility=hidden -w -I$(ts_dir)/headers \
		-I$(ts_dir)/tree-sitter-$*/src -c $(ts_dir)/tree-sitter-$*/src/scanner.c -o $@
CFLAGS_coverage_scan := -I$(ts_dir)/tree-sitter/tree_sitter/core/lib/include
$(call objects,coverage/scan): | build/deps/grammars.stamp

# --- tests -------------------------------------------------------------------------------------------------
# A unit test is one file, one program, linked with every room; the linker takes what it needs.
everything := $(obj)/everything.a
$(everything): $(base) $(findings) $(json) $(sotadb) $(sql) $(schema) $(coverage) $(git) $(libgit2) $(hooks) $(agent) $(engine) $(checkkern) \
		$(filter-out %/main.o %/agent_entries.o,$(call objects,cmd/cli cmd/fak cmd/fak/agent))
	@rm -f $@; ar rcs $@ $^
unit_tests := $(patsubst tests/unit/%.c,$(bin)/tests/%,$(wildcard tests/unit/test_*.c))
$(unit_tests): $(bin)/tests/%: $(obj)/tests/unit/%.o $(obj)/tests/unit/filter.o $(everything) $(treesitter)
	@mkdir -p $(@D); echo "  LINK  $@"; $(CC) -o $@ $(filter %.o,$(wordlist 1,2,$^)) $(everything) $(treesitter) $(LDFLAGS_ALL) \
		-lcmocka $(git_libs) $(index_libs) $(sql_libs) $(token_libs) $(base_libs) -lm

# One test decides which allocation fails.
$(bin)/tests/test_memory: private LDFLAGS_ALL += $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc free getcwd realpath opendir)

# And one library, for whole programs.
preloads := $(patsubst tests/preload/%.c,$(bin)/tests/%.so,$(wildcard tests/preload/*.c))
$(preloads): $(bin)/tests/%.so: $(obj)/tests/preload/%.o
	$(link_module)

# The lanes' own programs are static and need no library beside libc and libm, so that they run under qemu for another processor. What
# reads directories needs JSON, and hashes need nettle: both are left out, and no GGUF ever calls them.
lane_tests := $(addprefix $(bin)/tests/,checklanes lanelogits)
lane_rooms := engine/kernels engine/kernels/ref engine/tensor engine/file engine/model engine/backend
lane_parts := $(filter-out %/hash.o %/safetensors.o $(obj)/engine/file/hf%,$(call objects,$(lane_rooms)) $(base)) \
	$(exact) $(checkkern)
$(obj)/lanes.a: $(lane_parts)
	@rm -f $@; $(AR) rcs $@ $^
$(lane_tests): $(bin)/tests/%: $(obj)/tests/lanes/%.o $(obj)/lanes.a
	@mkdir -p $(@D); echo "  LINK  $@"; $(CC) -o $@ $^ $(LDFLAGS_ALL) -static -Wl,--unresolved-symbols=ignore-all -lm

# A fuzz target runs its corpus as a plain test; `make MODE=fuzz fuzz` gives it libFuzzer's main instead of ours.
fuzz_targets := $(patsubst tests/fuzz/%.c,$(bin)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_main := $(if $(filter fuzz,$(MODE)),-fsanitize=fuzzer,$(obj)/tests/fuzz/replay.o)
$(fuzz_targets): $(bin)/tests/%: $(obj)/tests/fuzz/%.o $(filter %.o,$(fuzz_main)) $(everything) $(treesitter)
	@mkdir -p $(@D); echo "  LINK  $@"; $(CC) -o $@ $< $(fuzz_main) $(everything) $(treesitter) $(LDFLAGS_ALL) \
		$(git_libs) $(index_libs) $(sql_libs) $(token_libs) $(base_libs) -lm

##@ Test
.PHONY: tests test test-unit test-cases lanes lane-bits lanes-compilers lanes-aarch64 check fuzz
tests: all $(unit_tests) $(fuzz_targets) $(preloads) $(if $(filter release,$(MODE)),$(lane_tests)) ## build everything the tests need
test: tests ## run the whole fast suite; the last line is `N passed, N failed, N skipped`
	@BIN=$(bin) sh tools/run-tests $(unit_tests) $(fuzz_targets) $(sort $(wildcard tests/e2e/test_*.sh))
test-unit: tests ## run the unit tests only, as in `make MODE=asan test-unit`
	@BIN=$(bin) sh tools/run-tests $(unit_tests) $(fuzz_targets)
test-cases: tests ## run every case of a folder: make test-cases CASES=DIR
	@BIN=$(bin) sh tools/test-cases "$(CASES)"
lanes: all $(lane_tests) ## every kernel in every lane of this CPU, every size up to 2^24 products: minutes
	@$(bin)/tests/checklanes full
	@BIN=$(bin) sh tools/run-tests tests/lanes/bits.sh
lane-bits: all $(lane_tests)
	@BIN=$(bin) sh tests/lanes/bits.sh --write
lanes-compilers: all $(lane_tests) ## the same bits without optimisation, and from clang
	@$(MAKE) --no-print-directory MODE=debug $(patsubst $(bin)/%,build/debug/%,$(lane_tests))
	@! command -v clang >/dev/null || $(MAKE) --no-print-directory MODE=llvm $(patsubst $(bin)/%,build/llvm/%,$(lane_tests))
	@BIN=$(bin) sh tools/run-tests tests/lanes/compilers.sh
lanes-aarch64: all $(lane_tests) ## the lanes of another processor, under qemu, against the bits of this one: minutes
	@$(MAKE) --no-print-directory MODE=aarch64 $(patsubst $(bin)/%,build/aarch64/%,$(lane_tests))
	@BIN=$(bin) TEST_SECONDS=1200 sh tools/run-tests tests/lanes/aarch64.sh
check: ## lint, sanitizers, a clang build, fuzzing: minutes
	@sh tools/check
fuzz: $(fuzz_targets)

##@ See
.PHONY: demo model man bench-lookup bench-decode bench-peers bench-gate bench-range bench-coverage
demo: all ## watch the main job: gate, debt, look-ups, text
	@BIN=$(bin) sh tools/demo
model: ## fetch SmolLM2-135M-Instruct (93 MB) into build/models
	@sh tools/fetch-model

man: all ## write the man pages to build/man/man1
	@mkdir -p build/man/man1; $(bin)/fak help --man >build/man/man1/fak.1
	@$(bin)/fak help --names | while IFS= read -r name; do \
		$(bin)/fak help --man "$$name" >"build/man/man1/fak-$$(printf '%s' "$$name" | tr ' ' -).1"; done
	@echo "man -l build/man/man1/fak.1"
bench-lookup: all ## time the look-ups beside an empty C program
	@BIN=$(bin) CC="$(CC)" sh tests/bench/lookup.sh
bench-decode: all ## tokens a second beside llama.cpp's (PEER=.../llama-completion)
	@BIN=$(bin) sh tests/bench/decode.sh
bench-peers: all ## prefill, decode, depth, memory beside llama.cpp and ik_llama.cpp (PEER_DIR=, IK_DIR=): most of an hour
	@BIN=$(bin) tools/bench-peers
bench-gate: all ## time a hook, silent and advising, beside git diff --cached
	@BIN=$(bin) CC="$(CC)" sh tests/bench/gate.sh

bench-coverage: all ## kernels found and made up in public trees, and how fast (REPOS=DIR of clones)
	@BIN=$(bin) python3 tests/bench/coverage.py "$(REPOS)"

bench-range: all ## time fak gate --range over 200 commits of REPO=CLONE
	@BIN=$(bin) sh tests/bench/range.sh

##@ Upkeep
.PHONY: help clean docs oracle rooms fmt fmt-check lint install uninstall FORCE
c_files = $(shell git ls-files -co --exclude-standard '*.c' '*.h')
fmt: ## lay out the C files (clang-format)
	@clang-format -i $(c_files)
fmt-check: ## complain where `make fmt` would change something
	@clang-format --dry-run -Werror $(c_files) >build/fmt.log 2>&1 || \
		{ sed -nE 's/^([^ :]+):[0-9].*error:.*/\1: make fmt would change it/p' build/fmt.log | uniq; exit 1; }
lint: $(gen)/sota_matrix.c ## rooms, sizes, names, shellcheck, clang-tidy
	@sh tools/check-rooms
	@sh tools/check-sizes
	@sh tools/check-scripts
	@sh tools/check-tidy
docs: $(bin)/sotac ## render docs/*.md from the matrix
	@$(bin)/sotac --docs docs $(seeds)
oracle: ## remake golden vectors from the reference libraries (PARTS=models quant tokenizers templates)
	@sh tools/oracle/remake $(PARTS)
fidelity: all ## KL divergence to float64 on SmolLM2 into docs/fidelity.md (ORACLE_PYTHON=, LLAMA_BIN=, IK_BIN=; make model)
	@python3 tools/fidelity --model build/models/SmolLM2-135M-Instruct.Q4_1.gguf --base build/models/SmolLM2-float64.logits
rooms: ## check who may include whom (tests/rooms.tsv)
	@sh tools/check-rooms
install: all ## install under PREFIX (default /usr/local), below DESTDIR
	@BIN=$(bin) PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" sh tools/install
uninstall: ## remove what `make install` with the same PREFIX wrote
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" sh tools/install --remove
clean: ## remove build products, keep what was fetched
	@rm -rf build/gen build/lib build/tests build/fak build/sota-coverage build/sotac \
		build/release build/debug build/asan build/tsan build/cov build/llvm build/fuzz
help: ## this list
	@awk -F':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@printf '\nMODE=debug, asan, tsan, cov or llvm (clang) builds another way, under build/MODE\n'
FORCE:

-include $(shell find build/$(MODE)/obj -name '*.d' 2>/dev/null)
