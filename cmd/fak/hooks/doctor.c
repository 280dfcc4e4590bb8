/* fak hooks doctor: which hook really runs in this worktree and why, and how the repository is read. */
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/hooks/hooks_survey.h"
#include "cmd/fak/off_switch.h"
#include "cmd/fak/whichmatrix.h"
#include "git/plumbing/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROBLEMS = 16, OFF_SWITCHES = 4, LABEL = 20 };

struct doctor {
    struct hooks_survey survey;
    char program[4096];
    struct str problem[PROBLEMS]; /* one sentence each: what, and what to do */
    int n_problems;
    struct str off[OFF_SWITCHES]; /* switches that silence us now */
    int n_off;
    struct str matrix;          /* which one answers here, or "" */
    const char *reader;         /* what reads the staged change: "index", "libgit2", "git", or "" */
    struct status unread;       /* reader "": why nothing does */
    char fallback[480];         /* why neither the mapped files nor libgit2 do, or "" */
    struct status libgit2;      /* code STATUS_OK: libgit2 reads it too */
    const char *libgit2_failed; /* at which call: "open", "index" ... */
};

static void problem(struct doctor *d, const char *format, ...) STATUS_PRINTF(2, 3);
static void problem(struct doctor *d, const char *format, ...) {
    if (d->n_problems == PROBLEMS) return;
    va_list args;
    va_start(args, format);
    str_vprintf(&d->problem[d->n_problems++], format, args);
    va_end(args);
}

/* --- hooks --------------------------------------------------------------------------------------------- */

static bool fires(const struct doctor *d, const struct hooks_seen *seen) {
    return hooks_by_config(&d->survey, seen) || hooks_by_file(&d->survey, seen);
}

static bool same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static void check_program(struct doctor *d, const struct hooks_seen *seen) {
    const char *program = str_c(&seen->file.program);
    if (*program && !seen->file.gone && !same_file(program, d->program))
        problem(d, "%s calls another fak, %s; `fak hooks install` makes it this one", seen->hook, program);
}

static void check_hook(struct doctor *d, const struct hooks_seen *seen) {
    const struct hooks_survey *survey = &d->survey;
    bool config = hooks_by_config(survey, seen), file = hooks_by_file(survey, seen);
    check_program(d, seen);
    if (config && file && seen->file.state != INSTALL_CALLS && seen->file.state != INSTALL_RUNNER)
        problem(d, "%s is installed twice; `fak hooks install` leaves one", seen->hook);
    if (config || file) return;
    struct str why = {0};
    hooks_state_text(&why, survey, seen);
    problem(d, "%s: %s; run `fak hooks install`", seen->hook, str_c(&why));
    str_free(&why);
}

/* A hook of ours that lies where git would look, were core.hooksPath not set. */
static void check_dead(struct doctor *d, const char *common) {
    struct install place = {0};
    if (!d->survey.scope.n) return;
    str_printf(&place.dir, "%s/hooks", common);
    struct install_seen seen = {0};
    bool ours = !same_file(place.dir.at ? place.dir.at : "", str_c(&d->survey.place.dir)) &&
                install_look(&seen, &place, hooks_names[0], NULL) &&
                (seen.state == INSTALL_OURS || seen.state == INSTALL_LINE);
    if (ours)
        problem(d, "%s is not run, because core.hooksPath (%s) names another folder", str_c(&seen.path),
                str_c(&d->survey.scope));
    install_seen_free(&seen);
    install_close(&place);
}

/* --- switches ------------------------------------------------------------------------------------------ */

static void off(struct doctor *d, const char *text) {
    if (d->n_off < OFF_SWITCHES) str_puts(&d->off[d->n_off++], text);
}

static void check_switches(struct doctor *d) {
    struct process git;
    static const char *const argv[] = {"git",   "config",       "--type=bool", "--show-origin",
                                       "--get", "fak.priorart", NULL};
    if (off_switch()) off(d, off_switch());
    if (!process_run(&git, argv, NULL)) return;
    struct view text = view_trim((struct view){str_c(&git.out), git.out.n});
    if (git.exit_code == 0 && view_ends(text, "\tfalse")) {
        struct str name = {0};
        str_printf(&name, "fak.priorart=false in %.*s", (int)(text.n - 6), text.at);
        off(d, str_c(&name));
        str_free(&name);
    }
    process_free(&git);
}

