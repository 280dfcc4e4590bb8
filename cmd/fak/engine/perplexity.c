/* fak perplexity: how well a model foresees a text, and how far its logits are from saved ones. */
#include "base/checked.h"
#include "base/file.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "cmd/fak/engine/shown.h"
#include "engine/session/likelihood.h"
#include "engine/token/token_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- saved logits: a header, the ids of all chunks, then the rows of logits that were judged --- */

struct saved_header {
    char magic[8]; /* "FAKLOGIT" */
    uint32_t version, n_context, n_vocab, n_chunks;
};

enum { SAVED_VERSION = 1, ROWS = 32 /* of logits in memory at once */ };
static const char saved_magic[8] = {'F', 'A', 'K', 'L', 'O', 'G', 'I', 'T'};

struct perplexity {
    const struct cli_args *args;
    const char *path;
    size_t most_chunks;                /* 0: all there are */
    size_t n_context, n_chunks, first; /* logits from position `first` of a chunk on are judged */
    struct token_list ids;
    int32_t bos; /* put at the start of each chunk; -1: none */
    struct engine_model *model;
    float *logits; /* [ROWS][n_vocab] */
    struct likelihood own, base;
    struct divergence divergence;
    FILE *save;
    struct str save_path;   /* of the file in the making */
    struct mapping against; /* saved logits */
    const float *against_rows;
};

static size_t rows_per_chunk(const struct perplexity *p) { return p->n_context - 1 - p->first; }

/* --- what is run ---------------------------------------------------------------------------------------- */

static bool open_against(struct perplexity *p, const char *path, struct status *st) {
    struct saved_header h;
    if (!mapping_open(&p->against, path, st)) return false;
    if (p->against.n < sizeof h)
        return status_fail(st, STATUS_BAD_INPUT, "%.200s: byte 0: %zu bytes are no saved logits", path,
                           p->against.n);
    memcpy(&h, p->against.at, sizeof h);
    if (memcmp(h.magic, saved_magic, sizeof h.magic) != 0 || h.version != SAVED_VERSION)
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.200s: byte 0: these are no logits that `fak perplexity --save-logits` of this "
                           "version has written",
                           path);
    uint64_t ids, rows, bytes;
    bool sound = h.n_context >= 4 && h.n_vocab && h.n_chunks && h.n_context <= 1 << 24 &&
                 checked_mul_u64(&ids, (uint64_t)h.n_context * 4, h.n_chunks) &&
                 checked_mul_u64(&rows, (uint64_t)(h.n_context - 1 - h.n_context / 2) * h.n_chunks,
                                 (uint64_t)h.n_vocab * 4) &&
                 checked_add_u64(&bytes, ids, rows) && checked_add_u64(&bytes, bytes, sizeof h) &&
                 bytes == p->against.n;
    if (!sound)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.200s: byte 12: %u chunks of %u positions and %u tokens do not make its %zu bytes; it "
            "is cut, or damaged",
            path, h.n_chunks, h.n_context, h.n_vocab, p->against.n);
    if (h.n_vocab != engine_n_vocab(p->model))
        return status_fail(st, STATUS_BAD_INPUT,
                           "%.200s: byte 16: logits of %u tokens, and this model has %zu", path, h.n_vocab,
                           engine_n_vocab(p->model));
    p->n_context = h.n_context;
    p->n_chunks = p->most_chunks && p->most_chunks < h.n_chunks ? p->most_chunks : h.n_chunks;
    p->first = p->n_context / 2;
    p->against_rows = (const float *)(const void *)(p->against.at + sizeof h + ids);
    const unsigned char *at = p->against.at + sizeof h;
    for (size_t i = 0; i < (size_t)(ids / 4); i++, at += 4) {
        int32_t id;
        memcpy(&id, at, sizeof id);
        if (!token_list_add(&p->ids, id, st)) return false;
    }
    return true;
}

/* The whole text at once, as llama.cpp's tool reads it: begin token in front, special text as text. */
static bool read_text(struct perplexity *p, struct status *st) {
    const struct tokenizer *t = engine_tokenizer(p->model);
    struct str text = {0};
    bool ok = input_text(&text, p->args, st) &&
              tokenizer_encode(&p->ids, t, (struct view){str_c(&text), text.n},
                               (struct tokenizer_options){.add_special = true}, st);
    size_t n_bytes = text.n;
    str_free(&text);
    if (!ok) return false;
    p->n_chunks = p->ids.n / p->n_context;
    if (p->n_chunks < 1)
        return status_fail(
            st, STATUS_BAD_INPUT,
            "the text (%zu bytes) has %zu tokens, and a chunk takes %zu; give a longer one, or a smaller "
            "--context",
            n_bytes, p->ids.n, p->n_context);
    if (p->most_chunks && p->most_chunks < p->n_chunks) p->n_chunks = p->most_chunks;
    if (tokenizer_adds_bos(t)) p->bos = tokenizer_bos(t);
    for (size_t i = 0; p->bos >= 0 && i < p->n_chunks; i++) p->ids.ids[i * p->n_context] = p->bos;
    return true;
}

