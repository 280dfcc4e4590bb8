/* fak witness: runs the proofs of a row of the matrix on this machine. A row's kernels are those of this
 * build whose files its path globs cover. */
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/figure.h"
#include "sotadb/matrix.h"
#include "tests/checkkern/checkkern.h"

#include <stdio.h>
#include <string.h>

/* One kernel, tried. */
struct tried {
    const struct kernel *kernel;
    struct checkkern_floor floor;
    struct checkkern_result result;
};

struct counts {
    int passed, failed, skipped;
};

static bool covers(const struct op *op, const struct kernel *kernel) {
    struct match found[8];
    size_t n = matrix_match_path(&sota_matrix, kernel->file, found, 8);
    for (size_t i = 0; i < n && i < 8; i++)
        if (found[i].op == op) return true;
    return false;
}

/* The bar of the exact lane, or the matrix's where that is higher. */
static struct checkkern_floor floor_of(const struct op *op, const struct kernel *kernel) {
    struct checkkern_floor floor = checkkern_floor(kernel->op);
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *w = &sota_matrix.witnesses[op->witnesses.first + i];
        if (strcmp(w->device, "cpu") == 0 && w->state != FLOOR_NONE && w->floor > floor.cosine)
            floor.cosine = w->floor;
    }
    return floor;
}

static struct tried try_kernel(const struct op *op, const struct kernel *kernel, struct counts *counts) {
    struct tried tried = {.kernel = kernel, .floor = floor_of(op, kernel)};
    checkkern_run(&tried.result, kernel, &tried.floor);
    if (tried.result.verdict == CHECKKERN_PASS) counts->passed++;
    else if (tried.result.verdict == CHECKKERN_FAIL) counts->failed++;
    else counts->skipped++;
    return tried;
}

/* "ref", "c AVX2": the lane as --isa calls it, and the instructions of the clone. */
static void put_isa(struct str *out, const struct kernel *kernel) {
    bool ref = strcmp(kernel->lane, "ref") == 0;
    str_printf(out, "%s%s%s", ref ? "ref" : "c", *kernel->clone ? " " : "", kernel_clone_text(kernel->clone));
}

/* Does any lane of another device prove this op, in some other build? */
static bool next_other_device(const struct op *op, unsigned *i, const struct witness **found) {
    for (; *i < op->witnesses.n; ++*i) {
        const struct witness *w = &sota_matrix.witnesses[op->witnesses.first + *i];
        bool repeated = *i > 0 && strcmp(w[-1].device, w->device) == 0;
        if (strcmp(w->device, "cpu") == 0 || repeated) continue;
        *found = w;
        ++*i;
        return true;
    }
    return false;
}

/* --- for people -------------------------------------------------------------------------------------------
 */

/* A line is at most 79 columns. */
enum { DEVICE = 5, ISA = 15, KERNEL = 12, FIGURES = 41 };

static void put_verdict(struct str *out, const struct term *term, enum checkkern_verdict verdict) {
    static const enum term_style styles[] = {TERM_GREEN, TERM_RED, TERM_YELLOW};
    term_put(out, term, styles[verdict], checkkern_verdict_name(verdict));
}

static void put_why(struct str *out, const struct term *term, const char *why) {
    str_puts(out, "\n    ");
    term_fold(out, term, 4, why);
}

/* " 3.7e-05" or "0", right-aligned */
static void put_figure(struct str *out, int width, double value) {
    if (value == 0) str_printf(out, "%*s", width, "0");
    else str_printf(out, "%*.1e", width, value);
}

static void put_figures(struct str *out, const struct checkkern_result *r) {
    str_printf(out, "%5zu ", r->n_cases);
    if (r->is_oracle) {
        str_printf(out, "%-27s", "  is the oracle");
    } else {
        put_figure(out, 10, 1 - r->cosine);
        put_figure(out, 9, r->error);
        str_printf(out, "  %-6s", !r->has_argmax ? "-" : r->argmax ? "same" : "OTHER");
    }
    str_printf(out, "  %-5s ", r->same_bits && r->guards ? "same" : "OTHER");
}

static void put_line(struct cli *cli, const struct tried *t) {
    struct str isa = {0};
    const struct checkkern_result *r = &t->result;
    put_isa(&isa, t->kernel);
    str_puts(&cli->out, "  ");
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, DEVICE, "cpu");
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, ISA, str_c(&isa));
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, KERNEL, t->kernel->op);
    if (r->verdict == CHECKKERN_SKIP) str_printf(&cli->out, "%*s", FIGURES, "");
    else put_figures(&cli->out, r);
    put_verdict(&cli->out, &cli->out_term, r->verdict);
    if (r->verdict == CHECKKERN_PASS) str_putc(&cli->out, '\n');
    else put_why(&cli->out, &cli->out_term, r->why);
    str_free(&isa);
}

