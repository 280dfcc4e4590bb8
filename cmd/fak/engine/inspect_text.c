#include "cmd/fak/engine/inspect.h"
#include "cmd/fak/engine/shown.h"
#include "engine/backend/backend.h"
#include "engine/file/checkpoint.h"
#include "engine/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

enum { LABEL = 14, KEY_MOST = 46, TYPE = 9 };

struct page {
    struct str *out;
    const struct term *term;
};

/* --- the whole ------------------------------------------------------------------------------------------ */

/* A fact about the file; a long one is folded. */
static void fact(const struct page *p, enum term_style style, const char *label, const char *text) {
    str_puts(p->out, "  ");
    term_cell(p->out, p->term, style, LABEL - 2, label);
    term_fold(p->out, p->term, LABEL, text);
}

static void put_file_fact(const struct page *p, const struct gguf *file) {
    struct str text = {0};
    bool foreign = gguf_is_foreign(file);
    if (foreign) str_puts(&text, "safetensors, ");
    else str_printf(&text, "GGUF version %u, ", gguf_version(file));
    shown_count(&text, gguf_size(file));
    if (gguf_n_parts(file) > 1) str_printf(&text, " bytes in %u files", gguf_n_parts(file));
    else str_puts(&text, " bytes");
    if (!foreign) str_printf(&text, ", alignment %zu", gguf_alignment(file));
    if (!foreign && gguf_n_tensors(file) && gguf_n_parts(file) == 1) {
        str_puts(&text, ", weights from byte ");
        shown_count(&text, gguf_data_offset(file));
    }
    fact(p, TERM_DIM, "file", str_c(&text));
    str_free(&text);
}

static void put_model_fact(const struct page *p, const struct gguf *file) {
    static const char *const keys[] = {"general.architecture", "general.name"};
    struct str text = {0};
    for (int i = 0; i < 2; i++) {
        const struct gguf_value *value = gguf_find(file, keys[i]);
        if (!value || value->type != GGUF_STRING) continue;
        if (text.n) str_puts(&text, ", ");
        shown_quoted(&text, value->string, p->term->width - LABEL);
    }
    if (text.n) fact(p, TERM_DIM, "model", str_c(&text));
    str_free(&text);
}

static void put_size_fact(const struct page *p, const struct inspect *in) {
    struct str text = {0};
    shown_count(&text, in->n_elements);
    str_printf(&text, " at %.2f bits", inspect_bits(in));
    if (in->n_elements) fact(p, TERM_DIM, "parameters", str_c(&text));
    str_free(&text);
}

/* The page names the file already. */
static const char *without_path(const struct inspect *in, const struct status *st) {
    size_t n = strlen(gguf_path(in->file));
    bool starts = strncmp(st->message, gguf_path(in->file), n) == 0 && strncmp(st->message + n, ": ", 2) == 0;
    return st->message + (starts ? n + 2 : 0);
}

static void put_tokenizer_fact(const struct page *p, const struct inspect *in) {
    const struct tokenizer *t = in->tokenizer;
    struct str text = {0};
    if (!t) {
        fact(p, TERM_DIM, "tokenizer", without_path(in, &in->tokenizer_status));
        return;
    }
    str_printf(&text, "%s, ", tokenizer_kind(t));
    shown_count(&text, tokenizer_n_vocab(t));
    str_puts(&text, " tokens, ");
    if (tokenizer_adds_bos(t)) {
        str_puts(&text, "begins with ");
        shown_quoted(&text, tokenizer_piece(t, tokenizer_bos(t)), p->term->width - LABEL);
    } else {
        str_puts(&text, "no begin token");
    }
    fact(p, TERM_DIM, "tokenizer", str_c(&text));
    str_free(&text);
}

static void put_verdict(const struct page *p, const struct inspect *in) {
    struct str text = {0};
    char how[BACKEND_DESCRIBED];
    backend_describe_default(how);
    if (in->runs) str_printf(&text, "yes, on %s", how);
    else str_printf(&text, "no: %s", without_path(in, &in->runs_status));
    fact(p, in->runs ? TERM_GREEN : TERM_RED, "runs here", str_c(&text));
    str_free(&text);
}

static void heading(const struct page *p, const char *text, size_t n) {
    str_putc(p->out, '\n');
    term_put(p->out, p->term, TERM_BOLD, text);
    str_puts(p->out, " (");
    shown_count(p->out, n);
    str_puts(p->out, ")\n");
}

