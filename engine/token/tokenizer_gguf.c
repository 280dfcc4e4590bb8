/* tokenizer_gguf: a tokenizer from GGUF metadata. */
#include "engine/file/gguf.h"
#include "engine/token/tokenizer_parts.h"

#include <stdio.h>
#include <string.h>

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

static bool read_ends(struct tokenizer *t, const struct gguf *file, struct status *st) {
    static const char *const keys[] = {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"};
    tokenizer_add_end(t, t->eos);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int32_t id;
        if (!read_id(&id, t, file, keys[i], st)) return false;
        tokenizer_add_end(t, id);
    }
    tokenizer_add_known_ends(t);
    return true;
}

static bool read_special(struct tokenizer *t, const struct gguf *file, bool adds_bos, struct status *st) {
    bool adds_eos;
    return read_id(&t->bos, t, file, "tokenizer.ggml.bos_token_id", st) &&
           read_id(&t->eos, t, file, "tokenizer.ggml.eos_token_id", st) &&
           read_id(&t->unknown, t, file, "tokenizer.ggml.unknown_token_id", st) &&
           gguf_bool(&adds_bos, file, "tokenizer.ggml.add_bos_token", adds_bos, st) &&
           gguf_bool(&adds_eos, file, "tokenizer.ggml.add_eos_token", false, st) &&
           tokenizer_set_around(&t->front, &t->n_front, adds_bos ? t->bos : -1, t, st) &&
           tokenizer_set_around(&t->back, &t->n_back, adds_eos ? t->eos : -1, t, st) &&
           added_open(&t->raw, &t->vocab, &t->arena, st) && read_ends(t, file, st);
}

/* fak's own key, for tokenizers that put a space only where there is none: in front of the text, or of each
 * stretch between added tokens. Others read add_space_prefix and put one always. */
static bool open_scheme(struct tokenizer *t, struct normalise_step *step, const struct gguf *file,
                        struct status *st) {
    struct view name;
    struct pretokenize_step space = {.kind = PRETOKENIZE_METASPACE, .text = view_of(" ")};
    if (!gguf_string(&name, file, TOKENIZER_PREPEND_SCHEME, "", st)) return false;
    if (!name.n) return true;
    char shown[VIEW_SHOWN];
    if (!view_is(name, "first") && !view_is(name, "always"))
        return status_fail(st, STATUS_UNSUPPORTED,
                           "%.120s: byte %zu: '%s' is '%s'; first and always run here", gguf_path(file),
                           gguf_find(file, TOKENIZER_PREPEND_SCHEME)->offset, TOKENIZER_PREPEND_SCHEME,
                           view_shown(shown, name));
    space.scheme = view_is(name, "first") ? PRETOKENIZE_FIRST : PRETOKENIZE_ALWAYS;
    step->prefix = false;
    return pretokenize_open(&t->pre, gguf_path(file), &space, 1, st);
}

/* The pieces of all but byte-level vocabularies are read with a space for U+2581, so texts are, too. */
static bool open_spaces(struct tokenizer *t, const struct gguf *file, struct normalise_step *step,
                        struct status *st) {
    step->kind = NORMALISE_SENTENCEPIECE;
    if (!gguf_bool(&step->prefix, file, "tokenizer.ggml.add_space_prefix", true, st)) return false;
    t->drops_space = step->prefix;
    struct normalise_step steps[2] = {{.kind = NORMALISE_CHARSMAP, .charsmap = step->charsmap}};
    bool by_cluster;
    if (!gguf_bool(&by_cluster, file, TOKENIZER_BY_CLUSTER, false, st) || !open_scheme(t, step, file, st))
        return false;
    by_cluster = by_cluster && step->charsmap.n_units;
    if (by_cluster) step->charsmap = (struct charsmap){0};
    steps[by_cluster] = *step;
    return normalise_open(&t->normaliser, steps, by_cluster ? 2 : 1, st);
}

static bool open_scored(struct tokenizer *t, const struct gguf *file, const char *kind, struct status *st) {
    if (!vocab_open(&t->vocab, file, VOCAB_METASPACE, &t->arena, st)) return false;
    return t->vocab.scores ||
           status_fail(st, STATUS_BAD_INPUT,
                       "%.120s: the tokenizer \"%s\" needs 'tokenizer.ggml.scores', which are missing; "
                       "convert the model again",
                       gguf_path(file), kind);
}

static bool open_spm(struct tokenizer *t, const struct gguf *file, struct status *st) {
    struct normalise_step step = {0};
    t->model = TOKENIZER_SPM;
    snprintf(t->kind, sizeof t->kind, "SPM");
    return open_scored(t, file, "llama", st) && open_spaces(t, file, &step, st) &&
           read_special(t, file, true, st);
}

