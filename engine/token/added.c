#include "engine/token/added.h"

#include "base/utf8.h"
#include "engine/token/unicode.h"

#include <stdlib.h>
#include <string.h>

/* --- making -------------------------------------------------------------------------------------------- */

bool added_begin(struct added *a, size_t n, struct arena *arena, struct status *st) {
    *a = (struct added){.tokens = arena_alloc(arena, n, sizeof *a->tokens, st)};
    return a->tokens != NULL;
}

void added_put(struct added *a, const struct added_token *token) {
    if (token->text.n == 0) return;
    a->tokens[a->n++] = *token;
    a->starts[(unsigned char)token->text.at[0]] = true;
}

static int compare(const void *a, const void *b) {
    const struct added_token *x = a, *y = b;
    struct view p = x->text, q = y->text;
    int order = memcmp(p.at, q.at, p.n < q.n ? p.n : q.n);
    if (order == 0) order = (p.n > q.n) - (p.n < q.n);
    return order ? order : (x->id < y->id) - (x->id > y->id);
}

void added_sort(struct added *a) {
    if (a->n) qsort(a->tokens, a->n, sizeof *a->tokens, compare);
}

static bool is_added(const struct vocab *v, size_t id) {
    return v->kinds[id] == VOCAB_CONTROL || v->kinds[id] == VOCAB_USER_DEFINED ||
           v->kinds[id] == VOCAB_UNKNOWN;
}

bool added_open(struct added *a, const struct vocab *v, struct arena *arena, struct status *st) {
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) n += is_added(v, i);
    if (!added_begin(a, n, arena, st)) return false;
    for (size_t i = 0; i < v->n; i++) {
        const struct added_token token = {
            .text = v->pieces[i], .id = (int32_t)i, .special = v->kinds[i] != VOCAB_USER_DEFINED};
        if (is_added(v, i)) added_put(a, &token);
    }
    added_sort(a);
    return true;
}

/* --- looking at one place ------------------------------------------------------------------------------ */

/* The first index in [low, high) whose text, all of them being equal in their first `depth` bytes, is
 * longer than that and goes on with a byte of at least c. */
static size_t lower_bound(const struct added *a, size_t low, size_t high, size_t depth, unsigned c) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct view text = a->tokens[middle].text;
        if (text.n > depth && (unsigned char)text.at[depth] >= c) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Letters, digits and blanks: a word, or the white space for which some vocabularies have tokens. */
static bool is_plain(struct view text) {
    for (size_t i = 0, n; i < text.n; i += n) {
        uint32_t c = utf8_decode(text.at + i, text.n - i, &n);
        if (n == 0 || !(unicode_is_space(c) || (unicode_is_word(c) && c != '_') || c == 0x2581)) return false;
    }
    return true;
}

/* The longest token that the text starts with at `from`, or NULL. The table is read as a trie: [low, high)
 * are the texts that agree with ours so far. */
static const struct added_token *longest_at(const struct added *a, struct marked_view in, size_t from) {
    const struct added_token *found = NULL;
    size_t low = 0, high = a->n;
    bool marked = false;
    for (size_t depth = 0; low < high; depth++) {
        for (; low < high && a->tokens[low].text.n == depth; low++) {
            const struct added_token *token = &a->tokens[low];
            if (!marked || (!token->special && is_plain(token->text))) found = token;
        }
        if (from + depth == in.text.n) break;
        unsigned c = (unsigned char)in.text.at[from + depth];
        marked = marked || (in.marks && in.marks[from + depth]);
        size_t end = lower_bound(a, low, high, depth, c + 1);
        low = lower_bound(a, low, end, depth, c);
        high = end;
    }
    return found;
}

size_t added_longest(const struct added *a, struct view text) {
    if (text.n == 0 || !a->starts[(unsigned char)text.at[0]]) return 0;
    const struct added_token *found = longest_at(a, (struct marked_view){text, NULL}, 0);
    return found ? found->text.n : 0;
}

int32_t added_find(const struct added *a, struct view text) {
    if (text.n == 0) return -1;
    const struct added_token *found = longest_at(a, (struct marked_view){text, NULL}, 0);
    return found && found->text.n == text.n ? found->id : -1;
}

/* --- through the text ---------------------------------------------------------------------------------- */

/* The start of the character that ends at `end`, and the character. */
static size_t before(uint32_t *c, struct view text, size_t end) {
    size_t start = end - 1, n;
    while (start > 0 && ((unsigned char)text.at[start] & 0xC0) == 0x80) start--;
    *c = utf8_decode(text.at + start, end - start, &n);
    return start;
}

static bool is_word_alone(struct view text, size_t start, size_t end) {
    uint32_t c;
    size_t n;
    if (start > 0) {
        before(&c, text, start);
        if (unicode_is_word(c)) return false;
    }
    return end == text.n || !unicode_is_word(utf8_decode(text.at + end, text.n - end, &n));
}

static size_t blanks_before(struct view text, size_t start, size_t limit) {
    uint32_t c;
    while (start > limit) {
        size_t at = before(&c, text, start);
        if (at < limit || !unicode_is_space(c)) break;
        start = at;
    }
    return start;
}

static size_t blanks_after(struct view text, size_t end) {
    for (size_t n; end < text.n && unicode_is_space(utf8_decode(text.at + end, text.n - end, &n));) end += n;
    return end;
}

bool added_next(struct added_match *match, const struct added *a, struct added_scan *scan) {
    struct view text = scan->text.text;
    for (size_t i = scan->searched; a->n && i < text.n;) {
        bool may = a->starts[(unsigned char)text.at[i]];
        const struct added_token *token = may ? longest_at(a, scan->text, i) : NULL;
        size_t start = i, end = token ? i + token->text.n : i + 1;
        i = end; /* one that does not count has been read all the same */
        if (!token || (token->special && !scan->parse_special) ||
            (token->single_word && !is_word_alone(text, start, end)))
            continue;
        scan->searched = end;
        if (token->lstrip) start = blanks_before(text, start, scan->done);
        if (token->rstrip) end = blanks_after(text, end);
        *match = (struct added_match){start, end, token->id};
        scan->done = end;
        return true;
    }
    scan->searched = text.n;
    return false;
}
