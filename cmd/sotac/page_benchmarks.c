/* page_benchmarks: docs/BENCHMARK-AUTHORITY.md, every figure with what is needed to repeat it. */
#include "base/markdown.h"
#include "cmd/sotac/page.h"

static const char intro[] = "A figure that is not in this list is not a claim of ours. Each row names the "
                            "commit, the machine, the model, the\n"
                            "baseline from the same run, and the command that measures it again.\n\n"
                            "* **Two regimes, never mixed.** *Deterministic* figures (bit identity, hit "
                            "rates, counted tokens) are the same on any\n"
                            "  machine and are repeated to the last digit. *Wall-clock* figures belong to "
                            "the one machine they name.\n"
                            "* **The peer runs too.** llama.cpp, vLLM or SGLang is measured in the same run "
                            "on the same machine and file, and is a\n"
                            "  row or the baseline of one.\n"
                            "* **Public or private.** A public commit can be fetched by anyone; for a "
                            "private one the artifact and the command are\n"
                            "  what can be checked.\n"
                            "* Figures that were reported for another tree are not rows.\n\n";

static const char none[] = "No row yet. A row enters `sotadb/seed/90-bench.sql` together with the command "
                           "that repeats it; the form stands there.\n";

static void put_row(struct str *out, const struct bench *row) {
    struct str number = {0}, model = {0}, machine = {0}, commit = {0};
    page_number(&number, row);
    str_printf(&model, "%s, %s", row->model, row->quant);
    str_printf(&machine, "%s, %s", row->machine, row->backend);
    str_printf(&commit, "%s (%s)", row->commit, row->public_commit ? "public" : "private");
    const char *const cells[] = {str_c(&number), row->engine,    str_c(&model),    row->op, str_c(&machine),
                                 row->baseline,  str_c(&commit), row->measured_on, NULL};
    for (const char *const *cell = cells; *cell; cell++) {
        str_puts(out, "| ");
        markdown_text(out, *cell);
        str_putc(out, ' ');
    }
    str_puts(out, "| ");
    if (*row->artifact) markdown_code(out, row->artifact);
    str_puts(out, " | ");
    markdown_code(out, row->command);
    str_puts(out, " |\n");
    str_free(&number), str_free(&model), str_free(&machine), str_free(&commit);
}

static void put_regime(struct str *out, const struct matrix *m, enum bench_regime regime, const char *title) {
    size_t n = 0;
    str_printf(out, "## %s\n\n", title);
    for (size_t i = 0; i < m->n_benches; i++) {
        if (m->benches[i].regime != regime) continue;
        if (n++ == 0)
            str_puts(out, "| Number | Engine | Model | Operation | Machine | Baseline | Commit | Measured | "
                          "Artifact | Reproduce |\n"
                          "|---|---|---|---|---|---|---|---|---|---|\n");
        put_row(out, &m->benches[i]);
    }
    if (n == 0) str_puts(out, none);
}

void page_benchmarks(struct str *out, const struct matrix *m) {
    page_head(out, "Benchmark authority");
    str_puts(out, intro);
    put_regime(out, m, BENCH_DETERMINISTIC, "Deterministic");
    str_putc(out, '\n');
    put_regime(out, m, BENCH_WALL_CLOCK, "Wall-clock");
}
