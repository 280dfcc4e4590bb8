#include "engine/token/normalise.h"

#include "base/checked.h"
#include "base/utf8.h"
#include "engine/token/added.h"
#include "engine/token/pattern.h"
#include "engine/token/unicode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

struct normaliser {
    struct normalise_step steps[NORMALISE_MAX_STEPS];
    struct pattern *patterns[NORMALISE_MAX_STEPS];
    size_t n;
};

bool normalise_open(struct normaliser **out, const struct normalise_step *steps, size_t n,
                    struct status *st) {
    *out = NULL;
    assert(n <= NORMALISE_MAX_STEPS);
    struct normaliser *made = calloc(1, sizeof *made);
    if (!made) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a normaliser");
    for (; made->n < n; made->n++) {
        const struct normalise_step *step = &steps[made->n];
        made->steps[made->n] = *step;
        if (step->kind != NORMALISE_REPLACE) continue;
        if (step->literal && step->text.n ? !pattern_open_literal(&made->patterns[made->n], step->text, st)
                                          : !pattern_open(&made->patterns[made->n], step->text, st)) {
            normalise_close(made);
            return false;
        }
    }
    *out = made;
    return true;
}

void normalise_close(struct normaliser *n) {
    if (!n) return;
    for (size_t i = 0; i < n->n; i++) pattern_close(n->patterns[i]);
    free(n);
}

const struct normalise_step *normalise_charsmap(const struct normaliser *n) {
    for (size_t i = 0; n && i < n->n; i++)
        if (n->steps[i].charsmap.n_units) return &n->steps[i];
    return NULL;
}

void normalise_work_free(struct normalise_work *work) {
    marked_free(&work->texts[0]);
    marked_free(&work->texts[1]);
    free(work->characters);
    free(work->order);
    *work = (struct normalise_work){0};
}

/* --- Unicode's four forms ------------------------------------------------------------------------------ */

static bool make_room(struct normalise_work *work, size_t n, struct status *st) {
    size_t bytes, order_bytes;
    if (n <= work->room) return true;
    bool fits =
        checked_mul(&bytes, n, sizeof *work->characters) && checked_mul(&order_bytes, n, sizeof *work->order);
    int32_t *characters = fits ? realloc(work->characters, bytes) : NULL;
    if (characters) work->characters = characters;
    uint64_t *order = characters ? realloc(work->order, order_bytes) : NULL;
    if (order) work->order = order;
    if (order) work->room = n;
    return order || status_fail(st, STATUS_NO_MEMORY, "out of memory for a text of %zu characters", n);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static unsigned combining_class(int32_t c) { return (unsigned)utf8proc_get_property(c)->combining_class; }

/* Sorts a run of n marks by their class, keeping the order of equals. utf8proc does it in quadratic time, and
 * a text may be one run of marks. */
static void order_run(int32_t *at, size_t n, uint64_t *order) {
    for (size_t i = 0; i < n; i++)
        order[i] = (uint64_t)combining_class(at[i]) << 56 | (uint64_t)i << 24 | (uint32_t)at[i];
    qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0; i < n; i++) at[i] = (int32_t)(order[i] & 0xFFFFFF);
}

static void order_marks(int32_t *at, size_t n, uint64_t *order) {
    for (size_t i = 0, end; i < n; i = end) {
        end = i + 1;
        if (combining_class(at[i]) == 0) continue;
        while (end < n && combining_class(at[end]) != 0) end++;
        if (end - i > 1) order_run(at + i, end - i, order);
    }
}

