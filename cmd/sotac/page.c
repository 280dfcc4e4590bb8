#include "cmd/sotac/page.h"

#include "base/markdown.h"

const struct page pages[] = {
    {"sota-matrix.md", page_matrix},
    {"ladders.md", page_ladders},
    {"BENCHMARK-AUTHORITY.md", page_benchmarks},
    {"HARDWARE-MATRIX.md", page_hardware},
    {0},
};

void page_head(struct str *out, const char *title) {
    str_printf(out, "<!-- Rendered from sotadb/seed/ by `make docs`: change the rows there. -->\n# %s\n\n",
               title);
}

void page_row(struct str *out, const char *const *cells) {
    for (; *cells; cells++) {
        str_puts(out, "| ");
        markdown_text(out, *cells);
        str_putc(out, ' ');
    }
    str_puts(out, "|\n");
}

void page_number(struct str *out, const struct bench *row) {
    str_printf(out, "%.6g %s", row->number, row->unit);
}
