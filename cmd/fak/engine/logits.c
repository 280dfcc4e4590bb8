/* fak logits: the oracle command. Ids in, logits and the greedy continuation out; nothing is added. */
#include "base/checked.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonout.h"
#include "cmd/fak/engine/entries.h"
#include "cmd/fak/engine/input.h"
#include "engine/session/sample.h"
#include "engine/token/token_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const char *path;
    struct token_list ids; /* those given */
    long n_greedy;
    struct engine_model *model;
    struct engine_session *session;
    float *logits; /* [ids.n][n_vocab] */
    size_t bytes;
    int32_t *greedy;
    float *margins;
};

/* "1,403,407": whole numbers and commas, no blanks. */
static bool parse_ids(struct token_list *list, const char *text, struct status *st) {
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        long id = strtol(at, &end, 10);
        bool digit = *at >= '0' && *at <= '9';
        if (!digit || errno || id > INT32_MAX || (*end && *end != ','))
            return status_fail(st, STATUS_USAGE,
                               "--ids: '%.40s' at character %td is no list of ids like 1,403,407", at,
                               at - text + 1);
        if (!token_list_add(list, (int32_t)id, st)) return false;
        at = end;
        if (!*at) return true;
    }
}

static bool read_ids(struct token_list *ids, const struct cli_args *args, struct status *st) {
    const char *given = cli_value(args, "--ids"), *path = cli_value(args, "--ids-file");
    if (!given == !path)
        return status_fail(st, STATUS_USAGE,
                           given ? "--ids and --ids-file both name ids; give one of them"
                                 : "give the ids to run: --ids 1,403,407, or --ids-file FILE");
    if (given) return parse_ids(ids, given, st);
    struct str text = {0};
    bool ok = strcmp(path, "-") == 0 ? input_stdin(&text, st) : file_read(&text, path, INPUT_MAX, st);
    ok = ok && input_ids(ids, (struct view){str_c(&text), text.n}, path, st);
    str_free(&text);
    return ok;
}

static bool read_args(struct run *r, struct engine_options *options, const struct cli_args *args,
                      struct status *st) {
    long chunk;
    if (args->n_positional != 1)
        return status_fail(st, STATUS_USAGE, "it takes one MODEL, a GGUF file, not %d", args->n_positional);
    r->path = args->positional[0];
    if (!engine_flags(options, args, st) || !read_ids(&r->ids, args, st) ||
        !cli_number(&r->n_greedy, args, "--greedy", 0, 1 << 24, 0, st) ||
        !cli_number(&chunk, args, "--chunk", 1, 1 << 16, 512, st))
        return false;
    options->chunk = (size_t)chunk;
    options->ids_only = true;
    options->no_prefix = true;                         /* an oracle runs what it is asked */
    options->context = r->ids.n + (size_t)r->n_greedy; /* room for what is asked, not for the whole context */
    return true;
}

/* The last greedy id is not run. */
static bool check_room(const struct run *r, struct status *st) {
    size_t need = r->ids.n + (size_t)r->n_greedy - (r->n_greedy > 0);
    if (need <= engine_context(r->model)) return true;
    return status_fail(
        st, STATUS_BAD_INPUT, "%zu id%s and %ld greedy one%s exceed the context of %zu positions", r->ids.n,
        r->ids.n == 1 ? "" : "s", r->n_greedy, r->n_greedy == 1 ? "" : "s", engine_context(r->model));
}

static bool allocate(struct run *r, struct status *st) {
    size_t row = engine_n_vocab(r->model) * sizeof *r->logits;
    size_t n_greedy = (size_t)r->n_greedy + 1; /* never 0: calloc may then give NULL */
    if (checked_mul(&r->bytes, r->ids.n, row)) r->logits = malloc(r->bytes);
    r->greedy = calloc(n_greedy, sizeof *r->greedy);
    r->margins = calloc(n_greedy, sizeof *r->margins);
    if (r->logits && r->greedy && r->margins) return true;
    return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu rows of %zu logits", r->ids.n,
                       engine_n_vocab(r->model));
}

static bool continue_greedily(struct run *r, struct status *st) {
    size_t n_vocab = engine_n_vocab(r->model);
    float *row = malloc(n_vocab * sizeof *row);
    bool ok = row || status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu logits", n_vocab);
    if (ok) memcpy(row, r->logits + (r->ids.n - 1) * n_vocab, n_vocab * sizeof *row);
    for (long i = 0; ok && i < r->n_greedy; i++) {
        if (i) ok = engine_feed(r->session, &r->greedy[i - 1], 1, ENGINE_LOGITS_LAST, row, st);
        if (ok) r->greedy[i] = sample_greedy(row, n_vocab, &r->margins[i]);
    }
    free(row);
    return ok;
}

static void report(struct str *out, const struct run *r) {
    struct jsonout j;
    char hash[HASH_HEX];
    const char *ran = engine_describe(r->model);
    hash_sha256(hash, r->logits, r->bytes);
    jsonout_init(&j, out, 0);
    jsonout_begin_object(&j);
    jsonout_pair_string(&j, "model", r->path);
    jsonout_key(&j, "isa");
    jsonout_view(&j, (struct view){ran, strcspn(ran, " ,")});
    jsonout_pair_string(&j, "ran", ran);
    jsonout_pair_int(&j, "n_pos", (int64_t)r->ids.n);
    jsonout_pair_int(&j, "n_vocab", (int64_t)engine_n_vocab(r->model));
    jsonout_key(&j, "greedy");
    jsonout_begin_array(&j);
    for (long i = 0; i < r->n_greedy; i++) jsonout_int(&j, r->greedy[i]);
    jsonout_end_array(&j);
    jsonout_key(&j, "margins");
    jsonout_begin_array(&j);
    for (long i = 0; i < r->n_greedy; i++) jsonout_double(&j, (double)r->margins[i]);
    jsonout_end_array(&j);
    jsonout_pair_string(&j, "sha256", hash);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}

static bool work(struct run *r, struct cli *cli, const struct cli_args *args, struct status *st) {
    struct engine_options options;
    const char *file = cli_value(args, "--output");
    if (!read_args(r, &options, args, st) || !engine_open(&r->model, r->path, &options, st) ||
        !check_room(r, st) || !allocate(r, st) || !engine_session_open(&r->session, r->model, st) ||
        !engine_feed(r->session, r->ids.ids, r->ids.n, ENGINE_LOGITS_ALL, r->logits, st) ||
        !continue_greedily(r, st))
        return false;
    engine_tell(r->model);
    report(&cli->out, r);
    return !file || file_replace(file, r->logits, r->bytes, st);
}

int fak_logits(struct cli *cli, int argc, char **argv) {
    struct cli_args args;
    struct status st;
    struct run r = {0};
    bool ok = cli_parse(&args, cli->command, argc, argv, &st) && work(&r, cli, &args, &st);
    engine_session_close(r.session);
    engine_close(r.model);
    free(r.logits);
    free(r.greedy);
    free(r.margins);
    token_list_free(&r.ids);
    return ok ? cli_finish(cli, 0) : cli_fail(cli, &st);
}
