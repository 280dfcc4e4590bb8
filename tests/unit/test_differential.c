/* differential: repositories of random kind and content, and after every few random steps all three readers
 * beside `git diff-index --cached -z`. N=200 in the environment: as many repositories (default 4); SEED=S:
 * from that one on. The mapped reader may refuse none of them. */
#include "tests/unit/made_repo.h"

/* --- what a step may do ----------------------------------------------------------------------------------
 */

/* Names that sort around '/', that git quotes, that look like options, and bytes that are no UTF-8. */
static const char *const folders[] = {".", "a", "a/b", "a-b", "a.b", "d e", "in", "in/n", "z\xe9"};
static const char *const files[] = {"a", "b", "a.c", "a-", "-n", "new\nline", "\xff\xfe", "q\"t.cu", "file"};
enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

/* Each is a line of shell: $f is a file, $g another, $d a folder, $n a number, $id an object that nobody has.
 */
static const char *const edits[] = {
    "mkdir -p \"$d\" && echo $n >\"$f\" && git add -- \"$f\"",
    "mkdir -p \"$d\" && echo $n >\"$f\" && git add -- \"$f\"",
    "mkdir -p \"$d\" && echo $n >\"$f\"",
    "git rm -qrf --ignore-unmatch -- \"$f\"",
    "git rm -qr --cached --ignore-unmatch -- \"$d\"",
    "rm -f \"$f\" && git add -A",
    "[ -e \"$g\" ] || git mv -- \"$f\" \"$g\"",
    "[ ! -f \"$f\" ] || { chmod +x \"$f\" && git add -- \"$f\"; }",
    "git update-index --chmod=-x -- \"$f\"",
    "rm -rf \"$f\" && ln -s target$n \"$f\" && git add -- \"$f\"",
    "rm -rf \"$f\" && mkdir -p \"$f\" && echo $n >\"$f/inner\" && git add -A -- \"$f\"",
    "[ \"$d\" = . ] || { rm -rf \"$d\" && echo $n >\"$d\" && git add -A -- \"$d\"; }",
    "git update-index --add --replace --cacheinfo 160000,$id,\"$d/module\"",
    "[ -e \"$f\" ] || { mkdir -p \"$d\" && echo $n >\"$f\" && git add -N -- \"$f\"; }",
    "git rm -q --cached -- \"$f\" && git add -N -- \"$f\"",
    "conflict",
    "git update-index --assume-unchanged -- \"$f\"",
    "git update-index --skip-worktree -- \"$f\" && rm -f \"$f\"",
    "git update-index --no-skip-worktree -- \"$f\"",
};

static const char *const moves[] = {
    "git commit -qm $n",
    "git commit -qam $n",
    "git commit -q --amend --allow-empty -m $n",
    "git checkout -qb side$n",
    "git checkout -qf --detach",
    "git reset -q --soft HEAD^",
    "git reset -q --mixed HEAD^",
    "git reset -q --hard",
    "git merge -q -m $n $(git for-each-ref --format='%(refname)' refs/heads | tail -1)",
    "git merge --abort",
    "git checkout -q --orphan new$n",
    "git read-tree HEAD",
    "git stash -q",
};

static const char *const shapes[] = {
    "git write-tree",
    "git write-tree",
    "git update-index --index-version 2",
    "git update-index --index-version 4",
    "git update-index --split-index",
    "git update-index --no-split-index",
    "git update-index --force-untracked-cache",
    "git config index.threads 2 && git update-index --force-write-index --refresh", /* EOIE and IEOT */
    "git repack -qadf && git prune-packed",
    "git -c repack.useDeltaBaseOffset=false repack -qdf",
    "git repack -qd && git multi-pack-index write",
    "git pack-refs --all --prune",
    "git commit-graph write --reachable",
    "git gc -q --prune=now",
    "git sparse-checkout set --cone --sparse-index in",
    "git sparse-checkout set --cone --no-sparse-index a in",
    "git sparse-checkout disable",
    "rm -f .git/objects/info/commit-graph",
};