static utf8proc_option_t options_of(enum normalise_kind kind) {
    bool compose = kind == NORMALISE_NFC || kind == NORMALISE_NFKC;
    bool compatible = kind == NORMALISE_NFKC || kind == NORMALISE_NFKD;
    return UTF8PROC_STABLE | (compose ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
           (compatible ? UTF8PROC_COMPAT : 0);
}

/* The characters of a text, decomposed; with room = 0 they are only counted. */
static size_t decompose(int32_t *out, size_t room, struct view text, utf8proc_option_t options) {
    size_t n = 0;
    int last = 0;
    for (size_t i = 0, length; i < text.n; i += length) {
        int32_t c = (int32_t)utf8_decode(text.at + i, text.n - i, &length);
        assert(length);
        n += (size_t)utf8proc_decompose_char(c, room ? out + n : out, room ? (utf8proc_ssize_t)(room - n) : 0,
                                             options, &last);
    }
    return n;
}

/* Rewrites a text at whose start no character joins what is before it. */
static bool put_form(struct marked *out, struct marked_view in, utf8proc_option_t options,
                     struct normalise_work *work, struct status *st) {
    struct view text = in.text;
    size_t n = decompose(work->characters, 0, text, options), start = out->text.n;
    if (!make_room(work, n, st)) return false;
    decompose(work->characters, work->room, text, options);
    order_marks(work->characters, n, work->order);
    if (options & UTF8PROC_COMPOSE)
        n = (size_t)utf8proc_normalize_utf32(work->characters, (utf8proc_ssize_t)n, options);
    bool mark = marked_any(in, 0, text.n);
    for (size_t i = 0; i < n; i++) {
        char bytes[4];
        marked_put(out, bytes, utf8_encode(bytes, (uint32_t)work->characters[i]), mark);
    }
    /* What has not changed keeps its marks byte by byte. */
    if (mark && !out->text.failed && !out->marks.failed && out->text.n - start == text.n &&
        memcmp(out->text.at + start, text.at, text.n) == 0)
        memcpy(out->marks.at + start, in.marks, text.n);
    return true;
}

static bool is_ascii(struct view text, size_t i) { return (unsigned char)text.at[i] < 0x80; }

/* ASCII is itself in all forms and joins nothing before it, so the text is cut in front of it. */
static bool forms(struct marked *out, struct marked_view in, enum normalise_kind kind,
                  struct normalise_work *work, struct status *st) {
    for (size_t i = 0, end; i < in.text.n; i = end) {
        size_t other = i; /* the first character that is not ASCII */
        while (other < in.text.n && is_ascii(in.text, other)) other++;
        size_t start = other == in.text.n || other == i ? other : other - 1;
        marked_copy(out, in, i, start);
        for (end = other; end < in.text.n && !is_ascii(in.text, end);) end++;
        if (start < end && !put_form(out, marked_part(in, start, end), options_of(kind), work, st))
            return false;
    }
    return true;
}

/* --- a character at a time ----------------------------------------------------------------------------- */

static void lowercase(struct marked *out, struct marked_view in) {
    for (size_t i = 0, n; i < in.text.n; i += n) {
        uint32_t c = utf8_decode(in.text.at + i, in.text.n - i, &n);
        char bytes[4];
        bool mark = marked_any(in, i, i + n);
        if (c == 0x130) marked_put(out, "i\xCC\x87", 3, mark); /* the one that becomes two */
        else
            marked_put(out, bytes, utf8_encode(bytes, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c)), mark);
    }
}

static void strip_accents(struct marked *out, struct marked_view in) {
    for (size_t i = 0, n; i < in.text.n; i += n)
        if (!unicode_is_mark(utf8_decode(in.text.at + i, in.text.n - i, &n))) marked_copy(out, in, i, i + n);
}

static void strip(struct marked *out, struct marked_view in, bool left, bool right) {
    size_t from = 0, to = 0, n;
    for (size_t i = 0; i < in.text.n; i += n) {
        bool space = unicode_is_space(utf8_decode(in.text.at + i, in.text.n - i, &n));
        if (space && left && from == i) from = i + n;
        if (!space || !right) to = i + n;
    }
    if (to > from) marked_copy(out, in, from, to);
}

/* --- replacing ----------------------------------------------------------------------------------------- */

static bool replace(struct marked *out, struct marked_view in, const struct pattern *p, struct view content,
                    struct status *st) {
    struct pattern_search *search = pattern_search_open(in.text.n, st);
    size_t done = 0;
    enum pattern_found found = search ? PATTERN_FOUND : PATTERN_FAILED;
    for (size_t from = 0, start, end; found == PATTERN_FOUND && from < in.text.n;
         from = pattern_next(in.text, start, end)) {
        found = pattern_find(&start, &end, p, search, in.text, from, st);
        if (found != PATTERN_FOUND) break;
        marked_copy(out, in, done, start);
        marked_put(out, content.at, content.n, marked_any(in, start, end));
        done = end;
    }
    if (found != PATTERN_FAILED) marked_copy(out, in, done, in.text.n);
    pattern_search_close(search);
    return found != PATTERN_FAILED;
}

/* A cluster of fewer than six bytes is looked up as a whole, and its shortest prefix that is found stands for
 * all of it; else its characters are looked up one by one. */
static void map_cluster(struct marked *out, struct marked_view in, size_t from, size_t to,
                        const struct charsmap *map) {
    enum { LIMIT = 6 };
    struct view replacement;
    struct marked_view cluster = marked_part(in, from, to);
    bool mark = marked_any(in, from, to);
    if (to - from < LIMIT && charsmap_shortest(&replacement, map, cluster.text)) {
        marked_put(out, replacement.at, replacement.n, mark);
        return;
    }
    for (size_t i = from, n; i < to; i += n) {
        n = utf8_valid_length(in.text.at + i, to - i);
        struct view character = {in.text.at + i, n};
        if (charsmap_shortest(&replacement, map, character))
            marked_put(out, replacement.at, replacement.n, marked_any(in, i, i + n));
        else marked_copy(out, in, i, i + n);
    }
}

