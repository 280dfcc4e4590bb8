/* repo: reads a repository with libgit2 1.5. The only file that knows <git2.h>. */
#include "git/reader.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

struct repo {
    git_repository *git;
    git_config *config; /* a snapshot, once asked */
};

/* What libgit2 complains about, in words a user knows. */
static const struct {
    const char *part, *words;
} known[] = {
    {"mandatory extension: 'link'", "split index"},
    {"mandatory extension: 'sdir'", "sparse index"},
    {"calculated checksum does not match", "the index checksum does not match its content, or is left out"},
    {"extensions.objectformat", "SHA-256 object names"},
    {"extensions.refstorage", "another ref format"},
    {"safe.directory", "another user owns it"},
    {"not owned by current user", "another user owns it"},
    {"GIT_WORK_TREE unimplemented", "GIT_WORK_TREE is set"},
    {"GIT_COMMON_DIR unimplemented", "GIT_COMMON_DIR is set"},
    {"no longer exists", "the index is unreadable"}, /* libgit2 says so of a garbled one */
};

static bool fail(struct status *st, const char *what) {
    const git_error *error = git_error_last();
    const char *message = error && error->message ? error->message : "no reason given";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(message, known[i].part)) return status_fail(st, STATUS_UNSUPPORTED, "%s", known[i].words);
    return status_fail(st, STATUS_BAD_INPUT, "%s: %s", what, message);
}

static int stop_at_first(const char *name, void *found) {
    (void)name;
    *(bool *)found = true;
    return 1;
}

/* libgit2 reads the objects that names name, where git reads those that were put in their place. */
static bool refuse_replaced(git_repository *git, struct status *st) {
    bool replaced = false;
    git_reference_foreach_glob(git, "refs/replace/*", stop_at_first, &replaced);
    return replaced ? status_fail(st, STATUS_UNSUPPORTED, "the repository has replace refs") : true;
}

static bool repo_open(void **handle, struct status *st) {
    /* Extensions that change nothing about how index and objects are read. */
    static const char *harmless[] = {"worktreeconfig", "partialclone", "preciousobjects",
                                     "relativeworktrees"};
    if (git_libgit2_init() < 0) return fail(st, "libgit2 does not start");
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, harmless, sizeof harmless / sizeof *harmless);
    struct repo *repo = calloc(1, sizeof *repo);
    if (!repo) {
        git_libgit2_shutdown();
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    }
    bool opened = git_repository_open_ext(&repo->git, NULL, GIT_REPOSITORY_OPEN_FROM_ENV, NULL) == 0 ||
                  fail(st, "cannot open the repository");
    if (opened && refuse_replaced(repo->git, st)) {
        *handle = repo;
        return true;
    }
    git_repository_free(repo->git);
    free(repo);
    git_libgit2_shutdown();
    return false;
}

static void repo_close(void *handle) {
    struct repo *repo = handle;
    if (!repo) return;
    git_config_free(repo->config);
    git_repository_free(repo->git);
    free(repo);
    git_libgit2_shutdown();
}

static bool read_config(struct repo *repo, struct status *st) {
    if (repo->config) return true;
    if (git_repository_config_snapshot(&repo->config, repo->git) == 0) return true;
    return fail(st, "cannot read the configuration");
}

static bool repo_facts(struct repo_facts *out, void *handle, struct arena *arena, struct status *st) {
    struct repo *repo = handle;
    const char *path = git_repository_path(repo->git), *common = git_repository_commondir(repo->git);
    int own = 0;
    if (!read_config(repo, st)) return false;
    if (git_config_get_bool(&own, repo->config, "extensions.worktreeconfig") != 0) own = 0;
    *out = (struct repo_facts){
        .git_dir = arena_copy(arena, path, strlen(path), st),
        .common_dir = arena_copy(arena, common, strlen(common), st),
        .bare = git_repository_is_bare(repo->git) == 1,
        .own_config = own != 0,
    };
    return out->git_dir && out->common_dir;
}