/* --- reading ------------------------------------------------------------------------------------------- */

static bool libgit2_opens(struct doctor *d, const struct reader *reader, struct status *st) {
    void *handle;
    char head[OID_TEXT];
    struct repo_facts facts;
    struct change_list changes = {0};
    struct arena arena = {0};
    d->libgit2_failed = "open";
    if (!reader->open(&handle, st)) return false;
    d->libgit2_failed = "configuration";
    bool ok = reader->facts(&facts, handle, &arena, st);
    if (ok) d->libgit2_failed = "HEAD";
    ok = ok && reader->head(head, handle, st);
    if (ok) d->libgit2_failed = "index";
    ok = ok && (facts.bare || reader->staged(&changes, handle, head, &arena, st));
    reader->close(handle);
    arena_release(&arena);
    return ok;
}

static void check_reading(struct doctor *d) {
    const struct reader *libgit2;
    struct staged *staged;
    const struct staged_options options = {.load = hooks_load_libgit2,
                                           .config_by_git = hooks_config_by_environment()};
    d->reader = "";
    d->libgit2_failed = "";
    if (!hooks_load_libgit2(&libgit2, &d->libgit2)) d->libgit2_failed = "load";
    else if (libgit2_opens(d, libgit2, &d->libgit2)) d->libgit2 = (struct status){0};
    if (staged_open(&staged, &options, &d->unread)) {
        d->reader = staged_reader(staged);
        snprintf(d->fallback, sizeof d->fallback, "%s", staged_fallback(staged));
        staged_close(staged);
    } else {
        problem(d, "the staged change cannot be read: %s", d->unread.message);
    }
}

static void check_matrix(struct doctor *d) {
    struct whichmatrix which = {0};
    struct status st;
    if (whichmatrix_open(&which, &st))
        str_printf(&d->matrix, "%s, %zu operations", which.m->source, which.m->n_ops);
    else problem(d, "the matrix of this repository cannot be taken: %s", st.message);
    whichmatrix_close(&which);
}

static bool examine(struct doctor *d, struct status *st) {
    struct process git;
    if (!hooks_program(d->program, sizeof d->program, st) || !hooks_survey_open(&d->survey, st)) return false;
    for (int i = 0; i < HOOKS_INSTALLED; i++) check_hook(d, &d->survey.seen[i]);
    static const char *const argv[] = {"git", "rev-parse", "--path-format=absolute", "--git-common-dir",
                                       NULL};
    if (!process_run(&git, argv, st)) return false;
    if (git.out.n && git.out.at[git.out.n - 1] == '\n') git.out.at[--git.out.n] = '\0';
    if (git.exit_code == 0) check_dead(d, str_c(&git.out));
    process_free(&git);
    check_switches(d);
    check_reading(d);
    check_matrix(d);
    for (int i = 0; i < d->n_off; i++) problem(d, "switched off by %s", str_c(&d->off[i]));
    return true;
}

static void release(struct doctor *d) {
    str_free(&d->matrix);
    hooks_survey_close(&d->survey);
    for (int i = 0; i < d->n_problems; i++) str_free(&d->problem[i]);
    for (int i = 0; i < d->n_off; i++) str_free(&d->off[i]);
}

/* --- text ---------------------------------------------------------------------------------------------- */

static void put_row(struct cli *cli, const char *label, struct str *text) {
    str_puts(&cli->out, "  ");
    term_cell(&cli->out, &cli->out_term, TERM_DIM, LABEL, label);
    struct str shown = {0};
    struct view line, rest = {str_c(text), text->n};
    while (view_line(&line, &rest)) { /* ours are line by line; what names hold within one is shown */
        struct str part = {0};
        str_add(&part, line.at, line.n);
        if (shown.n) str_putc(&shown, '\n');
        term_safe(&shown, str_c(&part));
        str_free(&part);
    }
    term_fold(&cli->out, &cli->out_term, LABEL + 2, str_c(&shown));
    str_free(&shown);
    str_clear(text);
}

