/* index: the mapped reader says what git says, on repositories of every kind; what is damaged is refused, or
 * does not matter to the answer. */
#include "tests/unit/made_repo.h"

#include "base/file.h"
#include "git/index/gitdir.h"
#include "git/index/objid.h"
#include "git/index/treediff.h"

#include <fcntl.h>
#include <sys/stat.h>

/* --- generated indexes --- */

/* Names around '/' in sorting order, a file that is a folder elsewhere, bytes that are no UTF-8, long ones.
 */
static const char *const folders[] = {"",         "a/",   "a/b/",    "a-b/",        "a.b/",
                                      "d/e/f/g/", "d/e/", "z/\xe9/", "kernels/x y/"};
static const char *const files[] = {"a",         "b",        "a.c",      "a-",  "e",
                                    "new\nline", "\xff\xfe", "t\tab.cu", "z.c", "f"};
enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

static char blobs[4][OID_TEXT], missing_commit[OID_TEXT];
static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

static void make_blobs(void) {
    struct process p;
    sh("for i in 1 2 3 4; do echo $i >../b$i; done");
    assert_true(process_run(
        &p, (const char *const[]){"git", "hash-object", "-w", "../b1", "../b2", "../b3", "../b4", NULL},
        NULL));
    assert_int_equal(p.exit_code, 0);
    size_t n = p.out.n / 4 - 1;
    for (size_t i = 0; i < 4; i++) {
        memcpy(blobs[i], p.out.at + i * (n + 1), n);
        blobs[i][n] = '\0';
    }
    memset(missing_commit, 'c', n);
    missing_commit[n] = '\0';
    process_free(&p);
}

static void entry(FILE *out, unsigned mode, const char *oid, int stage, const char *folder,
                  const char *file) {
    fprintf(out, "%o %s %d\t%s%s", mode, oid, stage, folder, file);
    fputc('\0', out);
}

/* n random steps for `git update-index -z --index-info`: files, links, submodules, removals, conflicts. */
static void random_entries(unsigned n, bool conflicts) {
    FILE *out = fopen("../steps", "wb");
    assert_non_null(out);
    for (unsigned i = 0; i < n; i++) {
        const char *folder = folders[below(FOLDERS)], *file = files[below(FILES)], *blob = blobs[below(4)];
        size_t width = strlen(blob);
        switch (below(12)) {
        case 0: entry(out, 0120000, blob, 0, folder, file); break;
        case 1: entry(out, 0160000, missing_commit, 0, folder, file); break;
        case 2: entry(out, 0100755, blob, 0, folder, file); break;
        case 3:
        case 4: entry(out, 0, zeros + 64 - width, 0, folder, file); break;
        case 5:
            if (!conflicts) break;
            entry(out, 0, zeros + 64 - width, 0, folder, file);
            for (int stage = 1; stage <= 3; stage++)
                if (below(3)) entry(out, 0100644, blob, stage, folder, file);
            break;
        default: entry(out, 0100644, blob, 0, folder, file);
        }
    }
    assert_int_equal(fclose(out), 0);
    sh("git update-index -z --replace --index-info <../steps");
}

static void promise_a_file(void) {
    sh("f='d/e/promised-%u'; mkdir -p d/e 2>/dev/null && : >$f 2>/dev/null && git add -fN -- $f 2>/dev/null "
       "|| :",
       below(3));
}

static size_t n_compared;

static void expect_agreement(void) { n_compared += expect_same(&index_reader, &plumbing_reader); }

/* `before` is run once, `between` after the first commit and between the steps that follow. */
static void try_kind(const char *options, const char *before, const char *between) {
    n_compared = 0;
    for (uint32_t round = 1; round <= 2; round++) {
        seed = round * 2654435761u;
        fresh_repository(options);
        sh("%s", before);
        make_blobs();
        random_entries(40, false);
        expect_agreement(); /* nothing is committed yet, no cached tree */
        sh("git commit -qm one && %s", between);
        expect_agreement();
        for (unsigned step = 0; step < 3; step++) {
            random_entries(1 + 5 * step, step == 2);
            if (step == 1) promise_a_file();
            expect_agreement(); /* with cached trees that are partly invalid */
            sh("%s; git write-tree >/dev/null 2>&1 || :", between);
            expect_agreement(); /* and with all of them */
        }
    }
    if (n_compared < 60) fail_msg("only %zu changes were compared", n_compared);
}

