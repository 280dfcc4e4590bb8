/* fak hooks install, uninstall, status. */
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/hooks/hooks_survey.h"

#include <stdio.h>
#include <string.h>

static bool put_status(struct cli *cli, bool *fires, struct status *st) {
    struct hooks_survey survey;
    bool ok = hooks_survey_open(&survey, st);
    *fires = ok;
    if (ok)
        str_printf(&cli->out, "hooks of %s: %s\n",
                   hooks_shared(&survey) ? "all your repositories (core.hooksPath)" : "this repository",
                   str_c(&survey.place.dir));
    for (int i = 0; ok && i < HOOKS_INSTALLED; i++) {
        const struct hooks_seen *seen = &survey.seen[i];
        bool here = hooks_by_config(&survey, seen) || hooks_by_file(&survey, seen);
        struct str text = {0}, shown = {0};
        hooks_state_text(&text, &survey, seen);
        term_safe(&shown, str_c(&text));
        str_printf(&cli->out, "  %-20s", seen->hook);
        term_put(&cli->out, &cli->out_term, here ? TERM_GREEN : TERM_YELLOW, str_c(&shown));
        str_putc(&cli->out, '\n');
        str_free(&text);
        str_free(&shown);
        *fires &= here;
    }
    hooks_survey_close(&survey);
    return ok;
}

/* A runner writes its files anew, at the latest when its configuration changes: the place that lasts is
 * there. */
static void put_runner_hint(struct str *out, const struct hooks_survey *survey) {
    const struct install_seen *file = &survey->seen[0].file;
    if (file->state == INSTALL_LINE && file->runner && !hooks_by_config(survey, &survey->seen[0]))
        str_printf(out, "%s writes its hook files anew; an entry in %s stays (docs/hooks.md)\n",
                   runner_name(file->runner), runner_file(file->runner));
}

/* One way or the other, never both: each commit is advised once. */
static bool install_one(const struct hooks_survey *survey, const struct hooks_seen *seen, bool by_config,
                        const char *program, struct status *st) {
    bool removed;
    if (seen->file.runs && (seen->file.state == INSTALL_CALLS || seen->file.state == INSTALL_RUNNER))
        return confhook_remove(&removed, seen->hook, st);
    if (by_config)
        return install_remove(&removed, &survey->place, seen->hook, st) &&
               confhook_add(seen->hook, program, st);
    return confhook_remove(&removed, seen->hook, st) && install_add(&survey->place, seen->hook, program, st);
}

static bool install_all(struct cli *cli, bool files, struct status *st) {
    char program[4096];
    struct hooks_survey before = {0}, after = {0};
    bool restores = false;
    bool ok = hooks_program(program, sizeof program, st) && hooks_survey_open(&before, st) &&
              confhook_can_restore(&restores, st);
    if (ok && strchr(program, '\n'))
        ok = status_fail(st, STATUS_UNSUPPORTED,
                         "fak lies in a folder whose name holds a line break; move it");
    for (int i = 0; ok && i < HOOKS_INSTALLED; i++)
        ok = install_one(&before, &before.seen[i], before.configures && restores && !files, program, st);
    ok = ok && hooks_survey_open(&after, st);
    if (ok) put_runner_hint(&cli->out, &after);
    hooks_survey_close(&before);
    hooks_survey_close(&after);
    return ok;
}

static bool uninstall_all(struct cli *cli, struct status *st) {
    int count = 0;
    struct install place;
    bool ok = install_find(&place, st);
    for (int i = 0; ok && i < HOOKS_INSTALLED; i++) {
        bool file = false, section = false;
        ok = install_remove(&file, &place, hooks_names[i], st) &&
             confhook_remove(&section, hooks_names[i], st);
        count += file || section;
    }
    if (ok && count) str_puts(&cli->out, "removed; what was there is as it was\n");
    else if (ok) str_printf(&cli->out, "nothing of ours is in %s\n", str_c(&place.dir));
    install_close(&place);
    return ok;
}

static bool parse(struct cli_args *args, struct cli *cli, int argc, char **argv, struct status *st) {
    return cli_parse(args, cli->command, argc, argv, st) && cli_expect(args, 0, 0, st);
}

int fak_hooks_install(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    bool fires;
    if (parse(&args, cli, argc, argv, &st) && install_all(cli, cli_given(&args, "--files"), &st) &&
        put_status(cli, &fires, &st))
        return cli_finish(cli, fires ? 0 : 1);
    return cli_fail(cli, &st);
}

int fak_hooks_uninstall(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    if (parse(&args, cli, argc, argv, &st) && uninstall_all(cli, &st)) return cli_finish(cli, 0);
    return cli_fail(cli, &st);
}

int fak_hooks_status(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    bool fires;
    if (parse(&args, cli, argc, argv, &st) && put_status(cli, &fires, &st))
        return cli_finish(cli, fires ? 0 : 1);
    return cli_fail(cli, &st);
}
