/* fuzz_glob: a pattern and a path, parted by the first NUL. The answer is that of a matcher that says what
 * sotadb/glob.h promises in the plainest way, recursively, on texts of a length that it can bear. */
#include "sotadb/glob.h"

#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Characters; a byte that is no UTF-8 stands for itself outside of Unicode. */
struct text {
    uint32_t at[64];
    size_t n;
};

static struct text decode(const char *bytes) {
    struct text text = {.n = 0};
    for (size_t left = strlen(bytes); left && text.n < 64; text.n++) {
        size_t n = 1;
        bool valid = utf8_valid_length(bytes, left) > 0;
        text.at[text.n] = valid ? utf8_decode(bytes, left, &n) : 0x110000u + (unsigned char)*bytes;
        bytes += n;
        left -= n;
    }
    return text;
}

/* The place behind the set that starts at p, or 0. */
static size_t set_end(const struct text *g, size_t p, size_t end) {
    size_t i = p + 1;
    if (i < end && (g->at[i] == '!' || g->at[i] == '^')) i++;
    if (i < end && g->at[i] == ']') i++;
    for (; i < end && g->at[i] != ']'; i++)
        if (g->at[i] == '\\' && i + 1 < end) i++;
    return i < end ? i + 1 : 0;
}

static bool in_set(const struct text *g, size_t p, size_t end, uint32_t c) {
    size_t i = p + 1;
    bool found = false, negated = g->at[i] == '!' || g->at[i] == '^';
    if (negated) i++;
    while (i < end - 1) {
        if (g->at[i] == '\\' && i + 2 < end) i++;
        uint32_t low = g->at[i++], high = low;
        if (i + 1 < end - 1 && g->at[i] == '-') {
            i++;
            if (g->at[i] == '\\' && i + 2 < end) i++;
            high = g->at[i++];
        }
        found |= low <= c && c <= high;
    }
    return found != negated;
}

/* One component of the pattern [p, pe) against one of the path [t, te). */
static bool component(const struct text *g, size_t p, size_t pe, const struct text *s, size_t t, size_t te) {
    if (p == pe) return t == te;
    if (g->at[p] == '*')
        return component(g, p + 1, pe, s, t, te) || (t < te && component(g, p, pe, s, t + 1, te));
    if (t == te) return false;
    size_t set = g->at[p] == '[' ? set_end(g, p, pe) : 0;
    if (set) return in_set(g, p, set, s->at[t]) && component(g, set, pe, s, t + 1, te);
    if (g->at[p] == '?') return component(g, p + 1, pe, s, t + 1, te);
    if (g->at[p] == '\\' && p + 1 < pe) p++;
    return g->at[p] == s->at[t] && component(g, p + 1, pe, s, t + 1, te);
}

static size_t slash(const struct text *text, size_t from) {
    while (from < text->n && text->at[from] != '/') from++;
    return from;
}

static bool whole(const struct text *g, size_t p, const struct text *s, size_t t) {
    size_t pe = slash(g, p), te = slash(s, t);
    bool stars = pe - p == 2 && g->at[p] == '*' && g->at[p + 1] == '*';
    bool last = pe == g->n, below = pe + 1 == g->n; /* "a", or "a/" */
    if (stars && (last || below)) return t < s->n;
    if (stars) {
        for (;; t = te + 1, te = slash(s, t)) {
            if (whole(g, pe + 1, s, t)) return true;
            if (te == s->n) return false;
        }
    }
    if (!component(g, p, pe, s, t, te)) return false;
    if (last || te == s->n) return last && te == s->n;
    return below ? te + 1 < s->n : whole(g, pe + 1, s, te + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { LIMIT = 40, STARS = 5 };
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    const char *path = nul ? text + (nul - data) + 1 : "a/b.c";
    size_t stars = 0;
    for (const char *c = text; *c; c++) stars += *c == '*';
    bool matches = glob_match(text, path);
    (void)glob_mistake(text);
    (void)glob_name_mistake(text);
    (void)glob_match_name(text, path);
    if (glob_literal_prefix(text) > strlen(text)) abort();
    if (strlen(text) <= LIMIT && strlen(path) <= LIMIT && stars <= STARS && *text) {
        struct text g = decode(text), s = decode(path);
        if (matches != whole(&g, 0, &s, 0)) abort();
    }
    free(text);
    return 0;
}
