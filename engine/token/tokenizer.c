#include "engine/token/tokenizer.h"

#include "base/utf8.h"
#include "engine/file/gguf.h"
#include "engine/token/added.h"
#include "engine/token/bpe.h"
#include "engine/token/pretokenize.h"
#include "engine/token/spm.h"
#include "engine/token/token_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { MAX_ENDS = 8 };

struct tokenizer {
    struct arena arena;
    struct vocab vocab;
    struct added added;
    struct pretokenizer *pre; /* NULL: SPM */
    struct bpe bpe;
    bool adds_bos, adds_eos;
    bool adds_space; /* SPM's dummy prefix: a space before every stretch of plain text */
    int32_t bos, eos, unknown;
    int32_t ends[MAX_ENDS]; /* what ends a reply */
    int n_ends;
    char kind[64];
};

/* --- opening ------------------------------------------------------------------------------------------- */

/* *id = the token at `key`, or -1. Files write "none" as all ones too. */
static bool read_id(int32_t *id, const struct tokenizer *t, const struct gguf *file, const char *key,
                    struct status *st) {
    uint64_t value;
    *id = -1;
    if (!gguf_u64(&value, file, key, UINT32_MAX, UINT32_MAX, st)) return false;
    if (value == UINT32_MAX) return true;
    if (value >= t->vocab.n)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.120s: byte %zu: '%s' is %llu and there are %zu tokens; convert the model again",
                           gguf_path(file), gguf_find(file, key)->offset, key, (unsigned long long)value,
                           t->vocab.n);
    *id = (int32_t)value;
    return true;
}

static void add_end(struct tokenizer *t, int32_t id) {
    if (id >= 0 && t->n_ends < MAX_ENDS && !tokenizer_is_end(t, id)) t->ends[t->n_ends++] = id;
}

/* Files name one token that ends a text; a chat ends with others as well, and many files do not say which.
 * A fixed list: llama.cpp guesses from a set without order. */
static bool read_ends(struct tokenizer *t, const struct gguf *file, struct status *st) {
    static const char *const keys[] = {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"};
    static const char *const names[] = {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>",
                                        "<end_of_turn>"};
    add_end(t, t->eos);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int32_t id;
        if (!read_id(&id, t, file, keys[i], st)) return false;
        add_end(t, id);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int32_t id;
        size_t start;
        const struct added_text name = {.text = view_of(names[i]), .parse_special = true};
        if (added_next(&t->added, &name, 0, &start, &id) && start == 0 &&
            view_is(t->vocab.pieces[id], names[i]) && t->vocab.kinds[id] == VOCAB_CONTROL)
            add_end(t, id);
    }
    return true;
}

static bool read_special(struct tokenizer *t, const struct gguf *file, bool adds_bos, struct status *st) {
    return read_id(&t->bos, t, file, "tokenizer.ggml.bos_token_id", st) &&
           read_id(&t->eos, t, file, "tokenizer.ggml.eos_token_id", st) &&
           read_id(&t->unknown, t, file, "tokenizer.ggml.unknown_token_id", st) &&
           gguf_bool(&t->adds_bos, file, "tokenizer.ggml.add_bos_token", adds_bos, st) &&
           gguf_bool(&t->adds_eos, file, "tokenizer.ggml.add_eos_token", false, st) && read_ends(t, file, st);
}

static bool open_spm(struct tokenizer *t, const struct gguf *file, struct status *st) {
    if (!vocab_open(&t->vocab, file, VOCAB_METASPACE, &t->arena, st)) return false;
    if (!t->vocab.score)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: the tokenizer \"llama\" needs 'tokenizer.ggml.scores', which are missing; "
            "convert the model again",
            gguf_path(file));
    snprintf(t->kind, sizeof t->kind, "SPM");
    return added_open(&t->added, &t->vocab, &t->arena, st) &&
           gguf_bool(&t->adds_space, file, "tokenizer.ggml.add_space_prefix", true, st) &&
           read_special(t, file, true, st);
}

static bool open_bpe(struct tokenizer *t, const struct gguf *file, struct status *st) {
    struct view pre;
    if (!gguf_string(&pre, file, "tokenizer.ggml.pre", NULL, st)) return false;
    if (!pretokenize_open(&t->pre, pre, st)) return status_wrap(st, "%.120s", gguf_path(file));
    struct pretokenize_traits traits = pretokenize_traits(t->pre);
    snprintf(t->kind, sizeof t->kind, "byte-level BPE (%s)", pretokenize_name(t->pre));
    if (!vocab_open(&t->vocab, file, VOCAB_ALPHABET, &t->arena, st) ||
        !bpe_open(&t->bpe, &t->vocab, file, &t->arena, st))
        return false;
    t->bpe.ignore_merges = traits.ignore_merges;
    return added_open(&t->added, &t->vocab, &t->arena, st) && read_special(t, file, traits.adds_bos, st);
}

