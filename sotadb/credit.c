#include "sotadb/credit.h"

#include <string.h>

/* "flashinfer-ai/flashinfer" of a GitHub address, or nothing. */
static struct view repository_of(const char *url) {
    static const char host[] = "https://github.com/";
    if (strncmp(url, host, sizeof host - 1) != 0) return (struct view){0};
    const char *at = url + sizeof host - 1;
    size_t owner = strcspn(at, "/");
    size_t name = at[owner] ? strcspn(at + owner + 1, "/#?") : 0;
    return name ? (struct view){at, owner + 1 + name} : (struct view){0};
}

const struct reference *credit_reference(const struct matrix *m, const struct op *op) {
    const struct reference *primary = matrix_primary(m, op);
    if (primary) return primary;
    return op->references.n ? &m->references[op->references.first] : NULL;
}

static void put_reference(struct str *out, const struct reference *reference) {
    struct view repository = repository_of(reference->url);
    str_puts(out, reference->name);
    if (repository.n && !strstr(reference->name, "/"))
        str_printf(out, " (%.*s)", (int)repository.n, repository.at);
}

static bool is_named(const struct reference *const *references, size_t n, const struct reference *reference) {
    for (size_t i = 0; i < n; i++)
        if (references[i] && strcmp(references[i]->name, reference->name) == 0 &&
            strcmp(references[i]->url, reference->url) == 0)
            return true;
    return false;
}

void credit_line(struct str *out, const struct op *op, const struct reference *reference) {
    credit_lines(out, &op, &reference, 1);
}

void credit_lines(struct str *out, const struct op *const *ops, const struct reference *const *references,
                  size_t n) {
    const char *between = "; ";
    str_puts(out, CREDIT_KEY ": ");
    for (size_t i = 0; i < n; i++) str_printf(out, "%s%s", i ? ", " : "", ops[i]->slug);
    for (size_t i = 0; i < n; i++) {
        if (!references[i] || is_named(references, i, references[i])) continue;
        str_puts(out, between);
        put_reference(out, references[i]);
        between = ", ";
    }
}