static bool open_save(struct perplexity *p, const char *path, struct status *st) {
    struct saved_header h = {.version = SAVED_VERSION,
                             .n_context = (uint32_t)p->n_context,
                             .n_vocab = (uint32_t)engine_n_vocab(p->model),
                             .n_chunks = (uint32_t)p->n_chunks};
    memcpy(h.magic, saved_magic, sizeof h.magic);
    str_printf(&p->save_path, "%s.partial", path);
    if (!str_ok(&p->save_path, st)) return false;
    p->save = fopen(p->save_path.at, "wb");
    size_t n = p->n_chunks * p->n_context;
    if (p->save && fwrite(&h, sizeof h, 1, p->save) == 1 &&
        fwrite(p->ids.ids, sizeof *p->ids.ids, n, p->save) == n)
        return true;
    return status_fail_errno(st, "cannot write '%.200s'", p->save_path.at);
}

static bool close_save(struct perplexity *p, const char *path, struct status *st) {
    bool ok = fflush(p->save) == 0 && fsync(fileno(p->save)) == 0;
    ok = fclose(p->save) == 0 && ok;
    p->save = NULL;
    if (ok && rename(p->save_path.at, path) == 0) return true;
    return status_fail_errno(st, "cannot write '%.200s'", path);
}

/* --- judging -------------------------------------------------------------------------------------------- */

/* The logits of row `row` of a chunk foresee the token behind it. */
static bool judge(struct perplexity *p, size_t chunk, size_t row, const float *logits, struct status *st) {
    size_t n_vocab = engine_n_vocab(p->model), position = chunk * p->n_context + p->first + row;
    int32_t came = p->ids.ids[position + 1];
    likelihood_add(&p->own, logits, n_vocab, came);
    if (!isfinite(p->own.sum))
        return status_fail(
            st, STATUS_BAD_INPUT,
            "%.120s: at token %zu the model gives no numbers (NaN), or no chance at all to what came: "
            "its weights are damaged",
            p->path, position + 1);
    if (p->save && fwrite(logits, sizeof *logits, n_vocab, p->save) != n_vocab)
        return status_fail_errno(st, "cannot write '%.200s'", p->save_path.at);
    if (!p->against_rows) return true;
    const float *base = p->against_rows + (chunk * rows_per_chunk(p) + row) * n_vocab;
    likelihood_add(&p->base, base, n_vocab, came);
    return divergence_add(&p->divergence, base, logits, n_vocab, st);
}

static bool run_chunk(struct perplexity *p, size_t chunk, struct status *st) {
    struct engine_session *session = NULL;
    size_t n_vocab = engine_n_vocab(p->model), rows = rows_per_chunk(p);
    const int32_t *ids = p->ids.ids + chunk * p->n_context;
    bool ok = engine_session_open(&session, p->model, st) &&
              engine_feed(session, ids, p->first, ENGINE_LOGITS_NONE, NULL, st);
    for (size_t done = 0, n; ok && done < rows; done += n) {
        n = rows - done < ROWS ? rows - done : ROWS;
        ok = engine_feed(session, ids + p->first + done, n, ENGINE_LOGITS_ALL, p->logits, st);
        for (size_t i = 0; ok && i < n; i++) ok = judge(p, chunk, done + i, p->logits + i * n_vocab, st);
    }
    engine_session_close(session);
    return ok;
}

static bool run_all(struct perplexity *p, const struct cli *cli, struct status *st) {
    bool shows = isatty(STDERR_FILENO) && cli->err_term.width > 0;
    for (size_t i = 0; i < p->n_chunks; i++) {
        if (!run_chunk(p, i, st)) return false;
        if (shows)
            fprintf(stderr, "\r\033[Kchunk %zu of %zu: perplexity %.4f", i + 1, p->n_chunks,
                    likelihood_perplexity(&p->own));
    }
    if (shows) fputs("\r\033[K", stderr);
    return true;
}

/* --- what came out -------------------------------------------------------------------------------------- */