static bool repo_head(char oid[OID_TEXT], void *handle, struct status *st) {
    struct repo *repo = handle;
    git_oid head;
    oid[0] = '\0';
    int code = git_reference_name_to_id(&head, repo->git, "HEAD");
    if (code == 0) git_oid_tostr(oid, OID_TEXT, &head);
    else if (git_repository_head_unborn(repo->git) != 1) return fail(st, "cannot read HEAD");
    return true;
}

static bool find_commit(git_commit **out, struct repo *repo, const char *oid, struct status *st) {
    git_oid id;
    *out = NULL;
    if (git_oid_fromstr(&id, oid) == 0 && git_commit_lookup(out, repo->git, &id) == 0) return true;
    return fail(st, "cannot read a commit");
}

static bool repo_commit(struct commit *out, void *handle, const char *oid, struct status *st) {
    git_commit *commit;
    if (!find_commit(&commit, handle, oid, st)) return false;
    *out = (struct commit){.author_time = git_commit_author(commit)->when.time};
    unsigned n = git_commit_parentcount(commit);
    for (unsigned i = 0; i < n && i < COMMIT_PARENTS; i++)
        git_oid_tostr(out->parents[out->n_parents++], OID_TEXT, git_commit_parent_id(commit, i));
    git_commit_free(commit);
    return true;
}

/* `git add -N` promises a file and stages nothing: for a commit it is not there. libgit2 takes it as added.
 */
static bool only_intended(git_index *index, const git_diff_delta *delta) {
    const git_index_entry *entry = git_index_get_bypath(index, delta->new_file.path, 0);
    return entry && entry->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD;
}

/* "Assume unchanged" and "skip worktree" are about the working tree; libgit2 1.5 leaves such entries out of
 * what is staged too. Only the index in memory is changed. */
static void forget_marks(git_index *index) {
    for (size_t i = 0, n = git_index_entrycount(index); i < n; i++) {
        git_index_entry *entry = (git_index_entry *)(uintptr_t)git_index_get_byindex(index, i);
        entry->flags &= (uint16_t)~GIT_INDEX_ENTRY_VALID;
        entry->flags_extended &= (uint16_t)~GIT_INDEX_ENTRY_SKIP_WORKTREE;
    }
}

static char status_of(const git_diff_delta *delta) {
    switch (delta->status) {
    case GIT_DELTA_ADDED: return 'A';
    case GIT_DELTA_DELETED: return 'D';
    case GIT_DELTA_MODIFIED: return 'M';
    case GIT_DELTA_TYPECHANGE: return 'T';
    default: return 0; /* conflicted: not part of any commit */
    }
}

static struct change change_of(git_index *index, const git_diff_delta *delta) {
    struct change change = {.status = status_of(delta), .path = delta->new_file.path};
    change.old_mode = delta->old_file.mode;
    change.new_mode = delta->new_file.mode;
    git_oid_tostr(change.old_oid, OID_TEXT, &delta->old_file.id);
    git_oid_tostr(change.new_oid, OID_TEXT, &delta->new_file.id);
    if (index && change.status && change.status != 'D' && only_intended(index, delta)) {
        change.status = change.status == 'A' ? 0 : 'D';
        change.new_mode = 0;
        memset(change.new_oid, '0', strlen(change.new_oid));
    }
    return change;
}

static bool take_deltas(struct change_list *out, git_diff *diff, git_index *index, struct arena *arena,
                        struct status *st) {
    for (size_t i = 0, n = git_diff_num_deltas(diff); i < n; i++) {
        struct change change = change_of(index, git_diff_get_delta(diff, i));
        if (!change.status) continue;
        if (!change_add(out, &change, strlen(change.path), arena, st)) return false;
    }
    return true;
}

