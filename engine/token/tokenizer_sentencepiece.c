/* tokenizer_sentencepiece: a tokenizer from a tokenizer.model (sentencepiece src/sentencepiece_model.proto).
 */
#include "engine/token/tokenizer_parts.h"

#include <stdio.h>
#include <string.h>

/* --- protocol buffers ---------------------------------------------------------------------------------- */

/* What is left of a message, and where it stands in the file. */
struct message {
    const unsigned char *at, *end, *file;
};

struct field {
    unsigned number;
    enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 } type;
    uint64_t value; /* of a number */
    struct view bytes;
};

static bool varint(uint64_t *out, struct message *m) {
    *out = 0;
    for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
        unsigned char byte = *m->at++;
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static bool fixed(struct field *f, struct message *m, size_t n) {
    if ((size_t)(m->end - m->at) < n) return false;
    f->value = 0;
    for (size_t i = 0; i < n; i++) f->value |= (uint64_t)m->at[i] << 8 * i;
    m->at += n;
    return true;
}

static bool bytes(struct field *f, struct message *m) {
    uint64_t n;
    if (!varint(&n, m) || n > (uint64_t)(m->end - m->at)) return false;
    f->bytes = (struct view){(const char *)m->at, (size_t)n};
    m->at += n;
    return true;
}

/* Reads the next field; false when the message is damaged. */
static bool next_field(struct field *f, struct message *m) {
    uint64_t tag;
    *f = (struct field){0};
    if (!varint(&tag, m) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX) return false;
    f->number = (unsigned)(tag >> 3);
    switch (tag & 7) {
    case 0: f->type = VARINT; return varint(&f->value, m);
    case 1: f->type = FIXED64; return fixed(f, m, 8);
    case 2: f->type = BYTES; return bytes(f, m);
    case 5: f->type = FIXED32; return fixed(f, m, 4);
    default: return false; /* groups, which nobody writes any more */
    }
}

static struct message within(const struct message *outer, struct view bytes) {
    const unsigned char *at = (const unsigned char *)bytes.at;
    return (struct message){at, at + bytes.n, outer->file};
}

/* --- the model ----------------------------------------------------------------------------------------- */

enum kind { UNIGRAM = 1, BPE, WORD, CHARACTER };

struct loader {
    struct tokenizer *t;
    const char *name;
    struct message all;
    size_t n_pieces;
    uint64_t kind; /* enum kind */
    bool byte_fallback;
    int32_t unknown, bos, eos;
    struct normalise_step step;
    struct view charsmap;
    struct str scratch;
    struct status *st;
};

static bool damaged(const struct loader *l, const struct message *m, const char *what) {
    return status_fail(l->st, STATUS_BAD_INPUT,
                       "%.120s: byte %td: %s is damaged, or this is no sentencepiece model", l->name,
                       m->at - m->file, what);
}

static bool read_trainer(struct loader *l, struct message m) {
    struct field f;
    while (m.at < m.end) {
        if (!next_field(&f, &m)) return damaged(l, &m, "field 'trainer_spec'");
        if (f.type != VARINT) continue;
        if (f.number == 3) l->kind = f.value;
        if (f.number == 24) l->step.suffix = f.value;
        if (f.number == 35) l->byte_fallback = f.value;
        if (f.number == 40) l->unknown = (int32_t)f.value;
        if (f.number == 41) l->bos = (int32_t)f.value;
        if (f.number == 42) l->eos = (int32_t)f.value;
    }
    return true;
}

static bool read_normaliser(struct loader *l, struct message m) {
    struct field f;
    while (m.at < m.end) {
        if (!next_field(&f, &m)) return damaged(l, &m, "field 'normalizer_spec'");
        if (f.number == 2 && f.type == BYTES) l->charsmap = f.bytes;
        if (f.number == 3 && f.type == VARINT) l->step.prefix = f.value;
        if (f.number == 4 && f.type == VARINT) l->step.squeeze = f.value;
        if (f.number == 5 && f.type == VARINT && !f.value)
            return status_fail(
                l->st, STATUS_UNSUPPORTED,
                "%.120s: field 'normalizer_spec.escape_whitespaces': a model without it does not run "
                "here",
                l->name);
    }
    return true;
}

/* Counts the pieces, and reads everything else. */
static bool read_specs(struct loader *l) {
    struct message m = l->all;
    struct field f;
    while (m.at < m.end) {
        if (!next_field(&f, &m)) return damaged(l, &m, "the file");
        if (f.type != BYTES) continue;
        l->n_pieces += f.number == 1;
        if (f.number == 2 && !read_trainer(l, within(&m, f.bytes))) return false;
        if (f.number == 3 && !read_normaliser(l, within(&m, f.bytes))) return false;
    }
    if (l->n_pieces == 0 || l->n_pieces > INT32_MAX)
        return damaged(l, &m, "field 'pieces' (there are none): it");
    if (l->kind == UNIGRAM || l->kind == BPE) return true;
    return status_fail(
        l->st, STATUS_UNSUPPORTED,
        "%.120s: field 'trainer_spec.model_type' is %llu; those that run are 1 (Unigram) and 2 (BPE)",
        l->name, (unsigned long long)l->kind);
}

static bool keep(struct view *out, struct loader *l, struct view text) {
    *out = (struct view){arena_copy(&l->t->arena, text.at, text.n, l->st), text.n};
    return out->at != NULL;
}

/* Where sentencepiece writes U+2581, we have a space; a piece with a plain one is out of reach. */
static bool put_piece(struct loader *l, int32_t id, struct view text, uint64_t kind) {
    struct vocab *v = &l->t->vocab;
    struct view piece;
    char byte = (char)vocab_byte_of(text);
    str_clear(&l->scratch);
    bool reached = vocab_from_metaspace(&l->scratch, text);
    struct view spelled = {str_c(&l->scratch), l->scratch.n};
    if (kind == VOCAB_BYTE) spelled = (struct view){&byte, 1};
    else if (!reached || kind == VOCAB_CONTROL || kind == VOCAB_UNKNOWN) spelled = text;
    if (!str_ok(&l->scratch, l->st) || !keep(&piece, l, spelled)) return false;
    vocab_put(v, id, (enum vocab_kind)kind, piece,
              kind == VOCAB_NORMAL && reached ? piece : (struct view){0});
    if (kind == VOCAB_BYTE) v->bytes[(unsigned char)byte] = id;
    return true;
}

static bool read_piece(struct loader *l, int32_t id, struct message m) {
    struct view text = {0};
    uint64_t kind = VOCAB_NORMAL;
    float score = 0;
    struct field f;
    while (m.at < m.end) {
        if (!next_field(&f, &m)) return damaged(l, &m, "field 'pieces'");
        if (f.number == 1 && f.type == BYTES) text = f.bytes;
        if (f.number == 2 && f.type == FIXED32) memcpy(&score, &(uint32_t){(uint32_t)f.value}, sizeof score);
        if (f.number == 3 && f.type == VARINT) kind = f.value;
    }
    if (kind < VOCAB_NORMAL || kind > VOCAB_BYTE || score != score ||
        (kind == VOCAB_BYTE && vocab_byte_of(text) < 0))
        return status_fail(
            l->st, STATUS_BAD_INPUT,
            "%.120s: byte %td, piece %d: its type is none of 1 to 6, it is a byte and not one of "
            "<0x00> to <0xFF>, or its score is not a number",
            l->name, m.at - m.file, (int)id);
    l->t->vocab.scores[id] = (double)score;
    if (kind == VOCAB_UNKNOWN) l->unknown = id;
    return put_piece(l, id, text, kind);
}

static bool read_pieces(struct loader *l) {
    struct message m = l->all;
    struct field f;
    int32_t id = 0;
    if (!vocab_begin(&l->t->vocab, l->n_pieces, true, &l->t->arena, l->st)) return false;
    while (m.at < m.end) {
        if (!next_field(&f, &m)) return damaged(l, &m, "the file");
        if (f.number == 1 && f.type == BYTES && !read_piece(l, id++, within(&m, f.bytes))) return false;
    }
    return true;
}

/* User-defined pieces are cut out of the normalised text; control pieces, where they are asked for, of the
 * text as it is. */
static bool find_added(struct tokenizer *t, struct status *st) {
    const struct vocab *v = &t->vocab;
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) n += v->kinds[i] != VOCAB_NORMAL;
    if (!added_begin(&t->raw, n, &t->arena, st) || !added_begin(&t->normalised, n, &t->arena, st))
        return false;
    for (size_t i = 0; i < v->n; i++) {
        struct added_token token = {.text = v->pieces[i], .id = (int32_t)i, .special = true};
        if (v->kinds[i] == VOCAB_CONTROL || v->kinds[i] == VOCAB_UNKNOWN) added_put(&t->raw, &token);
        token.special = false;
        if (v->kinds[i] == VOCAB_USER_DEFINED) added_put(&t->normalised, &token);
    }
    added_sort(&t->raw);
    added_sort(&t->normalised);
    return true;
}