static void put_json(struct str *out, struct perplexity *p) {
    struct jsonout j;
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "model", p->path);
    jsonout_pair_int(&j, "context", (int64_t)p->n_context);
    jsonout_pair_int(&j, "chunks", (int64_t)p->n_chunks);
    jsonout_pair_int(&j, "judged", (int64_t)p->own.n);
    jsonout_pair_double(&j, "perplexity", likelihood_perplexity(&p->own));
    jsonout_pair_double(&j, "error", likelihood_error(&p->own));
    jsonout_pair_string(&j, "ran", engine_describe(p->model));
    if (p->against_rows) {
        jsonout_pair_double(&j, "base_perplexity", likelihood_perplexity(&p->base));
        jsonout_pair_double(&j, "kl_mean", divergence_mean(&p->divergence));
        jsonout_pair_double(&j, "kl_error", divergence_error(&p->divergence));
        jsonout_pair_double(&j, "kl_median", divergence_quantile(&p->divergence, 0.5));
        jsonout_pair_double(&j, "kl_99", divergence_quantile(&p->divergence, 0.99));
        jsonout_pair_double(&j, "kl_max", divergence_quantile(&p->divergence, 1));
        jsonout_pair_double(&j, "same_top", divergence_same_top(&p->divergence));
    }
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

static void put_text(struct str *out, struct perplexity *p) {
    str_printf(out, "perplexity     %.4f +- %.4f\n", likelihood_perplexity(&p->own),
               likelihood_error(&p->own));
    str_puts(out, "judged         ");
    shown_count(out, p->own.n);
    str_printf(out, " tokens: %zu chunk%s of %zu, the second half of each\n", p->n_chunks,
               p->n_chunks == 1 ? "" : "s", p->n_context);
    if (!p->against_rows) return;
    struct divergence *d = &p->divergence;
    str_printf(out, "of the base    %.4f; ratio %.6f\n", likelihood_perplexity(&p->base),
               likelihood_perplexity(&p->own) / likelihood_perplexity(&p->base));
    str_printf(out, "KL divergence  %.3g +- %.2g; median %.3g, 99 %% %.3g, largest %.3g\n",
               divergence_mean(d), divergence_error(d), divergence_quantile(d, 0.5),
               divergence_quantile(d, 0.99), divergence_quantile(d, 1));
    str_printf(out, "same top token %.3f %%\n", 100 * divergence_same_top(d));
}

/* --- the command ---------------------------------------------------------------------------------------- */

static bool open_model(struct perplexity *p, struct status *st) {
    struct engine_options options;
    long context, chunks;
    if (!cli_expect(p->args, 1, 1, st) || !engine_flags(&options, p->args, st) ||
        !cli_number(&context, p->args, "--context", 4, 1 << 24, 512, st) ||
        !cli_number(&chunks, p->args, "--chunks", 1, 1 << 24, 0, st))
        return false;
    p->most_chunks = (size_t)chunks;
    p->path = p->args->positional[0];
    p->n_context = (size_t)context;
    p->first = p->n_context / 2;
    p->bos = -1;
    options.no_prefix = true; /* chunks share nothing, and one after the other may have the same pages */
    if (!engine_open(&p->model, p->path, &options, st)) return false;
    engine_tell(p->model);
    size_t bytes, rows;
    if (checked_mul(&rows, ROWS, engine_n_vocab(p->model)) && checked_mul(&bytes, rows, sizeof *p->logits))
        p->logits = malloc(bytes);
    return p->logits || status_fail(st, STATUS_NO_MEMORY, "out of memory for %d rows of %zu logits", ROWS,
                                    engine_n_vocab(p->model));
}

static bool work(struct perplexity *p, struct cli *cli, struct status *st) {
    const char *save = cli_value(p->args, "--save-logits"), *against = cli_value(p->args, "--against");
    if (against && (cli_given(p->args, "--file") || cli_given(p->args, "--prompt")))
        return status_fail(st, STATUS_USAGE,
                           "--against takes the text that its logits were saved for; leave "
                           "--file and -p out");
    if (!open_model(p, st) || !(against ? open_against(p, against, st) : read_text(p, st))) return false;
    if (p->n_context > engine_context(p->model))
        return status_fail(st, STATUS_BAD_INPUT, "chunks of %zu tokens exceed the context of %zu positions",
                           p->n_context, engine_context(p->model));
    if (save && !open_save(p, save, st)) return false;
    if (!run_all(p, cli, st) || (save && !close_save(p, save, st))) return false;
    if (cli_given(p->args, "--json")) put_json(&cli->out, p);
    else put_text(&cli->out, p);
    return true;
}

int fak_perplexity(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct perplexity p = {.args = &args};
    bool ok = cli_parse(&args, cli->command, argc, argv, &st) && work(&p, cli, &st);
    if (p.save) fclose(p.save);
    if (!ok && p.save_path.n) unlink(p.save_path.at);
    if (p.against.at) mapping_close(&p.against);
    engine_close(p.model);
    free(p.logits);
    divergence_free(&p.divergence);
    token_list_free(&p.ids);
    str_free(&p.save_path);
    return ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
}