/* The bar, under the last of the lines that had to clear it. */
static void put_floor(struct cli *cli, const struct tried *t) {
    struct str text = {0};
    if (t->result.is_oracle) return;
    str_printf(&text, "  %-*s%5s %10.1e%9.1e  %-6s  %s", DEVICE + ISA + KERNEL, "", "floor",
               1 - t->floor.cosine, t->floor.error, t->result.has_argmax ? "same" : "-", "same");
    term_put(&cli->out, &cli->out_term, TERM_DIM, str_c(&text));
    str_putc(&cli->out, '\n');
    str_free(&text);
}

static void put_other_devices(struct cli *cli, const struct op *op, struct counts *counts) {
    const struct witness *w;
    for (unsigned i = 0; next_other_device(op, &i, &w); counts->skipped++) {
        str_puts(&cli->out, "  ");
        term_cell(&cli->out, &cli->out_term, TERM_PLAIN, DEVICE, w->device);
        term_cell(&cli->out, &cli->out_term, TERM_DIM, ISA + KERNEL + FIGURES, "this build has no such lane");
        put_verdict(&cli->out, &cli->out_term, CHECKKERN_SKIP);
        str_putc(&cli->out, '\n');
    }
}

static void put_heading(struct cli *cli, const struct op *op) {
    if (cli->out.n) str_putc(&cli->out, '\n');
    term_put(&cli->out, &cli->out_term, TERM_BOLD, op->slug);
    str_printf(&cli->out, "  %s\n", op->title);
    struct str text = {0};
    str_printf(&text, "  %-*s%-*s%-*s%5s %10s%9s  %-6s  %s", DEVICE, "dev", ISA, "isa", KERNEL, "kernel",
               "cases", "1 - cosine", "error", "argmax", "bits");
    term_put(&cli->out, &cli->out_term, TERM_DIM, str_c(&text));
    str_putc(&cli->out, '\n');
    str_free(&text);
}

static void witness_text(struct cli *cli, const struct op *op, struct counts *counts) {
    struct tried last = {0};
    put_heading(cli, op);
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++) {
        if (!covers(op, k)) continue;
        if (last.kernel && strcmp(last.kernel->op, k->op) != 0) put_floor(cli, &last);
        last = try_kernel(op, k, counts);
        put_line(cli, &last);
    }
    if (last.kernel) put_floor(cli, &last);
    put_other_devices(cli, op, counts);
}

static void put_counts(struct cli *cli, const struct counts *c) {
    str_printf(&cli->out, "\n%d passed, %d failed, %d skipped", c->passed, c->failed, c->skipped);
    str_puts(&cli->out, c->skipped ? "; what is skipped is not proven\n" : "\n");
}

/* --- for programs -----------------------------------------------------------------------------------------
 */

static void put_json(struct jsonout *j, const struct op *op, const struct tried *t) {
    const struct checkkern_result *r = &t->result;
    struct str isa = {0};
    put_isa(&isa, t->kernel);
    jsonout_begin_object(j);
    jsonout_pair_string(j, "op", op->slug);
    jsonout_pair_string(j, "device", "cpu");
    jsonout_pair_string(j, "isa", str_c(&isa));
    jsonout_pair_string(j, "kernel", t->kernel->op);
    jsonout_pair_string(j, "file", t->kernel->file);
    jsonout_pair_int(j, "cases", (int64_t)r->n_cases);
    if (r->verdict != CHECKKERN_SKIP) {
        jsonout_pair_bool(j, "oracle", r->is_oracle);
        if (!r->is_oracle) jsonout_pair_double(j, "cosine", r->cosine);
        if (!r->is_oracle) jsonout_pair_double(j, "error", r->error);
        if (!r->is_oracle && r->has_argmax) jsonout_pair_bool(j, "argmax", r->argmax);
        jsonout_pair_bool(j, "finite", r->finite);
        jsonout_pair_bool(j, "guards", r->guards);
        jsonout_pair_bool(j, "same_bits", r->same_bits);
    }
    jsonout_pair_double(j, "floor_cosine", t->floor.cosine);
    jsonout_pair_double(j, "floor_error", t->floor.error);
    jsonout_pair_string(j, "verdict", checkkern_verdict_name(r->verdict));
    if (r->verdict != CHECKKERN_PASS) jsonout_pair_string(j, "why", r->why);
    jsonout_end_object(j);
    str_free(&isa);
}