static bool finish(struct loader *l) {
    struct tokenizer *t = l->t;
    int32_t n = (int32_t)l->n_pieces;
    t->unknown = l->unknown >= 0 && l->unknown < n ? l->unknown : -1;
    t->bos = l->bos >= 0 && l->bos < n ? l->bos : -1;
    t->eos = l->eos >= 0 && l->eos < n ? l->eos : -1;
    t->model = l->kind == BPE ? TOKENIZER_SPM : TOKENIZER_UNIGRAM;
    t->takes_bytes = true;
    t->drops_space = l->step.prefix && !l->step.suffix;
    if (l->step.suffix) l->step.prefix = false;
    snprintf(t->kind, sizeof t->kind, "sentencepiece %s", l->kind == BPE ? "BPE" : "Unigram");
    if (l->charsmap.n &&
        (!keep(&l->charsmap, l, l->charsmap) || !charsmap_open(&l->step.charsmap, l->charsmap, l->st)))
        return status_wrap(l->st, "%.120s", l->name);
    l->step.keeps = &t->normalised;
    if (!find_added(t, l->st) || !normalise_open(&t->normaliser, &l->step, 1, l->st) ||
        !tokenizer_set_around(&t->front, &t->n_front, t->bos, t, l->st))
        return false;
    if (l->kind == BPE) return true;
    if (!unigram_open(&t->unigram, &t->vocab, &t->arena, l->st)) return false;
    t->unigram.unknown = t->unknown;
    t->unigram.byte_fallback = l->byte_fallback;
    t->unigram.in_float = true;
    return true;
}

bool tokenizer_open_sentencepiece(struct tokenizer **out, const char *name, struct view bytes,
                                  struct status *st) {
    const unsigned char *at = (const unsigned char *)bytes.at;
    struct loader l = {
        .name = name,
        .all = {at, at + bytes.n, at},
        .kind = UNIGRAM,
        .unknown = 0,
        .bos = 1,
        .eos = 2,
        .step = {.kind = NORMALISE_SENTENCEPIECE, .prefix = true, .squeeze = true},
        .st = st,
    };
    *out = NULL;
    l.t = tokenizer_new(st);
    bool ok = l.t && read_specs(&l) && read_pieces(&l) && finish(&l);
    str_free(&l.scratch);
    if (!ok) {
        tokenizer_close(l.t);
        return false;
    }
    tokenizer_add_known_ends(l.t);
    *out = l.t;
    return true;
}