bool tokenizer_open_gguf(struct tokenizer **out, const struct gguf *file, struct status *st) {
    struct view model;
    *out = NULL;
    if (!gguf_string(&model, file, "tokenizer.ggml.model", NULL, st)) return false;
    if (model.n == 0)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: the metadata (%zu values from byte 24 on) has no 'tokenizer.ggml.model', so "
            "the file has no tokenizer; convert the model again with its tokenizer beside it",
            gguf_path(file), gguf_n_values(file));
    char shown[VIEW_SHOWN];
    bool spm = view_is(model, "llama");
    if (!spm && !view_is(model, "gpt2"))
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "%.120s: byte %zu: the tokenizer kind '%s' is not one of those that run: llama (SPM), "
            "gpt2 (byte-level BPE)",
            gguf_path(file), gguf_find(file, "tokenizer.ggml.model")->offset, view_shown(shown, model));
    struct tokenizer *t = calloc(1, sizeof *t);
    if (!t) return status_fail(st, STATUS_NO_MEMORY, "out of memory for a tokenizer");
    if (!(spm ? open_spm(t, file, st) : open_bpe(t, file, st))) {
        tokenizer_close(t);
        return false;
    }
    *out = t;
    return true;
}

void tokenizer_close(struct tokenizer *t) {
    if (!t) return;
    pretokenize_close(t->pre);
    arena_release(&t->arena);
    free(t);
}

/* --- encoding ------------------------------------------------------------------------------------------ */

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

struct encoder {
    const struct tokenizer *t;
    struct token_list *out;
    struct merge work;
    struct str text; /* a stretch as SPM wants it */
};

static bool encode_spm(struct encoder *e, struct view stretch, struct status *st) {
    static const char mark[] = "\xE2\x96\x81"; /* U+2581, which a piece cannot tell from a space */
    str_clear(&e->text);
    if (e->t->adds_space) str_putc(&e->text, ' ');
    while (stretch.n) {
        const char *at = memmem(stretch.at, stretch.n, mark, 3);
        size_t n = at ? (size_t)(at - stretch.at) : stretch.n;
        str_add(&e->text, stretch.at, n);
        if (at) str_putc(&e->text, ' ');
        stretch.at += n + (at ? 3 : 0);
        stretch.n -= n + (at ? 3 : 0);
    }
    return str_ok(&e->text, st) && spm_encode(e->out, &e->t->vocab, (struct view){e->text.at, e->text.n},
                                              e->t->unknown, &e->work, st);
}

static bool encode_piece(void *context, struct view piece, struct status *st) {
    struct encoder *e = context;
    return bpe_encode(e->out, &e->t->bpe, piece, &e->work, st);
}

static bool encode_nfc(struct encoder *e, struct view stretch, struct status *st) {
    utf8proc_uint8_t *nfc = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)stretch.at, (utf8proc_ssize_t)stretch.n, &nfc,
                                      UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n < 0)
        return status_fail(st, STATUS_NO_MEMORY, "the text cannot be brought to NFC: %s", utf8proc_errmsg(n));
    bool ok = pretokenize(e->t->pre, (struct view){(const char *)nfc, (size_t)n}, encode_piece, e, st);
    free(nfc);
    return ok;
}

static bool encode_stretch(struct encoder *e, struct view stretch, struct status *st) {
    if (stretch.n == 0) return true;
    if (!e->t->pre) return encode_spm(e, stretch, st);
    if (pretokenize_traits(e->t->pre).nfc) return encode_nfc(e, stretch, st);
    return pretokenize(e->t->pre, stretch, encode_piece, e, st);
}

/* Added tokens stand for themselves; the stretches between them are plain text. */
static bool encode_text(struct encoder *e, const struct added_text *in, struct status *st) {
    struct view text = in->text;
    size_t from = 0, start;
    int32_t id;
    while (added_next(&e->t->added, in, from, &start, &id)) {
        if (!encode_stretch(e, (struct view){text.at + from, start - from}, st) ||
            !token_list_add(e->out, id, st))
            return false;
        from = start + e->t->vocab.pieces[id].n;
    }
    return encode_stretch(e, (struct view){text.at + from, text.n - from}, st);
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
    struct encoder e = {.t = t, .out = out};
    struct str fixed = {0};
    size_t before = out->n;
    struct view sound = well_formed(&fixed, text);
    bool ok = str_ok(&fixed, st);
    if (ok && marks && sound.at != text.at)
        ok = status_fail(st, STATUS_BAD_INPUT, "a text with marks has to be UTF-8");
    const struct added_text in = {sound, options.parse_special, marks};
    if (ok && options.add_special && t->adds_bos && t->bos >= 0) ok = token_list_add(out, t->bos, st);
    ok = ok && encode_text(&e, &in, st);
    if (ok && options.add_special && t->adds_eos && t->eos >= 0) ok = token_list_add(out, t->eos, st);
    if (!ok) out->n = before;
    merge_free(&e.work);
    str_free(&e.text);
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
    bool drop_space = !s->started && t->adds_space && piece.at[0] == ' ';
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

/* --- looking ------------------------------------------------------------------------------------------- */

size_t tokenizer_n_vocab(const struct tokenizer *t) { return t->vocab.n; }
int32_t tokenizer_bos(const struct tokenizer *t) { return t->bos; }
int32_t tokenizer_eos(const struct tokenizer *t) { return t->eos; }
bool tokenizer_adds_bos(const struct tokenizer *t) { return t->adds_bos && t->bos >= 0; }
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
