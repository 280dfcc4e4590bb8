#include "engine/token/tokenizer.h"

#include "base/utf8.h"
#include "engine/file/gguf.h"
#include "engine/token/spm.h"
#include "engine/token/token_list.h"
#include "engine/token/tokenizer_parts.h"

#include <stdlib.h>
#include <string.h>

/* --- opening ------------------------------------------------------------------------------------------- */

struct tokenizer *tokenizer_new(struct status *st) {
    struct tokenizer *t = calloc(1, sizeof *t);
    if (!t) status_fail(st, STATUS_NO_MEMORY, "out of memory for a tokenizer");
    else t->bos = t->eos = t->unknown = t->pad = -1;
    return t;
}

void tokenizer_close(struct tokenizer *t) {
    if (!t) return;
    normalise_close(t->normaliser);
    pretokenize_close(t->pre);
    arena_release(&t->arena);
    gguf_close(t->file);
    free(t);
}

bool tokenizer_set_around(int32_t **ids, size_t *n, int32_t id, struct tokenizer *t, struct status *st) {
    *n = 0;
    if (id < 0) return true;
    *ids = arena_alloc(&t->arena, 1, sizeof **ids, st);
    if (!*ids) return false;
    (*ids)[(*n)++] = id;
    return true;
}

void tokenizer_add_end(struct tokenizer *t, int32_t id) {
    if (id >= 0 && t->n_ends < TOKENIZER_MAX_ENDS && !tokenizer_is_end(t, id)) t->ends[t->n_ends++] = id;
}

/* Files name one token that ends a text; a chat ends with others as well, and many files do not say which.
 * A fixed list: llama.cpp guesses from a set without order. */
void tokenizer_add_known_ends(struct tokenizer *t) {
    static const char *const names[] = {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>",
                                        "<end_of_turn>"};
    tokenizer_add_end(t, t->eos);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int32_t id = added_find(&t->raw, view_of(names[i]));
        if (id >= 0 && t->vocab.kinds[id] == VOCAB_CONTROL) tokenizer_add_end(t, id);
    }
}

/* --- encoding ------------------------------------------------------------------------------------------ */

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

struct encoder {
    const struct tokenizer *t;
    struct token_list *out;
    struct merge merge;
    struct unigram_work unigram;
    struct normalise_work normalise;
    bool parse_special;
};

static bool encode_piece(void *context, struct view piece, struct status *st) {
    struct encoder *e = context;
    const struct tokenizer *t = e->t;
    switch (t->model) {
    case TOKENIZER_SPM: return spm_encode(e->out, &t->vocab, piece, t->unknown, &e->merge, st);
    case TOKENIZER_BPE: return bpe_encode(e->out, &t->bpe, piece, &e->merge, st);
    case TOKENIZER_UNIGRAM: return unigram_encode(e->out, &t->unigram, piece, &e->unigram, st);
    }
    return false;
}

/* Text that holds no added token; `first`: the whole text begins with it. */
static bool encode_plain(struct encoder *e, struct view text, bool first, struct status *st) {
    if (text.n == 0) return true;
    return e->t->pre ? pretokenize(e->t->pre, text, first, encode_piece, e, st) : encode_piece(e, text, st);
}

typedef bool encode_stretch(struct encoder *e, struct marked_view text, bool first, struct status *st);

/* Added tokens stand for themselves; the stretches between them go to `stretch`. */
static bool encode_around(struct encoder *e, const struct added *added, struct marked_view text, bool first,
                          encode_stretch *stretch, struct status *st) {
    struct added_scan scan = {.text = text, .parse_special = e->parse_special};
    struct added_match match;
    for (size_t done = 0; added_next(&match, added, &scan); done = scan.done) {
        if (done < match.start && !stretch(e, marked_part(text, done, match.start), first && done == 0, st))
            return false;
        if (!token_list_add(e->out, match.id, st)) return false;
    }
    return stretch(e, marked_part(text, scan.done, text.text.n), first && scan.done == 0, st);
}

static bool encode_normalised(struct encoder *e, struct marked_view text, bool first, struct status *st) {
    return encode_plain(e, text.text, first, st);
}

static bool encode_raw(struct encoder *e, struct marked_view text, bool first, struct status *st) {
    if (text.text.n == 0) return true;
    if (!normalise(&text, e->t->normaliser, text, &e->normalise, st)) return false;
    return encode_around(e, &e->t->normalised, text, first, encode_normalised, st);
}

/* The text itself when it is well-formed, else a copy in *fixed with U+FFFD for each maximal bad part. */
static struct view well_formed(struct str *fixed, struct view text) {
    size_t good = 0;
    for (size_t n; good < text.n && (n = utf8_valid_length(text.at + good, text.n - good)); good += n)
        continue;
    if (good == text.n) return text;
    str_add(fixed, text.at, good);
    for (size_t i = good; i < text.n;) {
        size_t n = utf8_valid_length(text.at + i, text.n - i);
        if (n) str_add(fixed, text.at + i, n);
        else str_puts(fixed, replacement);
        i += n ? n : utf8_maximal_ill_formed(text.at + i, text.n - i);
    }
    return (struct view){str_c(fixed), fixed->n};
}

static bool add_all(struct token_list *out, const int32_t *ids, size_t n, struct status *st) {
    for (size_t i = 0; i < n; i++)
        if (!token_list_add(out, ids[i], st)) return false;
    return true;
}

