/* fak hooks: install, uninstall, status, and what the hooks themselves run. */
#include "cmd/fak/hooks/hooks_entries.h"
#include "hooks/install/install.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- fak hooks run STAGE: exit 0, whatever happens
 * ---------------------------------------------------------- */

static bool word_in_list(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ", ");
        if (length == n && strncmp(at, word, n) == 0) return true;
        at += length;
        at += strspn(at, ", ");
    }
    return false;
}

static bool switched_off(const char *stage) {
    const char *skip = getenv("FAK_SKIP"), *list = getenv("SKIP"), *advised = getenv("FAK_ADVISED");
    if (skip && *skip && strcmp(skip, "0") != 0) return true;
    if (list && word_in_list(list, "priorart")) return true;
    return advised && strcmp(advised, stage) == 0; /* another hook of ours spoke in this commit */
}

static bool run_stage(struct stage_output *out, const char *stage, struct stage_input *in, int argc,
                      char **argv, struct status *st) {
    const char *editor = getenv("GIT_EDITOR"); /* git sets ":" where it opens none */
    in->message_file = argc > 0 ? argv[0] : NULL;
    in->source = argc > 1 ? argv[1] : "";
    in->editor = !editor || strcmp(editor, ":") != 0;
    if (strcmp(stage, "pre-commit") == 0) {
        in->message_file = NULL;
        return stage_pre_commit(out, in, st);
    }
    if (!in->message_file)
        return status_fail(st, STATUS_USAGE, "%s needs the message file as its argument", stage);
    if (strcmp(stage, "commit-msg") == 0) return stage_commit_msg(out, in, st);
    if (strcmp(stage, "prepare-commit-msg") == 0) return stage_prepare_commit_msg(out, in, st);
    return status_fail(st, STATUS_USAGE, "there is no stage '%s': commit-msg, prepare-commit-msg, pre-commit",
                       stage);
}

int fak_hooks_run(struct cli *cli, int argc, char **argv) {
    const char *stage = argc > 1 ? argv[1] : "";
    signal(SIGPIPE, SIG_IGN);
    if (switched_off(stage)) return 0;
    struct stage_input in = {
        .matrix = &sota_matrix,
        .term = &cli->out_term,
        .repository = {.load = hooks_load_libgit2,
                       .config_by_git = hooks_config_by_environment(),
                       .committing = true,
                       .author_date = getenv("GIT_AUTHOR_DATE")},
    };
    struct stage_output out = {0};
    struct status st;
    if (!run_stage(&out, stage, &in, argc - 2, argv + 2, &st))
        fprintf(stderr, "fak: prior art was not checked: %s\n", st.message);
    fputs(str_c(&out.advice), stdout);
    fflush(stdout);
    fputs(str_c(&out.note), stderr);
    stage_output_free(&out);
    return 0;
}

/* --- install, uninstall, status
 * --------------------------------------------------------------------------------- */

static const char *const installed[] = {"commit-msg", "prepare-commit-msg"};
enum { N_INSTALLED = sizeof installed / sizeof *installed };

static bool program_path(char *out, size_t room, struct status *st) {
    ssize_t n = readlink("/proc/self/exe", out, room - 1);
    if (n <= 0) return status_fail_errno(st, "cannot tell where this program is (/proc/self/exe)");
    out[n] = '\0';
    return true;
}

static const char *state_text(enum install_state state) {
    switch (state) {
    case INSTALL_NONE: return "not installed";
    case INSTALL_FOREIGN: return "not installed (another hook is there)";
    case INSTALL_OURS: return "installed";
    case INSTALL_LINE: return "installed, in front of the hook that was there";
    case INSTALL_CALLS: return "installed (the hook that is there calls fak)";
    }
    return "";
}

static bool put_status(struct cli *cli, bool *fires, const struct install *place, struct status *st) {
    *fires = true;
    str_printf(&cli->out, "hooks of %s: %s\n",
               place->shared ? "all your repositories (core.hooksPath)" : "this repository",
               str_c(&place->dir));
    for (int i = 0; i < N_INSTALLED; i++) {
        enum install_state state;
        if (!install_look(&state, place, installed[i], st)) return false;
        *fires &= install_fires(state);
        str_printf(&cli->out, "  %-20s", installed[i]);
        term_put(&cli->out, &cli->out_term, install_fires(state) ? TERM_GREEN : TERM_YELLOW,
                 state_text(state));
        str_putc(&cli->out, '\n');
    }
    return true;
}

static bool do_install(struct cli *cli, bool *fires, const struct install *place, struct status *st) {
    char program[4096];
    if (!program_path(program, sizeof program, st)) return false;
    for (int i = 0; i < N_INSTALLED; i++)
        if (!install_add(place, installed[i], program, st)) return false;
    return put_status(cli, fires, place, st);
}

static bool do_uninstall(struct cli *cli, bool *fires, const struct install *place, struct status *st) {
    int count = 0;
    *fires = true;
    for (int i = 0; i < N_INSTALLED; i++) {
        bool removed;
        if (!install_remove(&removed, place, installed[i], st)) return false;
        count += removed;
    }
    if (count) str_printf(&cli->out, "removed from %s; what was there is as it was\n", str_c(&place->dir));
    else str_printf(&cli->out, "nothing of ours is in %s\n", str_c(&place->dir));
    return true;
}

typedef bool work(struct cli *cli, bool *fires, const struct install *place, struct status *st);

static int with_place(struct cli *cli, int argc, char **argv, work *what) {
    struct cli_args args;
    struct status st;
    struct install place;
    bool fires = false;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    bool ok = install_find(&place, &st) && what(cli, &fires, &place, &st);
    install_close(&place);
    return ok ? cli_finish(cli, fires ? 0 : 1) : cli_fail(cli, &st);
}

int fak_hooks_install(struct cli *cli, int argc, char **argv) {
    return with_place(cli, argc, argv, do_install);
}

int fak_hooks_uninstall(struct cli *cli, int argc, char **argv) {
    return with_place(cli, argc, argv, do_uninstall);
}

int fak_hooks_status(struct cli *cli, int argc, char **argv) {
    return with_place(cli, argc, argv, put_status);
}

int fak_hooks(struct cli *cli, int argc, char **argv) {
    struct status st;
    if (argc > 1)
        status_fail(&st, STATUS_USAGE, "there is no '%s': install, uninstall, status or run", argv[1]);
    else status_fail(&st, STATUS_USAGE, "say what to do: install, uninstall, status or run STAGE");
    return cli_fail(cli, &st);
}
