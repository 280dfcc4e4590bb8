#include "engine/token/chat_source.h"

#include "base/file.h"
#include "engine/file/gguf.h"
#include "engine/token/template.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CONFIG = 16 << 20 };

/* --- GGUF ---------------------------------------------------------------------------------------------- */

static bool read_named_gguf(struct view *out, const struct gguf *file, const char *name, struct status *st) {
    char key[96];
    *out = (struct view){0};
    if (name) {
        snprintf(key, sizeof key, "tokenizer.chat_template.%s", name);
        if (!gguf_string(out, file, key, "", st)) return false;
    }
    return out->n || gguf_string(out, file, "tokenizer.chat_template", "", st);
}

static bool read_gguf(struct chat_source *out, const char *path, const char *name, struct status *st) {
    struct gguf *file = NULL;
    struct tokenizer *t = NULL;
    struct view text;
    bool ok = gguf_open_header(&file, path, st) && read_named_gguf(&text, file, name, st) &&
              tokenizer_open_gguf(&t, file, st);
    if (ok) {
        struct view bos = tokenizer_piece(t, tokenizer_bos(t)), eos = tokenizer_piece(t, tokenizer_eos(t));
        str_add(&out->text, text.at, text.n);
        str_add(&out->bos, bos.at, bos.n);
        str_add(&out->eos, eos.at, eos.n);
    }
    tokenizer_close(t);
    gguf_close(file);
    return ok;
}

/* --- JSON ---------------------------------------------------------------------------------------------- */

static void add(struct str *out, const json_t *string) {
    if (json_is_string(string)) str_add(out, json_string_value(string), json_string_length(string));
}

/* A token is a text, or an object with its `content`. */
static void add_token(struct str *out, const json_t *token) {
    add(out, json_is_object(token) ? json_object_get(token, "content") : token);
}

/* One template, or an array of {"name", "template"}. */
static const json_t *pick(const json_t *templates, const char *name) {
    const json_t *row, *found = NULL;
    size_t i;
    if (!json_is_array(templates)) return templates;
    json_array_foreach(templates, i, row) {
        const char *called = json_string_value(json_object_get(row, "name"));
        bool wanted = called && name && strcmp(called, name) == 0;
        if (wanted || (!found && called && strcmp(called, "default") == 0))
            found = json_object_get(row, "template");
        if (wanted) break;
    }
    return found;
}

static bool read_json(struct chat_source *out, struct view text, const char *path, const char *name,
                      struct status *st) {
    json_error_t error;
    json_t *root = json_loadb(text.at, text.n, JSON_ALLOW_NUL, &error);
    bool ok =
        json_is_object(root) ||
        status_fail(st, STATUS_BAD_INPUT, "%.200s: byte %d: it is no JSON object", path, error.position);
    const json_t *templates = json_object_get(root, "chat_template");
    if (out->text.n == 0) add(&out->text, pick(templates, name));
    if (out->bos.n == 0) add_token(&out->bos, json_object_get(root, "bos_token"));
    if (out->eos.n == 0) add_token(&out->eos, json_object_get(root, "eos_token"));
    json_decref(root);
    return ok;
}

/* --- files and directories ------------------------------------------------------------------------------ */

/* Appends DIRECTORY/NAME; a file that is not there is none. */
static bool read_file(struct str *out, struct str *path, const char *directory, const char *name,
                      struct status *st) {
    str_clear(path);
    str_printf(path, "%s/%s", directory, name);
    if (!str_ok(path, st)) return false;
    return !file_exists(path->at) || file_read(out, path->at, MAX_CONFIG, st);
}

static bool read_directory(struct chat_source *out, const char *directory, const char *name,
                           struct status *st) {
    static const char *const configs[] = {"tokenizer_config.json", "chat_template.json"};
    struct str path = {0}, text = {0};
    bool ok = read_file(&out->text, &path, directory, "chat_template.jinja", st);
    for (size_t i = 0; ok && i < sizeof configs / sizeof *configs; i++) {
        str_clear(&text);
        ok = read_file(&text, &path, directory, configs[i], st);
        if (ok && text.n) ok = read_json(out, (struct view){text.at, text.n}, str_c(&path), name, st);
    }
    str_free(&path);
    str_free(&text);
    return ok;
}

static bool is_json_object(struct view text) {
    text = view_trim(text);
    return text.n > 1 && text.at[0] == '{' && strchr("\"} \t\r\n", text.at[1]) && text.at[text.n - 1] == '}';
}

/* Does JSON that begins with a brace hold a template? A template may begin with a brace, too, but not so. */
static bool read_text(struct chat_source *out, struct str *text, const char *path, const char *name,
                      struct status *st) {
    struct view view = {str_c(text), text->n};
    if (is_json_object(view)) return read_json(out, view, path, name, st);
    str_add(&out->text, view.at, view.n);
    return true;
}

static bool read_any(struct chat_source *out, const char *path, const char *name, struct status *st) {
    struct mapping map;
    if (!mapping_open(&map, path, st)) return false;
    struct view head = {(const char *)map.at, map.n < 16 ? map.n : 16};
    bool gguf = view_starts(head, "GGUF"), safetensors = head.n > 8 && head.at[8] == '{' && head.at[7] == 0;
    mapping_close(&map);
    if (gguf) return read_gguf(out, path, name, st);
    struct str text = {0};
    bool ok;
    if (safetensors) {
        const char *slash = strrchr(path, '/');
        str_printf(&text, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
        ok = str_ok(&text, st) && read_directory(out, str_c(&text), name, st);
    } else ok = file_read(&text, path, MAX_CONFIG, st) && read_text(out, &text, path, name, st);
    str_free(&text);
    return ok;
}

bool chat_source_read(struct chat_source *out, const char *path, const char *name, struct status *st) {
    struct stat info;
    *out = (struct chat_source){0};
    bool directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    bool ok = directory ? read_directory(out, path, name, st) : read_any(out, path, name, st);
    ok = ok && str_ok(&out->text, st) && str_ok(&out->bos, st) && str_ok(&out->eos, st);
    if (!ok) chat_source_free(out);
    return ok;
}

void chat_source_free(struct chat_source *s) {
    str_free(&s->text);
    str_free(&s->bos);
    str_free(&s->eos);
}
