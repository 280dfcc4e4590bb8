/* fak witness: runs the proofs of a row of the matrix on this machine. A row's kernels are those of this
 * build whose files its path globs cover. */
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/figure.h"
#include "sotadb/matrix.h"
#include "tests/checkkern/checkkern.h"

#include <stdio.h>
#include <string.h>

/* What a result is the same in all lanes by: sixteen bits and eight of activations as integers, and each type
 * of keys and values, are different contracts. Where a kernel has no such choice all is nothing. */
struct contract {
    const char *name;
    int activations;
    enum kv_type kv;
};

static const struct contract contracts[] = {{"i16", 16, KV_F32}, {"i8", 8, KV_F32},    {"f32", 0, KV_F32},
                                            {"f16", 0, KV_F16},  {"bf16", 0, KV_BF16}, {"q8_0", 0, KV_Q8_0},
                                            {"", 0, KV_F32}};
enum { N_CONTRACTS = sizeof contracts / sizeof *contracts };

static bool is_of_pages(const struct contract *c) { return *c->name && !c->activations; }

static bool has_contract(const struct kernel *kernel, const struct contract *c) {
    bool integers = checkkern_has_widths(kernel), pages = checkkern_has_pages(kernel);
    return c->activations ? integers : is_of_pages(c) ? pages : !integers && !pages;
}

/* One kernel, tried. */
struct tried {
    const struct kernel *kernel;
    const struct contract *contract;
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
static struct checkkern_floor floor_of(const struct op *op, const struct kernel *kernel,
                                       const struct contract *c) {
    struct checkkern_floor floor = checkkern_floor(kernel->op, c->activations, c->kv);
    for (unsigned i = 0; i < op->witnesses.n; i++) {
        const struct witness *w = &sota_matrix.witnesses[op->witnesses.first + i];
        if (strcmp(w->device, "cpu") == 0 && w->state != FLOOR_NONE && w->floor > floor.cosine)
            floor.cosine = w->floor;
    }
    return floor;
}

static struct tried try_kernel(const struct op *op, const struct kernel *kernel, const struct contract *c,
                               struct counts *counts) {
    struct tried tried = {.kernel = kernel, .contract = c, .floor = floor_of(op, kernel, c)};
    struct checkkern_cases cases = {.depth = CHECKKERN_QUICK, .activations = c->activations};
    if (is_of_pages(c)) cases.kv = kv_type_name(c->kv);
    checkkern_run(&tried.result, kernel, &tried.floor, &cases);
    if (tried.result.verdict == CHECKKERN_PASS) counts->passed++;
    else if (tried.result.verdict == CHECKKERN_FAIL) counts->failed++;
    else counts->skipped++;
    return tried;
}

/* What of an operation is to be tried; told one by one, `is_last` of one contract. */
struct trying {
    const struct op *op;
    const struct contract *only; /* NULL: all */
    struct counts *counts;
    void (*tell)(void *arg, const struct tried *tried, bool is_last);
    void *arg;
};

static bool is_asked(const struct trying *t, const struct kernel *kernel, const struct contract *c) {
    return (!t->only || t->only == c) && has_contract(kernel, c) && covers(t->op, kernel);
}

/* The clones of one op and lane, which stand side by side, by contract. */
static void try_clones(const struct trying *t, const struct kernel *begin, const struct kernel *end) {
    for (const struct contract *c = contracts; c < contracts + N_CONTRACTS; c++)
        for (const struct kernel *k = begin; k < end && is_asked(t, k, c); k++) {
            struct tried tried = try_kernel(t->op, k, c, t->counts);
            t->tell(t->arg, &tried, k + 1 == end);
        }
}

static void try_all(const struct trying *t) {
    const struct kernel *end = kernel_table;
    for (const struct kernel *k = end; k < kernel_table + kernel_count; k = end) {
        while (end < kernel_table + kernel_count && strcmp(end->file, k->file) == 0) end++;
        try_clones(t, k, end);
    }
}

/* "ref", "avx2": the lane as --isa calls it, and what else its clone needs. */
static const char *isa_of(const struct kernel *kernel) {
    return strcmp(kernel->lane, "ref") == 0 ? "ref" : kernel_clone_text(kernel->clone);
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
enum { DEVICE = 5, ISA = 13, KERNEL = 15, CONTRACT = 4, FIGURES = 36 };

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
    str_printf(out, "%5zu", r->n_cases);
    if (r->is_oracle) {
        str_printf(out, "%-24s", "  is the oracle");
    } else {
        put_figure(out, 9, 1 - r->cosine);
        put_figure(out, 8, r->error);
        str_printf(out, " %-6s", !r->has_argmax ? "-" : r->argmax ? "same" : "OTHER");
    }
    str_printf(out, " %-5s ", r->same_bits && r->guards ? "same" : "OTHER");
}

/* The bar, under the last of the lines that had to clear it. */
static void put_floor(struct cli *cli, const struct tried *t) {
    struct str text = {0};
    if (t->result.is_oracle) return;
    str_printf(&text, "  %-*s%5s%9.1e%8.1e %-6s %s", DEVICE + ISA + KERNEL + CONTRACT, "", "floor",
               1 - t->floor.cosine, t->floor.error, t->result.has_argmax ? "same" : "-", "same");
    term_put(&cli->out, &cli->out_term, TERM_DIM, str_c(&text));
    str_putc(&cli->out, '\n');
    str_free(&text);
}

static void put_line(void *arg, const struct tried *t, bool is_last) {
    struct cli *cli = arg;
    const struct checkkern_result *r = &t->result;
    str_puts(&cli->out, "  ");
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, DEVICE, "cpu");
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, ISA, isa_of(t->kernel));
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, KERNEL, t->kernel->op);
    term_cell(&cli->out, &cli->out_term, TERM_PLAIN, CONTRACT, t->contract->name);
    if (r->verdict == CHECKKERN_SKIP) str_printf(&cli->out, "%*s", FIGURES, "");
    else put_figures(&cli->out, r);
    put_verdict(&cli->out, &cli->out_term, r->verdict);
    if (r->verdict == CHECKKERN_PASS) str_putc(&cli->out, '\n');
    else put_why(&cli->out, &cli->out_term, r->why);
    if (is_last) put_floor(cli, t);
}