static void every_version(void **state) {
    (void)state;
    try_kind("", "git config index.version 2", ":");
    try_kind("", "git config index.version 3", ":");
    try_kind("", "git config index.version 4", "git update-index --index-version 4");
    try_kind("", "git config index.threads 2 && git config index.version 4", ":");
}

static void a_split_index(void **state) {
    (void)state;
    try_kind("", ":", "git update-index --split-index");
    try_kind("", "git config core.splitIndex true && git config splitIndex.maxPercentChange 100", ":");
    try_kind("--object-format=sha256", "git config index.version 4 && git config core.splitIndex true", ":");
}

static void sha256_names(void **state) {
    (void)state;
    try_kind("--object-format=sha256", ":", "git gc -q");
}

static void packed_with_deltas(void **state) {
    (void)state;
    try_kind("", "git config gc.auto 0",
             "git repack -qadf --depth=50 && git prune-packed && git pack-refs --all");
    try_kind("", "git config gc.auto 0 && git config repack.useDeltaBaseOffset false",
             "git repack -qadf && git multi-pack-index write && git pack-refs --all --prune");
}

static void a_detached_head(void **state) {
    (void)state;
    try_kind("", ":", "git checkout -q --detach 2>/dev/null || git update-ref --no-deref HEAD HEAD");
}

static void extensions_of_the_repository(void **state) {
    (void)state;
    try_kind("",
             "git config core.repositoryformatversion 1 && git config extensions.worktreeConfig true && git "
             "config "
             "core.untrackedCache true",
             ":");
}

/* Rows of a large folder, so that deltas and cached trees have something to do. */
static void many_files(void **state) {
    (void)state;
    fresh_repository("");
    sh("mkdir -p x/y/z w && for i in $(seq 400); do echo $i >x/y/z/f$i; echo $i >w/$i; done && git add . && "
       "git commit -qm one && echo n >w/17 && git add . && git commit -qm two && git repack -qadf && git "
       "prune-packed");
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 0);
    sh("echo m >w/18 && git add . && git rm -qr x/y/z && echo y >x && git add x || :");
    if (expect_same(&index_reader, &plumbing_reader) < 400) fail_msg("too few changes");
}

static void a_linked_worktree(void **state) {
    (void)state;
    fresh_repository("");
    sh("mkdir d && echo 1 >d/a && git add . && git commit -qm one && git worktree add -q ../tree -b side && "
       "git config core.bare true && echo here >b");
    assert_int_equal(chdir("../tree"), 0);
    sh("echo 2 >d/a && mkdir -p e/f && git add .");
    assert_int_equal(chdir("e/f"), 0); /* found from below too */
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
    assert_int_equal(chdir(scratch), 0);
    sh("git -C repo config core.bare false");
}

static void alternates_and_another_index(void **state) {
    (void)state;
    fresh_repository("");
    sh("mkdir d && echo 1 >d/a && git add . && git commit -qm one && rm -rf ../borrower && git clone -qs . "
       "../borrower");
    assert_int_equal(chdir("../borrower"), 0);
    sh("echo 2 >d/a && git add . && cp .git/index .git/other && git reset -q");
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 0);
    assert_int_equal(setenv("GIT_INDEX_FILE", ".git/other", 1), 0);
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
    assert_int_equal(setenv("GIT_INDEX_FILE", ".git/none", 1), 0);
    assert_int_equal(expect_same(&index_reader, &plumbing_reader),
                     1); /* an index that is not there is empty */
    unsetenv("GIT_INDEX_FILE");
    assert_int_equal(setenv("GIT_DIR", "../repo/.git", 1), 0);
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 0);
    unsetenv("GIT_DIR");
}

/* With the variables of the environment that decide which repository is meant, from a working directory:
 * both say the same, or git too says that there is none. */