/* --- metadata ------------------------------------------------------------------------------------------- */

static void put_scalar(struct str *out, const struct gguf_value *value, int columns) {
    switch (value->type) {
    case GGUF_STRING: shown_quoted(out, value->string, columns); break;
    case GGUF_BOOL: str_puts(out, value->u ? "true" : "false"); break;
    case GGUF_F32:
    case GGUF_F64: str_printf(out, "%.*g", value->type == GGUF_F32 ? 7 : 15, value->f); break;
    case GGUF_I8:
    case GGUF_I16:
    case GGUF_I32:
    case GGUF_I64: str_printf(out, "%lld", (long long)value->i); break;
    default: str_printf(out, "%llu", (unsigned long long)value->u);
    }
}

/* "49,152: "<s>", "</s>" ...": the number of items, and as many of them as there is room for. */
static void put_array(struct str *out, const struct gguf_array *array, int columns) {
    enum { DOTS = 4 };
    shown_count(out, array->n);
    str_puts(out, ":");
    for (size_t i = 0; i < array->n; i++) {
        struct gguf_value item = gguf_array_item(array, i);
        struct str text = {0};
        put_scalar(&text, &item, columns);
        int left = columns - term_columns(str_c(out)) - (i + 1 < array->n ? DOTS : 0);
        bool fits = term_columns(str_c(&text)) + 2 <= left;
        if (fits) str_printf(out, "%s %s", i ? "," : "", str_c(&text));
        else str_puts(out, " ...");
        str_free(&text);
        if (!fits) return;
    }
}

static void put_value(const struct page *p, const struct gguf_value *value, int key_columns) {
    struct str key = {0}, text = {0}, type = {0};
    int columns = p->term->width - 2 - key_columns - 2 - TYPE - 2;
    bool array = value->type == GGUF_ARRAY;
    str_add(&key, value->key.at, value->key.n);
    if ((int)key.n > key_columns) { /* the end of a key says more than its start */
        str_clear(&key);
        str_printf(&key, "...%.*s", key_columns - 3,
                   value->key.at + value->key.n - (size_t)(key_columns - 3));
    }
    for (size_t i = 0; i < key.n; i++)
        if (key.at[i] < ' ' || key.at[i] > '~') key.at[i] = '?';
    str_printf(&type, "%s%s%s", array ? "[" : "", gguf_type_name(array ? value->array.type : value->type),
               array ? "]" : "");
    if (array) put_array(&text, &value->array, columns);
    else put_scalar(&text, value, columns);
    str_puts(p->out, "  ");
    term_cell(p->out, p->term, TERM_CYAN, key_columns + 2, str_c(&key));
    term_cell(p->out, p->term, TERM_DIM, TYPE + 2, str_c(&type));
    str_printf(p->out, "%s\n", str_c(&text));
    str_free(&key), str_free(&text), str_free(&type);
}

static void put_metadata(const struct page *p, const struct gguf *file) {
    size_t longest = 0;
    for (size_t i = 0; i < gguf_n_values(file); i++) {
        size_t n = gguf_value_at(file, i)->key.n;
        longest = n > longest ? n : longest;
    }
    int most = p->term->width / 2 < KEY_MOST ? p->term->width / 2 : KEY_MOST;
    if (most < 12) most = 12;
    heading(p, "Metadata", gguf_n_values(file));
    for (size_t i = 0; i < gguf_n_values(file); i++)
        put_value(p, gguf_value_at(file, i), longest < (size_t)most ? (int)longest : most);
}

/* --- tensors -------------------------------------------------------------------------------------------- */

static void put_shape(struct str *out, const struct gguf_tensor *tensor) {
    for (unsigned i = 0; i < tensor->n_dims; i++)
        str_printf(out, "%s%llu", i ? " x " : "", (unsigned long long)tensor->dims[i]);
    if (tensor->n_dims == 0) str_puts(out, "scalar");
}

struct columns {
    int name, type, shape, offset, bytes;
};

static int larger(int a, int b) { return a > b ? a : b; }

static int count_columns(uint64_t n) {
    struct str text = {0};
    shown_count(&text, n);
    int columns = term_columns(str_c(&text));
    str_free(&text);
    return columns;
}