static const char *const kinds[] = {
    "",
    "",
    "--object-format=sha256",
    "--separate-git-dir=elsewhere",
};

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

static void put_word(struct str *out, const char *name, const char *a, const char *b) {
    str_printf(out, "%s='%s%s%s'; ", name, a, *b ? "/" : "", b);
}

/* git 2.39 breaks an index that is split and sparse: half of the repositories are never the one, half never
 * the other. */
static const char *pick_shape(uint32_t repository) {
    const char *shape = PICK(shapes);
    return strstr(shape, repository % 2 ? "split" : "sparse") ? ":" : shape;
}

/* Some steps as one program of the shell; what one cannot do here it leaves. */
static void take_steps(size_t n_steps, uint32_t repository) {
    struct str program = {0};
    struct process p;
    str_puts(&program, "exec >/dev/null 2>&1; unset GIT_ALLOW_PROTOCOL\n"
                       "conflict() { for s in 0 1 3; do printf \"$((s ? 100644 : 0)) $id $s\\t$f\\0\"; done |"
                       "git update-index -z --index-info; }\n");
    for (size_t i = 0; i < n_steps; i++) {
        const char *folder = PICK(folders);
        put_word(&program, "d", folder, "");
        put_word(&program, "f", folder, PICK(files));
        put_word(&program, "g", PICK(folders), PICK(files));
        uint32_t kind = below(8);
        const char *step = kind < 5 ? PICK(edits) : kind < 6 ? PICK(moves) : pick_shape(repository);
        str_printf(&program, "n=%u; id=%s; ( %s )\n", below(100), "$(git hash-object -t tree /dev/null)",
                   step);
    }
    assert_false(program.failed);
    assert_true(process_run(&p, (const char *const[]){"sh", "-c", str_c(&program), NULL}, NULL));
    process_free(&p);
    str_free(&program);
}

/* --- the oracle ------------------------------------------------------------------------------------------
 */

/* The oracle's own words: ":MODE MODE OID OID STATUS\0PATH\0" again and again; unmerged ones left out. What
 * `add -N` promised is not part of a commit, and shown as an empty file unless git is told so. */
static void ask_diff_index(struct str *out) {
    static const char command[] =
        "git diff-index --cached -z --raw --no-renames --no-abbrev --ita-invisible-in-index "
        "$(git rev-parse -q --verify HEAD || git hash-object -t tree /dev/null) --";
    struct process p;
    assert_true(process_run(&p, (const char *const[]){"sh", "-c", command, NULL}, NULL));
    if (p.exit_code) fail_msg("diff-index: %s", str_c(&p.err));
    for (const char *at = str_c(&p.out), *end = at + p.out.n; at < end;) {
        const char *path = at + strlen(at) + 1;
        if (path[-2] != 'U') str_printf(out, "%s %s\n", at, path);
        at = path + strlen(path) + 1;
    }
    assert_false(out->failed);
    process_free(&p);
}

static void put_changes(struct str *out, const struct change_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        const struct change *c = &list->at[i];
        str_printf(out, ":%06o %06o %s %s %c %s\n", c->old_mode, c->new_mode, c->old_oid, c->new_oid,
                   c->status, c->path);
    }
}

static struct { size_t n_repositories, n_compared, n_changes, n_broken, n_refused[3]; } count;

/* git 2.39 now and then leaves entries twice, in a split or a sparse index, and then dies of it itself
 * ("multiple stage entries for merged file", or no word at all): such a repository is given up. */