static bool open_unigram(struct tokenizer *t, const struct gguf *file, struct status *st) {
    struct normalise_step step = {0};
    struct gguf_array map;
    t->model = TOKENIZER_UNIGRAM;
    snprintf(t->kind, sizeof t->kind, "Unigram");
    if (!open_scored(t, file, "t5", st) ||
        !gguf_array(&map, file, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, st) ||
        !gguf_bool(&step.squeeze, file, "tokenizer.ggml.remove_extra_whitespaces", false, st))
        return false;
    struct view bytes = {(const char *)map.at, map.n};
    if (map.n && !charsmap_open(&step.charsmap, bytes, st)) return status_wrap(st, "%.120s", gguf_path(file));
    if (!open_spaces(t, file, &step, st) || !unigram_open(&t->unigram, &t->vocab, &t->arena, st) ||
        !read_special(t, file, false, st))
        return false;
    t->unigram.unknown = t->unknown;
    t->unigram.in_float = true;
    return true;
}

static bool open_bpe(struct tokenizer *t, const struct gguf *file, struct status *st) {
    struct view pre;
    struct pretokenize_traits traits;
    t->model = TOKENIZER_BPE;
    if (!gguf_string(&pre, file, "tokenizer.ggml.pre", NULL, st)) return false;
    if (!pretokenize_open_named(&t->pre, &traits, pre, st)) return status_wrap(st, "%.120s", gguf_path(file));
    snprintf(t->kind, sizeof t->kind, "byte-level BPE (%s)", pretokenize_name(t->pre));
    const struct normalise_step nfc = {.kind = NORMALISE_NFC};
    if (traits.nfc && !normalise_open(&t->normaliser, &nfc, 1, st)) return false;
    if (!vocab_open(&t->vocab, file, VOCAB_ALPHABET, &t->arena, st) ||
        !bpe_open(&t->bpe, &t->vocab, file, VOCAB_ALPHABET, &t->arena, st))
        return false;
    t->bpe.ignore_merges = traits.ignore_merges;
    return read_special(t, file, traits.adds_bos, st);
}

/* A sentencepiece vocabulary with its merges written out. */
static bool open_characters(struct tokenizer *t, const struct gguf *file, struct status *st) {
    struct normalise_step step = {0};
    t->model = TOKENIZER_BPE;
    snprintf(t->kind, sizeof t->kind, "BPE with byte fallback");
    if (!vocab_open(&t->vocab, file, VOCAB_METASPACE, &t->arena, st) || !open_spaces(t, file, &step, st) ||
        !bpe_open(&t->bpe, &t->vocab, file, VOCAB_METASPACE, &t->arena, st) ||
        !read_special(t, file, true, st))
        return false;
    t->bpe.by_character = t->bpe.byte_fallback = t->bpe.fuses = true;
    t->bpe.unknown = t->unknown;
    return true;
}

typedef bool opener(struct tokenizer *t, const struct gguf *file, struct status *st);

static opener *opener_of(struct view kind) {
    static const struct {
        const char *name;
        opener *open;
    } kinds[] = {{"llama", open_spm}, {"gpt2", open_bpe}, {"gemma4", open_characters}, {"t5", open_unigram}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (view_is(kind, kinds[i].name)) return kinds[i].open;
    return NULL;
}

bool tokenizer_open_gguf(struct tokenizer **out, const struct gguf *file, struct status *st) {
    struct view kind;
    *out = NULL;
    if (!gguf_string(&kind, file, "tokenizer.ggml.model", NULL, st)) return false;
    if (kind.n == 0)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: the metadata (%zu values from byte 24 on) has no 'tokenizer.ggml.model', so "
            "the file has no tokenizer; convert the model again with its tokenizer beside it",
            gguf_path(file), gguf_n_values(file));
    char shown[VIEW_SHOWN];
    opener *open = opener_of(kind);
    if (!open)
        return status_fail(
            st, STATUS_UNSUPPORTED,
            "%.120s: byte %zu: the tokenizer kind '%s' is not one of those that run: llama (SPM), "
            "gpt2 (byte-level BPE), gemma4 (BPE), t5 (Unigram)",
            gguf_path(file), gguf_find(file, "tokenizer.ggml.model")->offset, view_shown(shown, kind));
    struct tokenizer *t = tokenizer_new(st);
    if (t && open(t, file, st)) {
        *out = t;
        return true;
    }
    tokenizer_close(t);
    return false;
}