static struct columns measure(const struct gguf *file) {
    struct columns c = {6, 4, 5, 6, 5}; /* the words above them */
    for (size_t i = 0; i < gguf_n_tensors(file); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(file, i);
        struct str shape = {0};
        put_shape(&shape, tensor);
        c.name = larger(c.name, (int)tensor->name.n);
        c.type = larger(c.type, term_columns(gguf_tensor_type_name(tensor->type)));
        c.shape = larger(c.shape, term_columns(str_c(&shape)));
        c.offset = larger(c.offset, count_columns(tensor->offset));
        c.bytes = larger(c.bytes, count_columns(tensor->bytes));
        str_free(&shape);
    }
    return c;
}

static void put_tensor(const struct page *p, const struct gguf_tensor *tensor, const struct columns *c) {
    char name[VIEW_SHOWN];
    struct str shape = {0};
    put_shape(&shape, tensor);
    str_puts(p->out, "  ");
    term_cell(p->out, p->term, TERM_CYAN, c->name + 2, view_shown(name, tensor->name));
    term_cell(p->out, p->term, dtype_info(tensor->type) ? TERM_PLAIN : TERM_RED, c->type + 2,
              gguf_tensor_type_name(tensor->type));
    term_cell(p->out, p->term, TERM_PLAIN, c->shape + 2, str_c(&shape));
    shown_count_right(p->out, tensor->offset, c->offset);
    shown_count_right(p->out, tensor->bytes, c->bytes + 2);
    str_putc(p->out, '\n');
    str_free(&shape);
}

static void put_tensors(const struct page *p, const struct gguf *file) {
    struct columns c = measure(file);
    heading(p, "Tensors", gguf_n_tensors(file));
    struct str head = {0};
    str_printf(&head, "  %-*s%-*s%-*s%*s%*s", c.name + 2, "name", c.type + 2, "type", c.shape + 2, "shape",
               c.offset, "offset", c.bytes + 2, "bytes");
    term_put(p->out, p->term, TERM_DIM, str_c(&head));
    str_putc(p->out, '\n');
    str_free(&head);
    for (size_t i = 0; i < gguf_n_tensors(file); i++) put_tensor(p, gguf_tensor_at(file, i), &c);
}

static void put_type(const struct page *p, const struct inspect_type *row, const char *name, uint64_t all) {
    str_puts(p->out, "  ");
    term_cell(p->out, p->term, TERM_PLAIN, TYPE + 1, name);
    shown_count_right(p->out, row->n_tensors, 8);
    shown_count_right(p->out, row->n_elements, 18);
    shown_count_right(p->out, row->n_bytes, 18);
    str_printf(p->out, "%6.1f %%", all ? 100.0 * (double)row->n_bytes / (double)all : 0);
    if (row->n_tensors && name == gguf_tensor_type_name(row->type) && !dtype_info(row->type)) {
        str_puts(p->out, "  ");
        term_put(p->out, p->term, TERM_RED, "not run");
    }
    str_putc(p->out, '\n');
}

static void put_types(const struct page *p, const struct inspect *in) {
    struct inspect_type total = {0};
    heading(p, "Types", in->n_types);
    struct str head = {0};
    str_printf(&head, "  %-*s%8s%18s%18s%8s", TYPE + 1, "type", "tensors", "elements", "bytes", "share");
    term_put(p->out, p->term, TERM_DIM, str_c(&head));
    str_putc(p->out, '\n');
    str_free(&head);
    for (size_t i = 0; i < in->n_types; i++) {
        put_type(p, &in->types[i], gguf_tensor_type_name(in->types[i].type), in->n_bytes);
        total.n_tensors += in->types[i].n_tensors;
    }
    total.n_elements = in->n_elements;
    total.n_bytes = in->n_bytes;
    if (in->n_types > 1) put_type(p, &total, "all", in->n_bytes);
}

void inspect_text(struct str *out, const struct term *term, const struct inspect *in) {
    const struct page p = {out, term};
    term_put(out, term, TERM_BOLD, gguf_path(in->file));
    str_putc(out, '\n');
    put_file_fact(&p, in->file);
    put_model_fact(&p, in->file);
    put_size_fact(&p, in);
    put_tokenizer_fact(&p, in);
    put_verdict(&p, in);
    if (gguf_n_values(in->file)) put_metadata(&p, in->file);
    if (gguf_n_tensors(in->file)) {
        put_tensors(&p, in->file);
        put_types(&p, in);
    }
}
