/* fak hooks agent: the event of an edit on stdin, one JSON object on stdout, exit 0 whatever happens. */
#include "cmd/fak/agent/agent_entries.h"
#include "cmd/fak/off_switch.h"
#include "cmd/fak/repo_path.h"
#include "cmd/fak/whichmatrix.h"
#include "hooks/agent/agent.h"
#include "hooks/stage/look.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EVENT_LIMIT = 32 << 20 };

static bool read_stdin(struct str *out, struct status *st) {
    char chunk[65536];
    for (;;) {
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n == 0) return str_ok(out, st);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return status_fail_errno(st, "cannot read the event from stdin");
        if (out->n + (size_t)n > EVENT_LIMIT)
            return status_fail(st, STATUS_BAD_INPUT, "the event is longer than %d MiB", EVENT_LIMIT >> 20);
        str_add(out, chunk, (size_t)n);
    }
}

/* The files that a row covers, named from the root of their repository. */
static bool find_covered(struct change_list *out, const struct agent_edit *edit, const struct matrix *m,
                         struct arena *arena, struct status *st) {
    struct str path = {0};
    bool ok = true;
    const char *at = str_c(&edit->files);
    for (size_t i = 0; ok && i < edit->n_files; i++, at += strlen(at) + 1) {
        struct change change = {.status = 'M', .old_mode = 0100644, .new_mode = 0100644};
        str_clear(&path);
        ok = repo_path(&path, at, st);
        change.path = str_c(&path);
        if (ok && gate_covers(m, change.path)) ok = change_add(out, &change, path.n, arena, st);
    }
    change_sort(out);
    str_free(&path);
    return ok;
}

static bool look_up(struct str *text, const struct agent_edit *edit, const struct matrix *m,
                    struct status *st) {
    struct change_list covered = {0};
    struct arena arena = {0};
    struct gate_report report = {0};
    const struct trailer_rules rules = {"#", ":"};
    bool ok = find_covered(&covered, edit, m, &arena, st);
    if (ok && covered.n && !off_switch() && !look_off_by_git()) {
        ok = gate_priorart(&report, m, &covered, NULL, &rules, &arena, st);
        if (ok) agent_text(text, m, &report);
    }
    arena_release(&arena);
    return ok && str_ok(text, st);
}

static bool advise(struct str *out, const struct json_t *event, struct status *st) {
    struct agent_edit edit;
    struct whichmatrix which = {0};
    struct str text = {0};
    bool ok = agent_read(&edit, event, st);
    if (ok && edit.cwd && chdir(edit.cwd) != 0)
        ok = status_fail_errno(st, "cannot enter the folder '%s' of the event", edit.cwd);
    ok = ok && (edit.n_files == 0 || (whichmatrix_open(&which, st) && look_up(&text, &edit, which.m, st)));
    if (ok) agent_answer(out, event, str_c(&text));
    agent_edit_free(&edit);
    whichmatrix_close(&which);
    str_free(&text);
    return ok;
}

int fak_hooks_agent(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct str event = {0};
    struct json_t *root = NULL;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is one more full disk */
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    bool ok = read_stdin(&event, &st) && jsontree_parse(&root, (struct view){str_c(&event), event.n}, &st) &&
              advise(&cli->out, root, &st);
    if (!ok) {
        off_switch_complain("prior art was not looked up", &st);
        str_clear(&cli->out);
        str_puts(&cli->out, "{}\n");
    }
    jsontree_free(root);
    str_free(&event);
    fputs(str_c(&cli->out), stdout);
    fflush(stdout);
    str_free(&cli->out);
    return 0;
}
