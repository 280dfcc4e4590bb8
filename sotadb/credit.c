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

void credit_line(struct str *out, const struct op *op, const struct reference *reference) {
    str_printf(out, CREDIT_KEY ": %s", op->slug);
    if (!reference) return;
    struct view repository = repository_of(reference->url);
    str_printf(out, "; %s", reference->name);
    if (repository.n && !strstr(reference->name, "/"))
        str_printf(out, " (%.*s)", (int)repository.n, repository.at);
}