bool tokenizer_encode(struct token_list *out, const struct tokenizer *t, struct view text,
                      struct tokenizer_options options, struct status *st) {
    return tokenizer_encode_marked(out, t, text, NULL, options, st);
}

bool tokenizer_encode_marked(struct token_list *out, const struct tokenizer *t, struct view text,
                             const unsigned char *marks, struct tokenizer_options options,
                             struct status *st) {
    enum { LIMIT = 1 << 30 }; /* bytes: positions within a text are 32-bit */
    if (text.n > LIMIT)
        return status_fail(st, STATUS_UNSUPPORTED, "a text of %zu bytes is longer than 2^30; cut it", text.n);
    struct encoder e = {.t = t, .out = out, .parse_special = options.parse_special};
    struct str fixed = {0};
    size_t before = out->n;
    struct view sound = t->takes_bytes && !marks ? text : well_formed(&fixed, text);
    bool ok = str_ok(&fixed, st);
    if (ok && marks && sound.at != text.at)
        ok = status_fail(st, STATUS_BAD_INPUT, "a text with marks has to be UTF-8");
    if (ok && options.add_special) ok = add_all(out, t->front, t->n_front, st);
    ok = ok && encode_around(&e, &t->raw, (struct marked_view){sound, marks}, true, encode_raw, st);
    if (ok && options.add_special) ok = add_all(out, t->back, t->n_back, st);
    if (!ok) out->n = before;
    merge_free(&e.merge);
    unigram_work_free(&e.unigram);
    normalise_work_free(&e.normalise);
    str_free(&fixed);
    return ok;
}

/* --- decoding ------------------------------------------------------------------------------------------ */

struct view tokenizer_piece(const struct tokenizer *t, int32_t id) {
    if (id < 0 || (size_t)id >= t->vocab.n) return (struct view){0};
    return t->vocab.pieces[id];
}

void tokenizer_stream_begin(struct tokenizer_stream *s, const struct tokenizer *t, bool keep_special) {
    *s = (struct tokenizer_stream){.tokenizer = t, .keep_special = keep_special};
}

/* Emits what is certain of the held bytes. */
static void settle(struct tokenizer_stream *s, struct str *out) {
    while (s->n_held && utf8_cut_tail(s->held, s->n_held) != s->n_held) {
        size_t n = utf8_valid_length(s->held, s->n_held), used = n;
        if (n) str_add(out, s->held, n);
        else {
            str_puts(out, replacement);
            used = utf8_maximal_ill_formed(s->held, s->n_held);
        }
        s->n_held -= used;
        memmove(s->held, s->held + used, s->n_held);
    }
}

void tokenizer_stream_put(struct tokenizer_stream *s, int32_t id, struct str *out) {
    const struct tokenizer *t = s->tokenizer;
    struct view piece = tokenizer_piece(t, id);
    if (piece.n == 0) return;
    bool special = t->vocab.kinds[id] == VOCAB_CONTROL || t->vocab.kinds[id] == VOCAB_UNKNOWN;
    if (special && !s->keep_special) return;
    bool drop_space = !s->started && t->drops_space && piece.at[0] == ' ';
    s->started = true;
    for (size_t i = drop_space; i < piece.n; i++) {
        s->held[s->n_held++] = piece.at[i];
        settle(s, out);
    }
}

void tokenizer_stream_end(struct tokenizer_stream *s, struct str *out) {
    if (s->n_held) str_puts(out, replacement);
    s->n_held = 0;
}

void tokenizer_decode(struct str *out, const struct tokenizer *t, const int32_t *ids, size_t n,
                      bool keep_special) {
    struct tokenizer_stream s;
    tokenizer_stream_begin(&s, t, keep_special);
    for (size_t i = 0; i < n; i++) tokenizer_stream_put(&s, ids[i], out);
    tokenizer_stream_end(&s, out);
}

/* --- looking ------------------------------------------------------------------------------------------- */

size_t tokenizer_n_vocab(const struct tokenizer *t) { return t->vocab.n; }
int32_t tokenizer_bos(const struct tokenizer *t) { return t->bos; }
int32_t tokenizer_eos(const struct tokenizer *t) { return t->eos; }
const int32_t *tokenizer_front(size_t *n, const struct tokenizer *t) {
    *n = t->n_front;
    return t->front;
}

bool tokenizer_adds_bos(const struct tokenizer *t) {
    for (size_t i = 0; i < t->n_front; i++)
        if (t->front[i] == t->bos) return true;
    return false;
}
const char *tokenizer_kind(const struct tokenizer *t) { return t->kind; }

const char *tokenizer_token_kind(const struct tokenizer *t, int32_t id) {
    static const char *const names[] = {
        [VOCAB_NORMAL] = "normal",   [VOCAB_UNKNOWN] = "unknown",
        [VOCAB_CONTROL] = "control", [VOCAB_USER_DEFINED] = "user-defined",
        [VOCAB_UNUSED] = "unused",   [VOCAB_BYTE] = "byte",
    };
    return id < 0 || (size_t)id >= t->vocab.n ? "none" : names[t->vocab.kinds[id]];
}

bool tokenizer_is_end(const struct tokenizer *t, int32_t id) {
    for (int i = 0; i < t->n_ends; i++)
        if (t->ends[i] == id) return true;
    return false;
}