static void put_other_devices_json(struct jsonout *j, const struct op *op, struct counts *counts) {
    const struct witness *w;
    for (unsigned i = 0; next_other_device(op, &i, &w); counts->skipped++) {
        jsonout_begin_object(j);
        jsonout_pair_string(j, "op", op->slug);
        jsonout_pair_string(j, "device", w->device);
        jsonout_pair_string(j, "verdict", "SKIP");
        jsonout_pair_string(j, "why", "this build has no such lane");
        jsonout_end_object(j);
    }
}

static void witness_json(struct jsonout *j, const struct op *op, struct counts *counts) {
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++) {
        if (!covers(op, k)) continue;
        struct tried tried = try_kernel(op, k, counts);
        put_json(j, op, &tried);
    }
    put_other_devices_json(j, op, counts);
}

/* --- the command ------------------------------------------------------------------------------------------
 */

static const struct op *find_op(const char *name, struct status *st) {
    const struct op *found = matrix_op(&sota_matrix, name), *near = NULL;
    int best = 4;
    if (found) return found;
    for (size_t i = 0; i < sota_matrix.n_ops; i++) {
        int distance = cli_distance(name, sota_matrix.ops[i].slug);
        if (distance < best) best = distance, near = &sota_matrix.ops[i];
    }
    status_fail(st, STATUS_USAGE, "the matrix has no operation '%s'; %s%s%s", name,
                near ? "did you mean '" : "`fak sota list` shows all", near ? near->slug : "",
                near ? "'?" : "");
    return NULL;
}

static bool has_kernel(const struct op *op) {
    for (size_t i = 0; i < kernel_count; i++)
        if (covers(op, &kernel_table[i])) return true;
    return false;
}

static bool witness(struct cli *cli, const struct cli_args *args, struct counts *counts, struct status *st) {
    const struct op *only = NULL;
    if (!cli_expect(args, 0, 1, st)) return false;
    if (args->n_positional == 1 && !(only = find_op(args->positional[0], st))) return false;
    if (only && !has_kernel(only))
        return status_fail(st, STATUS_NOT_FOUND, "%s is %s: this build has no kernel of it to try",
                           only->slug, op_status_name(only->status));
    bool json = cli_given(args, "--json");
    struct jsonout j;
    jsonout_init(&j, &cli->out, 2);
    if (json) jsonout_begin_array(&j);
    for (const struct op *op = sota_matrix.ops; op < sota_matrix.ops + sota_matrix.n_ops; op++) {
        if ((only && op != only) || !has_kernel(op)) continue;
        if (json) witness_json(&j, op, counts);
        else witness_text(cli, op, counts);
    }
    if (json) jsonout_end_array(&j), str_putc(&cli->out, '\n');
    else put_counts(cli, counts);
    return true;
}

int fak_witness(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct counts counts = {0};
    struct status st;
    if (!cli_parse(&args, cli->command, argc, argv, &st) || !witness(cli, &args, &counts, &st))
        return cli_fail(cli, &st);
    bool strict = cli_given(&args, "--no-skip");
    return cli_finish(cli, counts.failed || counts.passed == 0 || (strict && counts.skipped) ? 1 : 0);
}

/* --- for `fak sota stamp` ---------------------------------------------------------------------------------
 */

static void add_to_figure(struct figure *figure, const struct tried *tried) {
    const struct checkkern_result *r = &tried->result;
    if (r->verdict == CHECKKERN_FAIL && !figure->fails) {
        figure->fails = true;
        snprintf(figure->why, sizeof figure->why, "%s", r->why);
    }
    if (r->verdict != CHECKKERN_PASS || r->is_oracle) return;
    if (!figure->n_lanes || r->cosine < figure->cosine) figure->cosine = r->cosine;
    if (r->error > figure->error) figure->error = r->error;
    figure->n_cases += r->n_cases;
    figure->n_lanes++;
}

static bool measure(struct figure *out, const char *slug, struct status *st) {
    struct counts counts = {0};
    const struct op *op = find_op(slug, st);
    *out = (struct figure){0};
    if (!op) return false;
    for (const struct kernel *k = kernel_table; k < kernel_table + kernel_count; k++) {
        if (!covers(op, k)) continue;
        struct tried tried = try_kernel(op, k, &counts);
        add_to_figure(out, &tried);
    }
    return true;
}

extern const struct figure_table fak_figure;
CLI_EXPORT const struct figure_table fak_figure = {.measure = measure};
