/* tokenizer_path: a tokenizer from wherever it lies. */
#include "base/file.h"
#include "engine/file/gguf.h"
#include "engine/token/tokenizer_parts.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_JSON = 256 << 20, MAX_CONFIG = 16 << 20 };

static bool open_gguf(struct tokenizer **out, const char *path, struct status *st) {
    struct gguf *file;
    if (!gguf_open_header(&file, path, st)) return false;
    if (tokenizer_open_gguf(out, file, st)) {
        (*out)->file = file;
        return true;
    }
    gguf_close(file);
    return false;
}

/* A JSON object begins with a brace, perhaps after blanks; a sentencepiece model with the tag of its first
 * piece. */
static bool is_json(struct view bytes) {
    size_t i = 0;
    while (i < bytes.n && strchr(" \t\r\n", bytes.at[i]) && bytes.at[i]) i++;
    return i < bytes.n && bytes.at[i] == '{';
}

static bool open_folder(struct tokenizer **out, const char *path, struct status *st);

/* Weights alone: their tokenizer can only lie beside them. */
static bool is_safetensors(struct view bytes) {
    return bytes.n > 9 && bytes.at[8] == '{' && memcmp(bytes.at + 4, "\0\0\0\0", 4) == 0;
}

static bool open_beside(struct tokenizer **out, const char *path, struct status *st) {
    struct str folder = {0};
    const char *slash = strrchr(path, '/');
    if (slash) str_add(&folder, path, (size_t)(slash - path) + (slash == path));
    else str_putc(&folder, '.');
    bool ok = str_ok(&folder, st) && open_folder(out, str_c(&folder), st);
    str_free(&folder);
    return ok;
}

static bool open_file(struct tokenizer **out, const char *path, struct status *st) {
    struct mapping map;
    if (!mapping_open(&map, path, st)) return false;
    struct view bytes = {(const char *)map.at, map.n};
    bool ok, gguf = view_starts(bytes, "GGUF");
    if (gguf) ok = open_gguf(out, path, st);
    else if (is_safetensors(bytes)) ok = open_beside(out, path, st);
    else if (bytes.n > MAX_JSON)
        ok = status_fail(
            st, STATUS_UNSUPPORTED,
            "%.200s: %zu bytes are too many for a tokenizer.json or tokenizer.model, and it is no GGUF "
            "file",
            path, bytes.n);
    else if (is_json(bytes)) ok = tokenizer_open_json(out, path, bytes, st);
    else if (bytes.n && bytes.at[0] == '\n') ok = tokenizer_open_sentencepiece(out, path, bytes, st);
    else
        ok = status_fail(st, STATUS_BAD_INPUT,
                         "%.200s: byte 0: this is no GGUF file, no tokenizer.json and no tokenizer.model",
                         path);
    mapping_close(&map);
    return ok;
}

/* --- a directory --------------------------------------------------------------------------------------- */

struct folder {
    const char *path;
    struct str name; /* of the file in hand */
    struct status *st;
};

static const char *file_in(struct folder *f, const char *name) {
    str_clear(&f->name);
    str_printf(&f->name, "%s/%s", f->path, name);
    return str_c(&f->name);
}

/* *json = the file's object, or NULL when there is no such file. */
static bool read_config(json_t **json, struct folder *f, const char *name) {
    struct str text = {0};
    json_error_t error;
    *json = NULL;
    if (!file_exists(file_in(f, name))) return true;
    bool ok = file_read(&text, str_c(&f->name), MAX_CONFIG, f->st);
    if (ok) *json = json_loadb(str_c(&text), text.n, JSON_ALLOW_NUL, &error);
    if (ok && !json_is_object(*json))
        ok = status_fail(f->st, STATUS_BAD_INPUT, "%.200s: byte %d: it is no JSON object: %.120s",
                         str_c(&f->name), *json ? 0 : error.position, *json ? "another value" : error.text);
    str_free(&text);
    return ok;
}

/* The id of a token that a config names: a text, or an object with its `content`. -1: none. */
static int32_t named(const struct tokenizer *t, const json_t *token) {
    const json_t *text = json_is_object(token) ? json_object_get(token, "content") : token;
    if (!json_is_string(text)) return -1;
    struct view view = {json_string_value(text), json_string_length(text)};
    int32_t id = added_find(&t->raw, view);
    if (id < 0) id = added_find(&t->normalised, view);
    return id >= 0 ? id : vocab_find(&t->vocab, view.at, view.n);
}

/* eos_token_id: an id, or an array of them. */
static void add_ends(struct tokenizer *t, const json_t *ids) {
    size_t i, n = json_is_array(ids) ? json_array_size(ids) : 1;
    for (i = 0; i < n; i++) {
        const json_t *id = json_is_array(ids) ? json_array_get(ids, i) : ids;
        json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
        if (value < 0 || (size_t)value >= t->vocab.n) continue;
        if (t->eos < 0) t->eos = (int32_t)value;
        tokenizer_add_end(t, (int32_t)value);
    }
}

/* tokenizer.model does not say what goes in front; tokenizer_config.json may. */
static bool read_around(struct tokenizer *t, const json_t *config, bool sentencepiece, struct status *st) {
    int32_t bos = named(t, json_object_get(config, "bos_token"));
    int32_t eos = named(t, json_object_get(config, "eos_token"));
    if (bos >= 0) t->bos = bos;
    if (eos >= 0) t->eos = eos;
    t->pad = named(t, json_object_get(config, "pad_token"));
    const json_t *adds_bos = json_object_get(config, "add_bos_token");
    const json_t *adds_eos = json_object_get(config, "add_eos_token");
    if (sentencepiece && adds_bos &&
        !tokenizer_set_around(&t->front, &t->n_front, json_is_true(adds_bos) ? t->bos : -1, t, st))
        return false;
    return !sentencepiece || !json_is_true(adds_eos) ||
           tokenizer_set_around(&t->back, &t->n_back, t->eos, t, st);
}

static bool read_configs(struct tokenizer *t, struct folder *f, bool sentencepiece) {
    static const char *const with_ends[] = {"generation_config.json", "config.json"};
    json_t *config;
    bool ok =
        read_config(&config, f, "tokenizer_config.json") && read_around(t, config, sentencepiece, f->st);
    json_decref(config);
    for (size_t i = 0; ok && i < sizeof with_ends / sizeof *with_ends; i++) {
        ok = read_config(&config, f, with_ends[i]);
        if (ok) add_ends(t, json_object_get(config, "eos_token_id"));
        json_decref(config);
    }
    if (ok) tokenizer_add_known_ends(t);
    return ok;
}

static bool open_folder(struct tokenizer **out, const char *path, struct status *st) {
    struct folder f = {.path = path, .st = st};
    bool sentencepiece = !file_exists(file_in(&f, "tokenizer.json"));
    if (sentencepiece) file_in(&f, "tokenizer.model");
    bool ok = str_ok(&f.name, st);
    if (ok && !file_exists(str_c(&f.name)))
        ok = status_fail(st, STATUS_NOT_FOUND,
                         "%.200s: the directory has neither a tokenizer.json nor a tokenizer.model", path);
    ok = ok && open_file(out, str_c(&f.name), st);
    if (ok && !read_configs(*out, &f, sentencepiece)) {
        tokenizer_close(*out);
        *out = NULL;
        ok = false;
    }
    str_free(&f.name);
    return ok;
}

bool tokenizer_open(struct tokenizer **out, const char *path, struct status *st) {
    struct stat info;
    *out = NULL;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? open_folder(out, path, st) : open_file(out, path, st);
}