static void expect_same_with(const char *cwd, const char *const settings[][2], size_t n_settings) {
    struct arena arena = {0};
    struct change_list a, b;
    struct status st[2] = {{.message = ""}, {.message = ""}};
    assert_int_equal(chdir(cwd), 0);
    for (size_t i = 0; i < n_settings; i++) setenv(settings[i][0], settings[i][1], 1);
    bool ok = try_read(&a, &index_reader, &arena, &st[0]),
         git = try_read(&b, &plumbing_reader, &arena, &st[1]);
    for (size_t i = 0; i < n_settings; i++) unsetenv(settings[i][0]);
    if (ok != git)
        fail_msg("%s %s=%s: '%s', git: '%s'", cwd, *settings[0], settings[0][1], st[0].message,
                 st[1].message);
    if (ok && (!same_changes(&a, &b) || a.n == 0)) fail_msg("%s %s=%s", cwd, *settings[0], settings[0][1]);
    arena_release(&arena);
}

static void the_environment_decides(void **state) {
    (void)state;
    char parent[64], top[64], inner[64], ceilings[3][160];
    fresh_repository("");
    sh("mkdir -p d/e ../tree && echo 1 >d/a && git add . && git commit -qm one && echo 2 >d/a && git add . "
       "&& "
       "cp .git/index .git/other && ln -sfn $PWD ../link && mkdir -p d/e/.git ../objects && cp -r "
       ".git/objects/* "
       "../objects");
    snprintf(parent, sizeof parent, "%s", scratch);
    snprintf(top, sizeof top, "%s/repo", scratch);
    snprintf(inner, sizeof inner, "%s/repo/d/e", scratch);
    snprintf(ceilings[0], sizeof ceilings[0], "/x:%s/repo", scratch);
    snprintf(ceilings[1], sizeof ceilings[1], "%s/link/d", scratch);
    snprintf(ceilings[2], sizeof ceilings[2], ":%s/link:relative", scratch);
    const char *const cases[][2][2] = {
        {{"GIT_CEILING_DIRECTORIES", parent}},
        {{"GIT_CEILING_DIRECTORIES", ceilings[0]}},
        {{"GIT_CEILING_DIRECTORIES", ceilings[1]}},
        {{"GIT_CEILING_DIRECTORIES", ceilings[2]}},
        {{"GIT_CEILING_DIRECTORIES", "/"}},
        {{"GIT_DIR", ".git"}},
        {{"GIT_DIR", "../repo/.git"}},
        {{"GIT_DIR", "../../.git"}},
        {{"GIT_DIR", "nowhere"}},
        {{"GIT_WORK_TREE", "."}},
        {{"GIT_WORK_TREE", "d"}},
        {{"GIT_WORK_TREE", ".."}, {"GIT_INDEX_FILE", "repo/.git/other"}},
        {{"GIT_WORK_TREE", top}, {"GIT_INDEX_FILE", ".git/other"}},
        {{"GIT_INDEX_FILE", ".git/other"}},
        {{"GIT_COMMON_DIR", ".git"}, {"GIT_DIR", ".git"}},
        {{"GIT_OBJECT_DIRECTORY", "../objects"}},
        {{"GIT_OBJECT_DIRECTORY", "../nowhere"}},
        {{"GIT_DISCOVERY_ACROSS_FILESYSTEM", "1"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = cases[i][1][0] ? 2 : 1;
        expect_same_with(top, cases[i], n);
        expect_same_with(inner, cases[i], n);
    }
    assert_int_equal(chdir(top), 0);
    sh("git config core.worktree ../d");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_same_with(inner, cases[i], cases[i][1][0] ? 2 : 1);
    assert_int_equal(chdir(top), 0);
}

/* git itself makes one by `sparse-checkout set --sparse-index`; staged changes outside it come by plumbing.
 */
static void a_sparse_index(void **state) {
    (void)state;
    fresh_repository("");
    sh("mkdir -p in/a out/b out/c && for d in in in/a out out/b out/c; do echo 1 >$d/f; done && git add . && "
       "git commit -qm one && echo 2 >out/b/f && git commit -qam two && git sparse-checkout set "
       "--sparse-index in && "
       "echo 3 >in/a/f && git add in && git ls-files --sparse | grep -q '^out/$'");
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
    sh("git write-tree >/dev/null");
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
    sh("git reset -q --soft HEAD^ && git ls-files --sparse | grep -q '^out/$'"); /* a sparse folder differs */
    assert_int_equal(expect_same(&index_reader, &plumbing_reader), 2);
}

/* The index with an extension of that name before its checksum, which is zeros: index.skipHash. */
static void rewrite_index(const char *extension) {
    struct str bytes = {0};
    struct status st;
    char zeros_at_end[OBJID_SHA1] = {0};
    sh("rm -f ../whole && cp .git/index ../whole");
    assert_true(file_read(&bytes, ".git/index", 1 << 20, &st));
    bytes.n -= OBJID_SHA1;
    if (extension[0]) {
        str_add(&bytes, extension, 4);
        str_add(&bytes, "\0\0\0\3xyz", 7);
    }
    str_add(&bytes, zeros_at_end, sizeof zeros_at_end);
    assert_true(str_ok(&bytes, &st) && file_replace(".git/index", bytes.at, bytes.n, &st));
    str_free(&bytes);
}

static void expect_refusal(const char *what);

static void extensions_and_no_checksum(void **state) {
    (void)state;
    static const char *const kinds[] = {
        "git write-tree", "git reset -q --soft HEAD^ 2>/dev/null || :", "git update-index --index-version 4"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fresh_repository("");
        sh("mkdir d && echo 1 >d/a && git add . && git commit -qm one && echo 2 >d/a && git add . && %s",
           kinds[i]);
        rewrite_index("");
        assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
        rewrite_index("FSMX"); /* optional, git passes over it as well, with a word on stderr */
        assert_int_equal(expect_same(&index_reader, &plumbing_reader), 1);
        rewrite_index("fsmx");
        expect_refusal("extension 'fsmx'");
    }
}

/* --- what is refused --- */

static void expect_refusal(const char *what) {
    struct arena arena = {0};
    struct change_list list;
    struct status st = {.message = ""};
    if (try_read(&list, &index_reader, &arena, &st)) fail_msg("it was read, though %s", what);
    if (!strstr(st.message, what)) fail_msg("'%s' does not say '%s'", st.message, what);
    arena_release(&arena);
}

static void refusals_say_why(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"git config core.repositoryformatversion 1; git config extensions.refStorage reftable",
         "extensions.refstorage = reftable"},
        {"git config core.repositoryformatversion 2", "format version 2"},
        {"git config extensions.somethingNew 1", "extensions.somethingnew"},
        {"printf '[broken' >>.git/config", "not understood"},
        {": >.git/index", "empty"},
        {"echo garbage >.git/index", "no index"},
        {"git replace HEAD $(git commit-tree HEAD^{tree} -m r)", "replace refs"},
        {"git replace HEAD $(git commit-tree HEAD^{tree} -m r); git pack-refs --all; rm -rf "
         ".git/refs/replace",
         "replace refs"},
        {"echo x >.git/HEAD", "damaged"},
        {"echo 'ref: ../../x' >.git/HEAD", "names no ref"},
        {"rm -f .git/objects/*/*", "missing"},
        {"for f in .git/objects/*/*; do chmod u+w $f; echo >$f; done", "damaged"},
        {"p() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }; h=$(git rev-parse HEAD); "
         "c=$(git commit-tree 'HEAD^{tree}' -m other); chmod u+w $(p $h); cp $(p $c) $(p $h)",
         "another name"},
        {"printf 'DIRC\\0\\0\\0\\7\\0\\0\\0\\0' | dd of=.git/index conv=notrunc status=none", "version 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fresh_repository("");
        sh("mkdir d && echo 1 >d/a && git add . && git commit -qm one && echo 2 >d/a && git add . && { %s; }",
           cases[i][0]);
        expect_refusal(cases[i][1]);
    }
    fresh_repository("");
    setenv("GIT_GRAFT_FILE", "/nowhere", 1);
    expect_refusal("GIT_GRAFT_FILE is set");
    unsetenv("GIT_GRAFT_FILE");
}

/* Flips one bit of every `stride`th byte of a file. Each time the answer is that of before, or none. */
static void flip(const char *path, size_t stride, const struct change_list *want) {
    struct str before = {0};
    size_t n_refused = 0;
    assert_true(file_read(&before, path, 1 << 24, NULL));
    sh("chmod u+w %s", path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    for (size_t i = 0; i < before.n; i += stride) {
        struct arena arena = {0};
        struct change_list got;
        struct status st;
        char flipped = (char)(before.at[i] ^ 1 << below(8));
        assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
        bool ok = try_read(&got, &index_reader, &arena, &st);
        if (ok && !same_changes(&got, want)) fail_msg("%s: byte %zu flipped is a wrong answer", path, i);
        n_refused += !ok;
        arena_release(&arena);
        assert_int_equal(pwrite(fd, before.at + i, 1, (off_t)i), 1);
    }
    close(fd);
    if (n_refused == 0) fail_msg("%s: no flipped byte was noticed", path);
    str_free(&before);
}

static void flip_kind(const char *options, const char *prepare) {
    struct arena arena = {0};
    struct change_list want;
    seed = 7;
    fresh_repository(options);
    make_blobs();
    random_entries(60, false);
    sh("git commit -qm one");
    random_entries(3, false);
    sh("%s", prepare);
    read_with(&want, &plumbing_reader, &arena);
    flip(".git/index", 1, &want);
    arena_release(&arena);
}

static void a_flipped_bit_is_no_wrong_answer(void **state) {
    (void)state;
    flip_kind("", "git write-tree >/dev/null");
    flip_kind("", ":"); /* trees that are invalid: the checksum speaks */
    flip_kind("", "git update-index --index-version 4; git write-tree >/dev/null");
    flip_kind("", "git update-index --split-index; git write-tree >/dev/null");
    flip_kind("--object-format=sha256", "git write-tree >/dev/null");
}

static void a_flipped_bit_in_a_pack_neither(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list want;
    fresh_repository("");
    sh("mkdir -p x/y && for i in $(seq 60); do echo $i >x/y/f$i; done && git add . && git commit -qm one && "
       "echo n >x/y/f7 && git add . && git commit -qm two && git repack -qadf && git prune-packed && "
       "echo m >x/y/f8 && git add . && git write-tree >/dev/null && mv .git/objects/pack/*.pack ../p && "
       "mv .git/objects/pack/*.idx ../i && rm -f .git/objects/pack/* && mv ../p .git/objects/pack/p.pack && "
       "mv ../i .git/objects/pack/p.idx && git fsck 2>/dev/null");
    read_with(&want, &plumbing_reader, &arena);
    assert_int_equal(want.n, 1);
    flip(".git/objects/pack/p.idx", 3, &want);
    flip(".git/objects/pack/p.pack", 3, &want);
    arena_release(&arena);
}

/* Every cut of an index is refused or, behind the last extension, no different. */
static void a_cut_index_is_refused(void **state) {
    (void)state;
    struct str bytes = {0};
    fresh_repository("");
    make_blobs();
    seed = 3;
    random_entries(20, false);
    assert_true(file_read(&bytes, ".git/index", 1 << 20, NULL));
    for (size_t n = 0; n < bytes.n; n++) {
        struct indexfile index;
        struct status st;
        uint8_t *exact = malloc(n + 1);
        memcpy(exact, bytes.at, n);
        if (indexfile_open(&index, exact, n, OBJID_SHA1, &st)) {
            assert_false(indexfile_verify(&index, &st));
            indexfile_close(&index);
        }
        free(exact);
    }
    str_free(&bytes);
}

/* Nothing under .git is written, whichever kind it is. */
static void nothing_is_written(void **state) {
    (void)state;
    struct arena arena = {0};
    struct change_list list;
    fresh_repository("");
    make_blobs();
    seed = 11;
    random_entries(30, true);
    promise_a_file();
    sh("find .git -type f -printf '%%p %%s %%T@ %%C@\\n' | sort >../before");
    read_with(&list, &index_reader, &arena);
    sh("find .git -type f -printf '%%p %%s %%T@ %%C@\\n' | sort >../after; cmp ../before ../after");
    arena_release(&arena);
}

int main(void) {
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version),
        cmocka_unit_test(a_split_index),
        cmocka_unit_test(sha256_names),
        cmocka_unit_test(packed_with_deltas),
        cmocka_unit_test(a_detached_head),
        cmocka_unit_test(extensions_of_the_repository),
        cmocka_unit_test(many_files),
        cmocka_unit_test(a_linked_worktree),
        cmocka_unit_test(alternates_and_another_index),
        cmocka_unit_test(the_environment_decides),
        cmocka_unit_test(extensions_and_no_checksum),
        cmocka_unit_test(a_sparse_index),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_flipped_bit_is_no_wrong_answer),
        cmocka_unit_test(a_flipped_bit_in_a_pack_neither),
        cmocka_unit_test(a_cut_index_is_refused),
        cmocka_unit_test(nothing_is_written),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
