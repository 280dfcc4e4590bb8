/* page_hardware: docs/HARDWARE-MATRIX.md, what is proved on which device and what was measured on which
 * machine. */
#include "base/markdown.h"
#include "cmd/sotac/page.h"

#include <string.h>

static const char intro[] =
    "Which device carries which operation, what proves it there, and which machines have been measured. A "
    "lane without a\n"
    "test, or with a floor that nobody measured on the device, says so: a skipped test is counted and never "
    "a pass. The\n"
    "figures with their lineage are in [BENCHMARK-AUTHORITY.md](BENCHMARK-AUTHORITY.md).\n\n";

static void put_lane(struct str *out, const struct witness *lane) {
    struct str floor = {0};
    if (lane->state == FLOOR_NONE) str_puts(&floor, "exact");
    else str_printf(&floor, "%s ≥ %g, %s", lane->floor_name, lane->floor, floor_state_name(lane->state));
    str_printf(out, "| [`%s`](sota-matrix.md#%s) | ", lane->op, lane->op);
    markdown_text(out, lane->metric);
    str_puts(out, " | ");
    markdown_text(out, str_c(&floor));
    str_puts(out, " | ");
    if (*lane->test) markdown_code(out, lane->test);
    else str_puts(out, "not yet");
    str_puts(out, " | ");
    if (*lane->acceptance) markdown_code(out, lane->acceptance);
    else str_puts(out, strcmp(lane->device, "cpu") == 0 ? "in the test suite" : "not yet");
    str_puts(out, " |\n");
    str_free(&floor);
}

static void put_device(struct str *out, const struct matrix *m, const char *device, const char *title) {
    size_t n = 0;
    str_printf(out, "## %s\n\n", title);
    for (size_t i = 0; i < m->n_witnesses; i++) {
        if (strcmp(m->witnesses[i].device, device) != 0) continue;
        if (n++ == 0)
            str_puts(out,
                     "| Operation | What is compared | Floor | Test | Acceptance |\n|---|---|---|---|---|\n");
        put_lane(out, &m->witnesses[i]);
    }
    if (n == 0) str_puts(out, "Nothing is proved here yet.\n");
    str_putc(out, '\n');
}

/* One line a machine, backend, engine and model; the newest rows are the last of each. */
static void put_machines(struct str *out, const struct matrix *m) {
    str_puts(out, "## Machines measured\n\n");
    if (m->n_benches == 0) {
        str_puts(out, "None yet.\n");
        return;
    }
    str_puts(out, "| Machine | Backend | Engine | Model | Figure | Against | Measured "
                  "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < m->n_benches; i++) {
        const struct bench *row = &m->benches[i];
        struct str number = {0}, model = {0};
        page_number(&number, row);
        str_printf(&model, "%s, %s", row->model, row->quant);
        const char *const cells[] = {row->machine,   row->backend,  row->engine,      str_c(&model),
                                     str_c(&number), row->baseline, row->measured_on, NULL};
        page_row(out, cells);
        str_free(&number), str_free(&model);
    }
}

void page_hardware(struct str *out, const struct matrix *m) {
    page_head(out, "Hardware matrix");
    str_puts(out, intro);
    put_device(out, m, "cpu", "CPU");
    put_device(out, m, "cuda", "CUDA");
    put_device(out, m, "metal", "Metal");
    put_device(out, m, "nccl", "NCCL");
    put_device(out, m, "mpi", "MPI");
    put_machines(out, m);
}