static bool is_broken(void) {
    struct process p;
    const char *before = NULL;
    assert_true(
        process_run(&p, (const char *const[]){"git", "ls-files", "-s", "-z", "--sparse", NULL}, NULL));
    bool broken = p.exit_code >= 128;
    for (const char *at = str_c(&p.out), *end = at + p.out.n; at < end; at += strlen(at) + 1) {
        const char *path = strchr(at, '\t') + 1;
        int order = before ? strcmp(before, path) : -1;
        broken |= order > 0 || (order == 0 && before[-2] >= path[-2]); /* the stage */
        before = path;
    }
    process_free(&p);
    return broken;
}

/* "the object X is missing": git lacks it too. (`gc --prune=now` takes the trees of a sparse index,
 * git 2.39.) */
static bool is_pruned(const char *why) {
    static const char start[] = "the object ";
    struct process p;
    char oid[OID_TEXT] = "";
    if (strncmp(why, start, sizeof start - 1) != 0 || !strstr(why, "is missing")) return false;
    if (sscanf(why + sizeof start - 1, "%64[0-9a-f]", oid) != 1) return false;
    assert_true(process_run(&p, (const char *const[]){"git", "cat-file", "-e", oid, NULL}, NULL));
    bool missing = p.exit_code != 0;
    process_free(&p);
    return missing;
}

/* False when git broke the repository. */
static bool compare(uint32_t repository) {
    static const struct reader *const readers[] = {&index_reader, &repo_reader, &plumbing_reader};
    struct str said[3] = {{0}}, truth = {0};
    struct status st[3];
    bool ok[3];
    for (int i = 0; i < 3; i++) {
        struct arena arena = {0};
        struct change_list list;
        ok[i] = try_read(&list, readers[i], &arena, &st[i]);
        put_changes(&said[i], &list);
        arena_release(&arena);
    }
    bool broken = (!ok[0] && is_pruned(st[0].message)) || ((!ok[0] || !ok[2]) && is_broken());
    if (!broken) ask_diff_index(&truth);
    for (int i = 0; i < 3 && !broken; i++) {
        bool agrees = strcmp(str_c(&said[i]), str_c(&truth)) == 0;
        bool wrong = ok[i] ? !agrees : i != 1; /* libgit2 may refuse */
        count.n_refused[i] += !ok[i];
        broken = wrong && is_broken();
        if (wrong && !broken)
            fail_msg("SEED=%u: %s says '%s'\n%s\ngit diff-index says\n%s", repository, readers[i]->name,
                     ok[i] ? "" : st[i].message, str_c(&said[i]), str_c(&truth));
    }
    for (const char *c = str_c(&truth); *c; c++) count.n_changes += *c == '\n';
    for (int i = 0; i < 3; i++) str_free(&said[i]);
    str_free(&truth);
    count.n_compared += !broken;
    count.n_broken += broken;
    return !broken;
}

static uint32_t number_of(const char *name, uint32_t otherwise) {
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

static void all_readers_say_what_diff_index_says(void **state) {
    (void)state;
    uint32_t first = number_of("SEED", 1), n = number_of("N", 4);
    for (uint32_t repository = first; repository < first + n; repository++) {
        seed = repository * 2654435761u;
        sh("rm -rf %s/elsewhere", scratch);
        fresh_repository(PICK(kinds));
        bool sound = true;
        for (int step = 0; sound && step < 8; step++) {
            take_steps(step ? 2 + below(6) : 12, repository);
            sound = compare(repository);
        }
        count.n_repositories++;
    }
    print_message(
        "%zu repositories, %zu comparisons, %zu changes; refused: index %zu, libgit2 %zu, git %zu\n",
        count.n_repositories, count.n_compared, count.n_changes, count.n_refused[0], count.n_refused[1],
        count.n_refused[2]);
    if (count.n_broken > 1 + n / 20) fail_msg("git broke %zu repositories", count.n_broken);
    if (count.n_changes < 8 * n) fail_msg("only %zu changes were compared", count.n_changes);
}

int main(void) {
    if (!made_repo_begin()) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_readers_say_what_diff_index_says)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    made_repo_end();
    return code;
}
