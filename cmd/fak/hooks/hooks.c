/* fak hooks: what the hooks themselves run. */
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/off_switch.h"
#include "cmd/fak/whichmatrix.h"
#include "hooks/install/confhook.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- fak hooks run STAGE: exit 0, whatever happens --- */

static bool switched_off(const char *stage) {
    const char *advised = getenv("FAK_ADVISED"); /* another hook of ours spoke in this commit */
    return off_switch() || (advised && strcmp(advised, stage) == 0);
}

static bool run_stage(struct stage_output *out, const char *stage, struct stage_input *in, int argc,
                      char **argv, struct status *st) {
    const char *editor = getenv("GIT_EDITOR"); /* git sets ":" where it opens none */
    in->message_file = argc > 0 ? argv[0] : NULL;
    in->source = argc > 1 ? argv[1] : "";
    in->editor = !editor || strcmp(editor, ":") != 0;
    in->configured = getenv(CONFHOOK_ENV) != NULL;
    if (strcmp(stage, "pre-commit") == 0) {
        in->message_file = NULL;
        return stage_pre_commit(out, in, st);
    }
    bool commit_msg = strcmp(stage, "commit-msg") == 0;
    if (!commit_msg && strcmp(stage, "prepare-commit-msg") != 0)
        return status_fail(st, STATUS_USAGE,
                           "there is no stage '%s': commit-msg, prepare-commit-msg, pre-commit", stage);
    if (!in->message_file)
        return status_fail(st, STATUS_USAGE, "%s needs the message file as its argument", stage);
    return commit_msg ? stage_commit_msg(out, in, st) : stage_prepare_commit_msg(out, in, st);
}

int fak_hooks_run(struct cli *cli, int argc, char **argv) {
    const char *stage = argc > 1 ? argv[1] : "";
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is one more full disk */
    if (switched_off(stage)) return 0;
    struct stage_input in = {
        .load_scan = hooks_load_scan,
        .term = &cli->out_term,
        .repository = {.load = hooks_load_libgit2,
                       .config_by_git = hooks_config_by_environment(),
                       .committing = true,
                       .author_date = getenv("GIT_AUTHOR_DATE")},
    };
    struct stage_output out = {0};
    struct whichmatrix which = {0};
    struct status st;
    bool ok = whichmatrix_open(&which, &st);
    in.matrix = which.m;
    if (!ok || !run_stage(&out, stage, &in, argc - 2, argv + 2, &st)) {
        off_switch_complain("prior art was not checked", &st);
        str_clear(&out.advice); /* half of one is none */
    }
    whichmatrix_close(&which);
    fputs(str_c(&out.advice), stdout);
    fflush(stdout);
    fputs(str_c(&out.note), stderr);
    stage_output_free(&out);
    return 0;
}

int fak_hooks(struct cli *cli, int argc, char **argv) {
    struct status st;
    if (argc > 1)
        status_fail(&st, STATUS_USAGE, "there is no '%s': install, uninstall, status, doctor, agent or run",
                    argv[1]);
    else
        status_fail(&st, STATUS_USAGE,
                    "say what to do: install, uninstall, status, doctor, agent or run STAGE");
    return cli_fail(cli, &st);
}