static void put_other_devices(struct cli *cli, const struct op *op, struct counts *counts) {
    const struct witness *w;
    for (unsigned i = 0; next_other_device(op, &i, &w); counts->skipped++) {
        str_puts(&cli->out, "  ");
        term_cell(&cli->out, &cli->out_term, TERM_PLAIN, DEVICE, w->device);
        term_cell(&cli->out, &cli->out_term, TERM_DIM, ISA + KERNEL + CONTRACT + FIGURES,
                  "this build has no such lane");
        put_verdict(&cli->out, &cli->out_term, CHECKKERN_SKIP);
        str_putc(&cli->out, '\n');
    }
}

static void put_heading(struct cli *cli, const struct op *op) {
    if (cli->out.n) str_putc(&cli->out, '\n');
    term_put(&cli->out, &cli->out_term, TERM_BOLD, op->slug);
    str_printf(&cli->out, "  %s\n", op->title);
    struct str text = {0};
    str_printf(&text, "  %-*s%-*s%-*s%-*s%5s%9s%8s %-6s %s", DEVICE, "dev", ISA, "isa", KERNEL, "kernel",
               CONTRACT, "in", "cases", "1-cosine", "error", "argmax", "bits");
    term_put(&cli->out, &cli->out_term, TERM_DIM, str_c(&text));
    str_putc(&cli->out, '\n');
    str_free(&text);
}

static void witness_text(struct cli *cli, const struct trying *trying) {
    struct trying t = *trying;
    t.tell = put_line, t.arg = cli;
    put_heading(cli, t.op);
    try_all(&t);
    put_other_devices(cli, t.op, t.counts);
}

static void put_counts(struct cli *cli, const struct counts *c) {
    str_printf(&cli->out, "\n%d passed, %d failed, %d skipped", c->passed, c->failed, c->skipped);
    str_puts(&cli->out, c->skipped ? "; what is skipped is not proven\n" : "\n");
}