/* The tree of a commit; NULL for "". */
static bool tree_of(git_tree **out, struct repo *repo, const char *oid, struct status *st) {
    git_commit *commit = NULL;
    *out = NULL;
    if (!oid[0]) return true;
    if (!find_commit(&commit, repo, oid, st)) return false;
    bool ok = git_commit_tree(out, commit) == 0 || fail(st, "cannot read the tree of a commit");
    git_commit_free(commit);
    return ok;
}

static bool repo_staged(struct change_list *out, void *handle, const char *oid, struct arena *arena,
                        struct status *st) {
    struct repo *repo = handle;
    git_tree *tree;
    git_index *index = NULL;
    git_diff *diff = NULL;
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
    /* A missing tree must fail here: given no tree, the diff below would call every file new. */
    bool ok = tree_of(&tree, repo, oid, st);
    if (ok) ok = git_repository_index(&index, repo->git) == 0 || fail(st, "cannot read the index");
    if (ok) forget_marks(index);
    if (ok)
        ok = git_diff_tree_to_index(&diff, repo->git, tree, index, &options) == 0 ||
             fail(st, "cannot compare index and commit");
    if (ok) ok = take_deltas(out, diff, index, arena, st);
    git_diff_free(diff);
    git_index_free(index);
    git_tree_free(tree);
    return ok;
}

static bool repo_between(struct change_list *out, void *handle, const char *before, const char *after,
                         struct arena *arena, struct status *st) {
    struct repo *repo = handle;
    git_tree *old = NULL, *now = NULL;
    git_diff *diff = NULL;
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
    bool ok = tree_of(&old, repo, before, st) && tree_of(&now, repo, after, st);
    if (ok)
        ok = git_diff_tree_to_tree(&diff, repo->git, old, now, &options) == 0 ||
             fail(st, "cannot compare two commits");
    if (ok) ok = take_deltas(out, diff, NULL, arena, st);
    git_diff_free(diff);
    git_tree_free(now);
    git_tree_free(old);
    return ok;
}

static bool repo_message(struct str *out, void *handle, const char *oid, struct status *st) {
    git_commit *commit;
    if (!find_commit(&commit, handle, oid, st)) return false;
    str_puts(out, git_commit_message_raw(commit));
    git_commit_free(commit);
    return str_ok(out, st);
}

static bool repo_text(struct str *out, void *handle, const char *oid, size_t limit, struct status *st) {
    struct repo *repo = handle;
    git_oid id;
    git_blob *blob = NULL;
    if (git_oid_fromstr(&id, oid) != 0 || git_blob_lookup(&blob, repo->git, &id) != 0)
        return fail(st, "cannot read a blob");
    uint64_t n = (uint64_t)git_blob_rawsize(blob);
    bool ok = n <= limit;
    if (ok) str_add(out, git_blob_rawcontent(blob), (size_t)n);
    else status_fail(st, STATUS_UNSUPPORTED, "blob %s is longer than %zu bytes", oid, limit);
    git_blob_free(blob);
    return ok && str_ok(out, st);
}

static bool repo_config(struct str *out, bool *found, void *handle, const char *key, struct status *st) {
    struct repo *repo = handle;
    git_config_entry *entry = NULL;
    *found = false;
    if (!read_config(repo, st)) return false;
    int code = git_config_get_entry(&entry, repo->config, key);
    if (code != 0 && code != GIT_ENOTFOUND) return fail(st, "cannot read the configuration");
    *found = code == 0;
    if (entry) str_puts(out, entry->value ? entry->value : "true"); /* a key alone means true */
    git_config_entry_free(entry);
    return str_ok(out, st);
}

const struct reader repo_reader = {
    .name = "libgit2",
    .open = repo_open,
    .close = repo_close,
    .facts = repo_facts,
    .head = repo_head,
    .commit = repo_commit,
    .staged = repo_staged,
    .between = repo_between,
    .message = repo_message,
    .text = repo_text,
    .config = repo_config,
};