static void say_folder(struct str *out, const struct hooks_survey *survey) {
    str_puts(out, str_c(&survey->place.dir));
    if (survey->place.husky) str_puts(out, ": husky's, called from core.hooksPath");
    else if (survey->scope.n)
        str_printf(out, ": core.hooksPath of %s (%s)", str_c(&survey->origin), str_c(&survey->scope));
    else str_puts(out, ": git's own, core.hooksPath is not set");
    if (!file_exists(str_c(&survey->place.dir))) str_puts(out, "; the folder is not there");
}

static void say_hook(struct str *out, const struct doctor *d, const struct hooks_seen *seen) {
    const struct install_seen *file = &seen->file;
    const struct confhooks *configured = &seen->configured;
    bool ours = fires(d, seen);
    if (ours || hooks_gone(&d->survey, seen)) hooks_state_text(out, &d->survey, seen);
    else if (file->exists || configured->n) str_puts(out, "not ours");
    else str_puts(out, "nothing runs");
    for (size_t i = 0; i < configured->n; i++)
        str_printf(out, "\nhook.%s (%s)%s", configured->at[i].name, configured->at[i].scope,
                   !d->survey.configures        ? ": this git does not run it"
                   : configured->event_off      ? ": the event is switched off"
                   : !configured->at[i].enabled ? ": switched off"
                                                : "");
    if (file->exists)
        str_printf(out, "\n%s%s%s%s%s", str_c(&file->path),
                   file->runner == RUNNER_HUSKY ? ", called by "
                   : file->runner               ? ", written by "
                                                : "",
                   runner_name(file->runner), file->runs ? "" : ": not executable, so git passes over it",
                   d->survey.configures && configured->event_off ? ": the event is switched off" : "");
}

static void say_reading(struct str *out, const struct doctor *d) {
    if (strcmp(d->reader, "index") == 0) str_puts(out, "the files themselves (index, objects), mapped");
    else if (strcmp(d->reader, "libgit2") == 0) str_puts(out, "libgit2");
    else if (strcmp(d->reader, "git") == 0)
        str_printf(out, "the git program: the files need more than we read, and libgit2 fails (%s)",
                   d->fallback);
    else str_puts(out, "nothing can read it");
}

static void say_libgit2(struct str *out, const struct doctor *d) {
    if (d->libgit2.code == STATUS_OK) str_puts(out, "reads this repository too");
    else str_printf(out, "fails here (%s): %s; not needed", d->libgit2_failed, d->libgit2.message);
}

static void put_text(struct cli *cli, const struct doctor *d) {
    const struct hooks_survey *survey = &d->survey;
    struct str text = {0};
    str_printf(&text, "%s; hooks are %s", str_c(&survey->git_version),
               survey->configures ? "configuration and files" : "files (configuration needs git 2.54)");
    put_row(cli, "git", &text);
    str_puts(&text, d->program);
    put_row(cli, "fak", &text);
    say_folder(&text, survey);
    put_row(cli, "hook files", &text);
    for (int i = 0; i < HOOKS_WATCHED; i++) {
        say_hook(&text, d, &survey->seen[i]);
        put_row(cli, survey->seen[i].hook, &text);
    }
    say_reading(&text, d);
    put_row(cli, "read by", &text);
    say_libgit2(&text, d);
    put_row(cli, "libgit2", &text);
    str_puts(&text, d->matrix.n ? d->matrix.at : "none can be taken");
    put_row(cli, "matrix", &text);
    str_putc(&cli->out, '\n');
    for (int i = 0; i < d->n_problems; i++) {
        struct str shown = {0};
        term_safe(&shown, str_c(&d->problem[i]));
        term_put(&cli->out, &cli->out_term, TERM_YELLOW, "! ");
        term_fold(&cli->out, &cli->out_term, 2, str_c(&shown));
        str_free(&shown);
    }
    if (!d->n_problems)
        term_put(&cli->out, &cli->out_term, TERM_GREEN, "Every commit in this worktree is advised once.\n");
    str_free(&text);
}

/* --- JSON ---------------------------------------------------------------------------------------------- */

