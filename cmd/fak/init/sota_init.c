/* sota_init: `fak sota init`, a first matrix for a repository that has none. Lives in lib/fak-init.so,
 * because it scans. */
#include "base/file.h"
#include "cmd/cli/cli.h"
#include "coverage/debt/propose.h"
#include "git/plumbing/catfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual[] = "sotadb/seed/10-proposed.sql";

struct init {
    struct arena arena;
    struct tree tree;
    struct survey survey;
    struct str seed, target;
    bool to_stdout;
};

/* Where it goes, and that nothing is there yet: a matrix that somebody wrote is not to be written over. */
static bool choose_target(struct init *init, const struct cli_args *args, struct status *st) {
    const char *output = cli_value(args, "--output");
    init->to_stdout = output ? strcmp(output, "-") == 0 : init->tree.bare;
    if (init->to_stdout) return true;
    if (output) str_puts(&init->target, output);
    else str_printf(&init->target, "%s/%s", init->tree.root, usual);
    if (!str_ok(&init->target, st)) return false;
    if (!output && tree_matches(&init->tree, "sotadb/seed/*.sql"))
        return status_fail(
            st, STATUS_USAGE,
            "this repository has a matrix in sotadb/seed already; `sota-coverage` says what it lacks, and "
            "-o - shows what would be proposed");
    if (access(str_c(&init->target), F_OK) == 0)
        return status_fail(st, STATUS_USAGE,
                           "%s is there already; move it away, or name another file with -o",
                           str_c(&init->target));
    return true;
}

static bool make_folders(const char *path, struct status *st) {
    struct str part = {0};
    bool ok = true;
    for (const char *slash = strchr(path + 1, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        str_clear(&part);
        str_add(&part, path, (size_t)(slash - path));
        ok = str_ok(&part, st) && (mkdir(str_c(&part), 0777) == 0 || errno == EEXIST ||
                                   status_fail_errno(st, "cannot make the folder %s", str_c(&part)));
    }
    str_free(&part);
    return ok;
}

static bool propose(struct init *init, struct proposal *proposal, struct status *st) {
    static const struct matrix none = {.source = ""};
    struct survey_options options = {.jobs = 2};
    struct catfile blobs = {.socket = -1};
    bool work = init->tree.kind == TREE_WORK && !init->tree.n_sparse;
    if (!survey_tree(&init->survey, &init->tree, &none, &options, &init->arena, st)) return false;
    if (!init->survey.n_files)
        return status_fail(st, STATUS_NOT_FOUND,
                           "no kernel was found in %s: there is nothing to propose a matrix for",
                           init->tree.folder);
    bool ok = (work || catfile_open(&blobs, init->tree.folder, st)) &&
              propose_seed(&init->seed, proposal, &init->survey, &init->tree, &sota_matrix, &blobs, st);
    catfile_close(&blobs);
    return ok;
}

static bool write_seed(struct init *init, struct cli *cli, const struct proposal *p, struct status *st) {
    if (init->to_stdout) {
        str_add(&cli->out, str_c(&init->seed), init->seed.n);
        return true;
    }
    if (!make_folders(str_c(&init->target), st) ||
        !file_replace(str_c(&init->target), str_c(&init->seed), init->seed.n, st))
        return false;
    term_safe(&cli->out, str_c(&init->target));
    str_printf(&cli->out,
               "\n%zu operation%s for %zu of %zu kernel files (%zu kernels); %zu fit none and are listed at "
               "its end.\n"
               "Every row is a guess: answer its REVIEW marks, then run sota-coverage.\n",
               p->n_ops, p->n_ops == 1 ? "" : "s", p->n_covered, p->n_files, p->n_kernels,
               p->n_files - p->n_covered);
    return true;
}

static int sota_init(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct init init = {0};
    struct proposal proposal;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    const char *folder = cli_value(&args, "--directory");
    bool ok = tree_open(&init.tree, folder ? folder : ".", TREE_WORK, NULL, &init.arena, &st) &&
              choose_target(&init, &args, &st) && propose(&init, &proposal, &st) &&
              write_seed(&init, cli, &proposal, &st);
    int code = ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
    str_free(&init.seed);
    str_free(&init.target);
    arena_release(&init.arena);
    return code;
}

static const struct cli_entry entries[] = {{"sota init", sota_init}, {NULL, NULL}};

CLI_EXPORT const struct cli_entries fak_commands = {entries};
