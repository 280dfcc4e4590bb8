#include "coverage/scan/sycl.h"

#include "coverage/scan/decl.h"

#include <stdint.h>
#include <string.h>

/* q.parallel_for( or h->parallel_for<class name>(: `at` is the word. Free functions of the name are others'
 * (std, tbb, at). */
static bool is_submission(const struct lex *lex, size_t at) {
    if (at < 2 || (!lex_is(lex, at, "parallel_for") && !lex_is(lex, at, "single_task"))) return false;
    bool arrow = lex_is(lex, at - 1, ">") && lex_is(lex, at - 2, "-");
    return arrow || lex_is(lex, at - 1, ".");
}

static bool opens(const struct lex *lex, size_t i) {
    return lex_is(lex, i, "(") || lex_is(lex, i, "[") || lex_is(lex, i, "{");
}

/* The '{' of the lambda among the arguments that open at `open`, or SIZE_MAX: a functor is passed. Goes
 * around brackets, so that calls within calls are not read again. */
static size_t lambda_of(const struct lex *lex, size_t open, size_t close) {
    bool lambda = false;
    for (size_t i = open + 1; i < close; i++) {
        if (lambda && lex_is(lex, i, "{")) return i;
        lambda |= lex_is(lex, i, "[") && (i == open + 1 || lex_is(lex, i - 1, ","));
        if (opens(lex, i)) i = lex_close(lex, i);
    }
    return SIZE_MAX;
}

/* The last name between the angles that open at `open`: `class k`, `k<T>` and `ns::k` are all k. */
static struct view kernel_name(const struct lex *lex, size_t open, size_t close) {
    struct view name = {"", 0};
    for (size_t i = open + 1; i < close; i++) {
        if (lex_is(lex, i, "<")) break;
        if (lex_is_name(lex, i) && !lex_is(lex, i, "class")) name = lex_view(lex, i);
    }
    return name;
}

/* name: that of the function around it */
static bool add(struct site_reader *r, size_t at, const struct decl *around, struct view name) {
    const struct lex *lex = r->lex;
    size_t open = at + 1;
    if (lex_is(lex, open, "<")) {
        open = decl_skip_angles(lex, at + 1, around->close);
        struct view own = kernel_name(lex, at + 1, open);
        if (own.n) name = own;
    }
    if (!lex_is(lex, open, "(")) return true;
    size_t close = lex_close(lex, open), brace = lambda_of(lex, open, close);
    size_t tail = brace == SIZE_MAX ? SIZE_MAX : lex_close(lex, brace);
    size_t last = lex_is(lex, close + 1, ";") ? close + 1 : close;
    if (tail >= close) brace = SIZE_MAX; /* the lambda does not end where the call does */
    struct site site = {.begin = lex->tokens[at].begin,
                        .end = last < lex->n_tokens ? lex->tokens[last].end : lex->text.n,
                        .name_at = lex->tokens[at].begin,
                        .body = brace == SIZE_MAX ? SIZE_MAX : lex->tokens[brace].begin,
                        .kind = SCAN_KERNEL,
                        .language = SCAN_SYCL,
                        .exact = close < lex->n_tokens};
    if (brace != SIZE_MAX) site.tail = lex->tokens[tail].begin;
    site.name = arena_copy(r->arena, name.at, name.n, r->st);
    return site.name && sites_add(r->out, site, r->st);
}

bool sycl_find(struct site_reader *r) {
    const struct lex *lex = r->lex;
    if (!memmem(lex->text.at, lex->text.n, "sycl", 4)) return true;
    struct decl_walk walk = {.lex = lex};
    struct decl decl;
    while (decl_next(&walk, &decl)) {
        if (!decl.has_body) continue;
        size_t name = decl_name(lex, decl.head, decl.open);
        struct view around = name == SIZE_MAX ? (struct view){"", 0} : lex_view(lex, name);
        for (size_t i = decl.open; i < decl.close; i++)
            if (is_submission(lex, i) && !add(r, i, &decl, around)) return false;
    }
    return true;
}