static void json_hook(struct jsonout *j, const struct doctor *d, const struct hooks_seen *seen) {
    static const char *const states[] = {
        [INSTALL_NONE] = "none",       [INSTALL_FOREIGN] = "foreign", [INSTALL_OURS] = "ours",
        [INSTALL_LINE] = "ours-first", [INSTALL_CALLS] = "calls-us",  [INSTALL_RUNNER] = "runner-calls-us"};
    const struct install_seen *file = &seen->file;
    struct str text = {0};
    hooks_state_text(&text, &d->survey, seen);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "hook", seen->hook);
    jsonout_pair_bool(j, "fires", fires(d, seen));
    jsonout_pair_string(j, "why", str_c(&text));
    jsonout_key(j, "file");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "path", str_c(&file->path));
    jsonout_pair_string(j, "state", states[file->state]);
    jsonout_pair_bool(j, "executable", file->runs);
    jsonout_pair_string(j, "runner", runner_name(file->runner));
    jsonout_pair_string(j, "runner_config", str_c(&file->config));
    jsonout_pair_string(j, "program", str_c(&file->program));
    jsonout_end_object(j);
    jsonout_key(j, "configured");
    jsonout_begin_array(j);
    for (size_t i = 0; i < seen->configured.n; i++) {
        const struct confhook *hook = &seen->configured.at[i];
        jsonout_begin_object(j);
        jsonout_pair_string(j, "name", hook->name);
        jsonout_pair_string(j, "scope", hook->scope);
        jsonout_pair_string(j, "command", hook->command);
        jsonout_pair_bool(j, "enabled", hook->enabled && !seen->configured.event_off);
        jsonout_pair_bool(j, "ours", hook->ours);
        jsonout_end_object(j);
    }
    jsonout_end_array(j);
    jsonout_end_object(j);
    str_free(&text);
}

static void json_texts(struct jsonout *j, const char *key, const struct str *texts, int n) {
    jsonout_key(j, key);
    jsonout_begin_array(j);
    for (int i = 0; i < n; i++) jsonout_string(j, str_c(&texts[i]));
    jsonout_end_array(j);
}

static void put_json(struct cli *cli, const struct doctor *d) {
    const struct hooks_survey *survey = &d->survey;
    struct jsonout j;
    jsonout_init(&j, &cli->out, 2);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "git", str_c(&survey->git_version));
    jsonout_pair_bool(&j, "git_runs_configured_hooks", survey->configures);
    jsonout_pair_string(&j, "program", d->program);
    jsonout_pair_string(&j, "hooks_folder", str_c(&survey->place.dir));
    jsonout_pair_string(&j, "hooks_path_scope", str_c(&survey->scope));
    jsonout_pair_string(&j, "hooks_path_origin", str_c(&survey->origin));
    jsonout_pair_bool(&j, "husky", survey->place.husky);
    jsonout_key(&j, "hooks");
    jsonout_begin_array(&j);
    for (int i = 0; i < HOOKS_WATCHED; i++) json_hook(&j, d, &survey->seen[i]);
    jsonout_end_array(&j);
    jsonout_pair_string(&j, "reader", d->reader);
    jsonout_pair_string(&j, "reader_fallback", d->fallback);
    jsonout_key(&j, "libgit2");
    jsonout_begin_object(&j);
    jsonout_pair_bool(&j, "reads", d->libgit2.code == STATUS_OK);
    jsonout_pair_string(&j, "fails_at", d->libgit2.code == STATUS_OK ? "" : d->libgit2_failed);
    jsonout_pair_string(&j, "message", d->libgit2.code == STATUS_OK ? "" : d->libgit2.message);
    jsonout_end_object(&j);
    jsonout_pair_string(&j, "matrix", str_c(&d->matrix));
    json_texts(&j, "switched_off_by", d->off, d->n_off);
    json_texts(&j, "problems", d->problem, d->n_problems);
    jsonout_pair_bool(&j, "ok", d->n_problems == 0);
    jsonout_end_object(&j);
    str_putc(&cli->out, '\n');
}

int fak_hooks_doctor(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct doctor doctor = {0};
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !cli_expect(&args, 0, 0, &st))
        return cli_fail(cli, &st);
    bool ok = examine(&doctor, &st);
    if (ok && cli_given(&args, "--json")) put_json(cli, &doctor);
    else if (ok) put_text(cli, &doctor);
    int code = doctor.n_problems ? 1 : 0;
    release(&doctor);
    return ok ? cli_finish(cli, code) : cli_fail(cli, &st);
}