static void map_clusters(struct marked *out, struct marked_view in, const struct charsmap *map) {
    utf8proc_int32_t state = 0, before = 0;
    size_t start = 0;
    for (size_t i = 0, n; i < in.text.n; i += n) {
        utf8proc_int32_t c = (utf8proc_int32_t)utf8_decode(in.text.at + i, in.text.n - i, &n);
        if (i && utf8proc_grapheme_break_stateful(before, c, &state)) {
            map_cluster(out, in, start, i, map);
            start = i;
        }
        before = c;
    }
    if (start < in.text.n) map_cluster(out, in, start, in.text.n, map);
}

/* --- sentencepiece ------------------------------------------------------------------------------------- */

/* How many bytes at `at` are taken together, and what they become. */
static size_t next_part(struct view *part, const struct normalise_step *step, struct view text) {
    size_t n = step->keeps ? added_longest(step->keeps, text) : 0;
    *part = (struct view){text.at, n};
    if (n == 0 && step->charsmap.n_units) n = charsmap_longest(part, &step->charsmap, text);
    if (n == 0) *part = (struct view){text.at, n = utf8_valid_length(text.at, text.n)};
    if (n == 0) *part = view_of("\xEF\xBF\xBD"), n = 1; /* an ill-formed byte */
    return n;
}

/* Appends a part; true when what it left ends in a space. */
static bool put_part(struct marked *out, struct view part, bool after_space, bool mark) {
    static const char metaspace[] = "\xE2\x96\x81";
    while (after_space && part.n && part.at[0] == ' ') part.at++, part.n--;
    for (size_t i = 0; i < part.n;) {
        bool space = part.n - i >= 3 && memcmp(part.at + i, metaspace, 3) == 0;
        marked_put(out, space ? " " : part.at + i, 1, mark);
        i += space ? 3 : 1;
    }
    return part.n ? part.at[part.n - 1] == ' ' : after_space;
}

static void sentencepiece(struct marked *out, struct marked_view in, const struct normalise_step *step) {
    size_t i = 0, n;
    struct view part;
    for (; step->squeeze && i < in.text.n; i += n) {
        n = next_part(&part, step, (struct view){in.text.at + i, in.text.n - i});
        if (!view_is(part, " ")) break;
    }
    if (i == in.text.n) return;
    if (step->prefix) marked_put(out, " ", 1, false);
    for (bool after_space = step->squeeze; i < in.text.n; i += n) {
        n = next_part(&part, step, (struct view){in.text.at + i, in.text.n - i});
        after_space = put_part(out, part, after_space, marked_any(in, i, i + n)) && step->squeeze;
    }
    while (step->squeeze && out->text.n && out->text.at[out->text.n - 1] == ' ') {
        out->text.n--;
        out->marks.n -= out->wants_marks && out->marks.n > 0;
    }
    if (step->suffix) marked_put(out, " ", 1, false);
}

/* --- all of it ----------------------------------------------------------------------------------------- */

static bool run_step(struct marked *out, struct marked_view in, const struct normaliser *n, size_t i,
                     struct normalise_work *work, struct status *st) {
    const struct normalise_step *step = &n->steps[i];
    switch (step->kind) {
    case NORMALISE_NFC:
    case NORMALISE_NFD:
    case NORMALISE_NFKC:
    case NORMALISE_NFKD: return forms(out, in, step->kind, work, st);
    case NORMALISE_LOWERCASE: lowercase(out, in); break;
    case NORMALISE_STRIP: strip(out, in, step->left, step->right); break;
    case NORMALISE_STRIP_ACCENTS: strip_accents(out, in); break;
    case NORMALISE_REPLACE: return replace(out, in, n->patterns[i], step->content, st);
    case NORMALISE_PREPEND:
        if (in.text.n) marked_put(out, step->content.at, step->content.n, false);
        marked_copy(out, in, 0, in.text.n);
        break;
    case NORMALISE_CHARSMAP: map_clusters(out, in, &step->charsmap); break;
    case NORMALISE_SENTENCEPIECE: sentencepiece(out, in, step); break;
    }
    return true;
}

bool normalise(struct marked_view *out, const struct normaliser *n, struct marked_view in,
               struct normalise_work *work, struct status *st) {
    *out = in;
    for (size_t i = 0; n && i < n->n; i++) {
        struct marked *next = &work->texts[i % 2];
        marked_begin(next, in.marks != NULL);
        if (!run_step(next, *out, n, i, work, st) || !marked_ok(next, st)) return false;
        *out = marked_seen(next);
    }
    return true;
}
