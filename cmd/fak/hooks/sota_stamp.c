/* fak sota stamp: the Prior-art trailer of the staged change, with what the witness measures now. */
#include "base/file.h"
#include "base/module.h"
#include "cmd/fak/engine/figure.h"
#include "cmd/fak/hooks/hooks_entries.h"
#include "cmd/fak/sota.h"
#include "hooks/stage/look.h"
#include "hooks/trailer/append.h"
#include "sotadb/credit.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OPS = 64, MESSAGE_LIMIT = 16 << 20 };

struct stamping {
    const struct op *ops[MAX_OPS];
    const struct reference *references[MAX_OPS];
    size_t n;
    struct str trailer;
    struct look look;
};

/* --- which operations ------------------------------------------------------------------------------------
 */

static void add_op(struct stamping *s, const struct matrix *m, const struct op *op) {
    for (size_t i = 0; i < s->n; i++)
        if (s->ops[i] == op) return;
    if (s->n == MAX_OPS) return;
    s->references[s->n] = credit_reference(m, op);
    s->ops[s->n++] = op;
}

static bool say_silent(enum look_silence silence, struct status *st) {
    const char *why = silence == LOOK_OFF ? "`git config fak.priorart` switches it off here"
                                          : "what is staged touches no kernel of the matrix";
    return status_fail(st, STATUS_NOT_FOUND, "%s; name the operation: fak sota stamp OP", why);
}

static bool find_ops(struct stamping *s, struct cli *cli, const struct sota_call *call, struct status *st) {
    for (int i = 0; i < call->args.n_positional; i++) {
        const struct op *op;
        if (!sota_find_op(&op, call->m, call->args.positional[i], st)) return false;
        add_op(s, call->m, op);
    }
    if (s->n) return true;
    const struct stage_input in = {
        .matrix = call->m,
        .load_scan = hooks_load_scan,
        .term = &cli->out_term,
        .repository = {.load = hooks_load_libgit2, .config_by_git = hooks_config_by_environment()},
        .source = "",
    };
    if (!look_open(&s->look, &in, st)) return false;
    if (s->look.silence != LOOK_SPEAK) return say_silent(s->look.silence, st);
    for (size_t i = 0; i < s->look.report.n; i++) add_op(s, call->m, s->look.report.findings[i].op);
    return true;
}

/* --- what the witness says -------------------------------------------------------------------------------
 */

/* "; witness 1 - cosine 2.1e-13, error 4.0e-07 (96 cases)"; with several operations each is named. */
static bool add_figure(struct stamping *s, const struct figure_table *table, const struct op *op, bool first,
                       struct status *st) {
    struct figure figure;
    if (!table->measure(&figure, op->slug, st)) return false;
    if (figure.fails)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "the witness of %s fails now, so a stamp would not be true: %s; see `fak witness %s`", op->slug,
            figure.why, op->slug);
    if (!figure.n_lanes) return true;
    str_puts(&s->trailer, first ? "; witness " : ", ");
    if (s->n > 1) str_printf(&s->trailer, "%s ", op->slug);
    str_printf(&s->trailer, "1-cosine %.1e error %.1e in %zu cases", 1 - figure.cosine, figure.error,
               figure.n_cases);
    return true;
}

/* The kernels of this build are those of the built-in matrix. */
static bool add_figures(struct stamping *s, const struct sota_call *call, struct status *st) {
    const void *table;
    if (call->m != &sota_matrix || cli_given(&call->args, "--no-witness")) return true;
    if (!module_table(&table, "fak-engine", "fak_figure", st)) return false;
    size_t before = s->trailer.n;
    for (size_t i = 0; i < s->n; i++)
        if (!add_figure(s, table, s->ops[i], s->trailer.n == before, st)) return false;
    return true;
}

/* --- where it goes ---------------------------------------------------------------------------------------
 */

/* The rules of this repository: the comments of a message that is being written are not of it. */
static bool read_rules(struct trailer_rules *rules, struct str *comment, struct view message,
                       struct status *st) {
    static const char *const keys[] = {"core.commentString", "core.commentChar"};
    void *handle;
    bool found = false, ok = plumbing_reader.open(&handle, st);
    if (!ok) return false;
    for (size_t i = 0; ok && !found && i < 2; i++)
        ok = plumbing_reader.config(comment, &found, handle, keys[i], st);
    plumbing_reader.close(handle);
    const char *text = comment->n ? comment->at : "#";
    if (strcasecmp(text, "auto") == 0) text = trailer_auto_comment(message);
    *rules = (struct trailer_rules){text, ":"};
    return ok;
}

static bool append_to(const char *path, struct view trailer, struct status *st) {
    struct str message = {0}, comment = {0}, out = {0};
    struct arena arena = {0};
    struct trailer_rules rules;
    bool ok = file_read(&message, path, MESSAGE_LIMIT, st);
    struct view text = {str_c(&message), message.n};
    ok = ok && read_rules(&rules, &comment, text, st) &&
         append_trailer(&out, text, trailer, &rules, &arena, st) && file_replace(path, out.at, out.n, st);
    arena_release(&arena);
    str_free(&message);
    str_free(&comment);
    str_free(&out);
    return ok;
}

static bool stamp(struct stamping *s, struct cli *cli, const struct sota_call *call, struct status *st) {
    const char *file = cli_value(&call->args, "--message");
    if (!find_ops(s, cli, call, st)) return false;
    credit_lines(&s->trailer, s->ops, s->references, s->n);
    if (!add_figures(s, call, st) || !str_ok(&s->trailer, st)) return false;
    if (file) return append_to(file, (struct view){s->trailer.at, s->trailer.n}, st);
    str_printf(&cli->out, "%s\n", s->trailer.at);
    return true;
}

int fak_sota_stamp(struct cli *cli, int argc, char **argv) {
    struct sota_call call;
    struct stamping s = {0};
    struct status st;
    bool ok = sota_begin(&call, cli, argc, argv, 0, MAX_OPS, &st) && stamp(&s, cli, &call, &st);
    look_close(&s.look);
    str_free(&s.trailer);
    return sota_end(&call, cli, ok, 0, &st);
}
