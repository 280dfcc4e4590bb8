/* page_matrix: docs/sota-matrix.md, every operation with all that the matrix knows of it. */
#include "base/markdown.h"
#include "cmd/fak/sota_page.h"
#include "cmd/sotac/page.h"

static const char intro[] =
    "**Read this before you write or optimise a kernel.** Nearly every contraction an inference engine "
    "performs has a\n"
    "production reference that solved it already. The answer to \"shall I write this from scratch?\" is no "
    "by default:\n"
    "read the reference, choose a route, and hold the result to an oracle.\n\n"
    "1. **Look it up.** `fak sota <operation>`, or `fak sota <file you are about to edit>`; read the first "
    "link.\n"
    "2. **Choose the route.** *stay-minimal*: the exact contract is the value, not raw speed. *bind*: use "
    "the production\n"
    "   library or format as it is. *borrow*: adapt the technique, and only after a witness for the current "
    "path exists.\n"
    "3. **Prove it** against the oracle that the row names. A kernel without an oracle is not done.\n"
    "4. **Stamp the commit** with a `Prior-art:` trailer that names what was read. It silences the advice of "
    "the gate\n"
    "   and tells the next person.\n\n"
    "A row is `shipped` only when its witness runs, `selected` when it is the next step, `planned` when it "
    "is neither.\n"
    "A floor is `recorded` when somebody wrote it down and `measured` when a run on the device showed "
    "it.\n\n";

static const char kinds[] = "Two kinds of prerequisite, because they are learned from different places. "
                            "**Kernel** rows are the contraction\n"
                            "itself: CUTLASS, Marlin, FlashInfer and llama.cpp's kernels are the reading, "
                            "and here the route decides something.\n"
                            "**Format** rows are what has to be loaded first: the format's own repository is "
                            "the reading, and the value is a\n"
                            "loader that is right.\n\n";

static void put_links(struct str *out, const struct matrix *m, const struct op *op) {
    for (unsigned i = 0; i < op->references.n; i++) {
        const struct reference *row = &m->references[op->references.first + i];
        if (i) str_puts(out, "; ");
        markdown_link(out, row->name, row->url);
    }
}

static void put_table(struct str *out, const struct matrix *m, enum op_kind kind) {
    str_puts(out, "| Operation | Status | Read | Route | Oracle |\n|---|---|---|---|---|\n");
    for (const struct op *op = m->ops; op < m->ops + m->n_ops; op++) {
        if (op->kind != kind) continue;
        str_printf(out, "| [");
        markdown_text(out, op->title);
        str_printf(out, "](#%s) | %s | ", op->slug, op_status_name(op->status));
        put_links(out, m, op);
        str_printf(out, " | %s | ", route_name(op->route));
        markdown_text(out, op->oracle);
        str_puts(out, " |\n");
    }
    str_putc(out, '\n');
}

static void put_floors(struct str *out, const struct matrix *m) {
    str_puts(
        out,
        "## Floors\n\nWhat a device lane has to reach against lane `ref`, beside a normalised error and the "
        "same argmax: a cosine\nalone is blind to a wrong scale. C code asks by name: "
        "`matrix_floor(m, \"cudaAWQCosineMin\")`.\n\n| Floor | Value | State | Where it comes from |\n"
        "|---|---|---|---|\n");
    for (size_t i = 0; i < m->n_floors; i++) {
        const struct floor *row = &m->floors[i];
        str_printf(out, "| `%s` | %s ≥ %g | %s | ", row->name, row->metric, row->value,
                   floor_state_name(row->state));
        markdown_text(out, row->note);
        str_puts(out, " |\n");
    }
    str_putc(out, '\n');
}

static size_t count(const struct matrix *m, enum op_status status) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_ops; i++) n += m->ops[i].status == status;
    return n;
}

void page_matrix(struct str *out, const struct matrix *m) {
    page_head(out, "The prior-art matrix");
    str_puts(out, intro);
    str_printf(out,
               "%zu operations: %zu shipped, %zu selected, %zu planned. `sota-coverage` checks them against "
               "the tree.\n\n",
               m->n_ops, count(m, OP_SHIPPED), count(m, OP_SELECTED), count(m, OP_PLANNED));
    str_puts(out, kinds);
    str_puts(out, "## Kernels\n\n");
    put_table(out, m, OP_KERNEL);
    str_puts(out, "## Formats\n\n");
    put_table(out, m, OP_FORMAT);
    put_floors(out, m);
    for (const struct op *op = m->ops; op < m->ops + m->n_ops; op++) {
        str_printf(out, "<a id=\"%s\"></a>\n\n", op->slug);
        sota_page_markdown(out, m, op, "");
        if (op + 1 < m->ops + m->n_ops) str_putc(out, '\n');
    }
}
