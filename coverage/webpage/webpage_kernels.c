#include "base/html.h"
#include "coverage/webpage/webpage.h"

/* Whose a kernel is. */
enum owner { OWNER_OP, OWNER_SHARED, OWNER_NONE };

struct group {
    enum owner owner;
    const struct op *op; /* OWNER_OP */
};

static bool belongs(const struct group *group, const struct survey_file *file,
                    const struct scan_kernel *kernel) {
    if (kernel->kind == SCAN_HELPER) return false;
    const struct op *op = survey_op(file, kernel);
    if (op) return op == group->op;
    return group->owner == (file->n_ops ? OWNER_SHARED : OWNER_NONE);
}

/* The file's kernels that belong to the group; nothing when there are none. */
static void put_file(struct str *out, const struct group *group, const struct survey_file *file) {
    bool any = false;
    for (size_t i = 0; i < file->scan.n_kernels; i++) {
        const struct scan_kernel *kernel = &file->scan.kernels[i];
        if (!belongs(group, file, kernel)) continue;
        if (!any) {
            str_puts(out, "<li>");
            html_element(out, "code", "path", file->scan.path);
            str_puts(out, "<ul class=\"names\">");
        }
        any = true;
        str_puts(out, "<li>");
        html_element(out, "code", "", kernel->name);
        str_printf(out, " <span class=\"muted\">%d%s</span></li>", kernel->line,
                   kernel->kind == SCAN_INSTANCE ? ", instance" : "");
    }
    if (any) str_puts(out, "</ul></li>\n");
}

static void put_group(struct str *out, const struct report *r, const struct group *group, const char *name,
                      const char *note, size_t n, size_t most) {
    if (!n) return;
    bool good = group->owner == OWNER_OP && r->debt->clean[group->op - r->matrix->ops];
    const char *class = good ? "good" : group->owner == OWNER_NONE ? "bad" : "warn";
    str_puts(out, "<details class=\"group\"><summary><span class=\"subject\">");
    html_text(out, name);
    str_printf(out,
               "</span> <span class=\"n\">%zu</span> <span class=\"bar %s\" aria-hidden=\"true\"><i "
               "style=\"width:%zu%%\">"
               "</i></span> <span class=\"%s\">",
               n, class, most ? (n * 100 + most - 1) / most : 0, class);
    html_text(out, note);
    str_puts(out, "</span></summary>\n<ul class=\"files\">\n");
    for (size_t i = 0; i < r->survey->n_files; i++) put_file(out, group, &r->survey->files[i]);
    str_puts(out, "</ul></details>\n");
}

static size_t largest(const struct matrix *m, const struct scorecard_tally *tally) {
    size_t most = tally->shared > tally->uncovered ? tally->shared : tally->uncovered;
    for (size_t i = 0; i < m->n_ops; i++)
        if (tally->by_op[i] > most) most = tally->by_op[i];
    return most;
}

void webpage_kernels(struct str *out, const struct report *r, const struct scorecard_tally *tally) {
    const struct matrix *m = r->matrix;
    size_t most = largest(m, tally);
    webpage_section(out, "kernels", "Kernels by operation", r->debt->n_kernels);
    for (size_t i = 0; i < m->n_ops; i++) {
        const struct op *op = &m->ops[i];
        struct group group = {OWNER_OP, op};
        const char *note = r->debt->clean[i] ? "no gap" : op_status_name(op->status);
        put_group(out, r, &group, op->slug, note, tally->by_op[i], most);
    }
    struct group shared = {OWNER_SHARED, NULL}, none = {OWNER_NONE, NULL};
    put_group(out, r, &shared, "several operations", "name them in op_symbol", tally->shared, most);
    put_group(out, r, &none, "no row", "uncovered", tally->uncovered, most);
    str_puts(out, "</section>\n");
}