/* --- for programs -----------------------------------------------------------------------------------------
 */

struct json_answer {
    struct jsonout *j;
    const struct op *op;
};

static void put_json(void *arg, const struct tried *t, bool is_last) {
    const struct json_answer *answer = arg;
    struct jsonout *j = answer->j;
    const struct checkkern_result *r = &t->result;
    (void)is_last;
    jsonout_begin_object(j);
    jsonout_pair_string(j, "op", answer->op->slug);
    jsonout_pair_string(j, "device", "cpu");
    jsonout_pair_string(j, "isa", isa_of(t->kernel));
    jsonout_pair_string(j, "kernel", t->kernel->op);
    if (t->contract->activations) jsonout_pair_int(j, "activations", t->contract->activations);
    if (is_of_pages(t->contract)) jsonout_pair_string(j, "kv", t->contract->name);
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

static void witness_json(struct jsonout *j, const struct trying *trying) {
    struct trying t = *trying;
    struct json_answer answer = {j, t.op};
    t.tell = put_json, t.arg = &answer;
    try_all(&t);
    put_other_devices_json(j, t.op, t.counts);
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

static bool has_kernel(const struct op *op, const struct contract *only) {
    struct trying t = {.op = op, .only = only};
    for (size_t i = 0; i < kernel_count * N_CONTRACTS; i++)
        if (is_asked(&t, &kernel_table[i / N_CONTRACTS], &contracts[i % N_CONTRACTS])) return true;
    return false;
}

/* The one contract that is asked for, NULL: all. */
static bool find_contract(const struct contract **out, const struct cli_args *args, struct status *st) {
    const char *kv = cli_value(args, "--kv");
    long bits;
    *out = NULL;
    if (!cli_number(&bits, args, "--activations", 8, 16, 0, st)) return false;
    if (kv && bits) return status_fail(st, STATUS_USAGE, "--activations or --kv: no kernel has both");
    for (const struct contract *c = contracts; c < contracts + N_CONTRACTS; c++)
        if (kv ? is_of_pages(c) && strcmp(c->name, kv) == 0 : bits && c->activations == bits) *out = c;
    return true;
}

static bool find_only(const struct op **only, const struct contract *contract, const char *name,
                      struct status *st) {
    if (!(*only = find_op(name, st))) return false;
    if (!has_kernel(*only, NULL))
        return status_fail(st, STATUS_NOT_FOUND, "%s is %s: this build has no kernel of it to try",
                           (*only)->slug, op_status_name((*only)->status));
    if (!has_kernel(*only, contract))
        return status_fail(st, STATUS_NOT_FOUND, "no kernel of %s takes %s", (*only)->slug,
                           contract->activations ? "integers for activations" : "keys and values");
    return true;
}

static bool witness(struct cli *cli, const struct cli_args *args, struct counts *counts, struct status *st) {
    const struct op *only = NULL;
    const struct contract *contract;
    if (!cli_expect(args, 0, 1, st) || !find_contract(&contract, args, st)) return false;
    if (args->n_positional == 1 && !find_only(&only, contract, args->positional[0], st)) return false;
    bool json = cli_given(args, "--json");
    struct jsonout j;
    jsonout_init(&j, &cli->out, 2);
    if (json) jsonout_begin_array(&j);
    for (const struct op *op = sota_matrix.ops; op < sota_matrix.ops + sota_matrix.n_ops; op++) {
        if ((only && op != only) || !has_kernel(op, contract)) continue;
        struct trying trying = {.op = op, .only = contract, .counts = counts};
        if (json) witness_json(&j, &trying);
        else witness_text(cli, &trying);
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

static void add_to_figure(void *arg, const struct tried *tried, bool is_last) {
    struct figure *figure = arg;
    const struct checkkern_result *r = &tried->result;
    (void)is_last;
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
    *out = (struct figure){0};
    struct trying t = {.op = find_op(slug, st), .counts = &counts, .tell = add_to_figure, .arg = out};
    if (!t.op) return false;
    try_all(&t);
    return true;
}

extern const struct figure_table fak_figure;
CLI_EXPORT const struct figure_table fak_figure = {.measure = measure};
