#include "base/json.h"
#include "cmd/fak/engine/inspect.h"

enum { FIRST_ITEMS = 8 }; /* of an array: vocabularies are long, and `n` says how long */

static void put_scalar(struct json *j, const struct gguf_value *value) {
    switch (value->type) {
    case GGUF_STRING: json_view(j, value->string); break;
    case GGUF_BOOL: json_bool(j, value->u != 0); break;
    case GGUF_F32:
    case GGUF_F64: json_double(j, value->f); break;
    case GGUF_U64:
        if (value->u > INT64_MAX)
            json_double(j, (double)value->u); /* JSON numbers are doubles to most readers */
        else json_int(j, value->i);
        break;
    default: json_int(j, value->i);
    }
}

static void put_value(struct json *j, const struct gguf_value *value) {
    bool array = value->type == GGUF_ARRAY;
    json_begin_object(j);
    json_key(j, "key");
    json_view(j, value->key);
    json_pair_string(j, "type", gguf_type_name(value->type));
    json_pair_int(j, "offset", (int64_t)value->offset);
    if (array) {
        json_pair_string(j, "items", gguf_type_name(value->array.type));
        json_pair_int(j, "n", (int64_t)value->array.n);
        json_key(j, "first");
        json_begin_array(j);
        for (size_t i = 0; i < value->array.n && i < FIRST_ITEMS; i++) {
            struct gguf_value item = gguf_array_item(&value->array, i);
            put_scalar(j, &item);
        }
        json_end_array(j);
    } else {
        json_key(j, "value");
        put_scalar(j, value);
    }
    json_end_object(j);
}

static void put_tensor(struct json *j, const struct gguf_tensor *tensor) {
    json_begin_object(j);
    json_key(j, "name");
    json_view(j, tensor->name);
    json_pair_string(j, "type", gguf_tensor_type_name(tensor->type));
    json_key(j, "shape");
    json_begin_array(j);
    for (unsigned i = 0; i < tensor->n_dims; i++) json_int(j, (int64_t)tensor->dims[i]);
    json_end_array(j);
    json_pair_int(j, "part", tensor->part);
    json_pair_int(j, "offset", (int64_t)tensor->offset);
    json_pair_int(j, "bytes", (int64_t)tensor->bytes);
    json_end_object(j);
}

static void put_type(struct json *j, const struct inspect_type *row) {
    json_begin_object(j);
    json_pair_string(j, "type", gguf_tensor_type_name(row->type));
    json_pair_int(j, "tensors", (int64_t)row->n_tensors);
    json_pair_int(j, "elements", (int64_t)row->n_elements);
    json_pair_int(j, "bytes", (int64_t)row->n_bytes);
    json_pair_bool(j, "decodable", dtype_info(row->type) != NULL);
    json_end_object(j);
}

static void put_file(struct json *j, const struct inspect *in) {
    json_pair_string(j, "path", gguf_path(in->file));
    json_pair_string(j, "format", "GGUF");
    json_pair_int(j, "version", gguf_version(in->file));
    json_pair_int(j, "bytes", (int64_t)gguf_size(in->file));
    json_pair_int(j, "parts", gguf_n_parts(in->file));
    json_pair_int(j, "alignment", (int64_t)gguf_alignment(in->file));
    json_pair_int(j, "data_offset", (int64_t)gguf_data_offset(in->file));
    json_pair_int(j, "parameters", (int64_t)in->n_elements);
    json_pair_double(j, "bits_per_weight", inspect_bits(in));
    json_pair_bool(j, "runs", in->runs);
    json_pair_string(j, "runs_not", in->runs ? NULL : in->runs_status.message);
}

static void put_tokenizer(struct json *j, const struct inspect *in) {
    const struct tokenizer *t = in->tokenizer;
    json_key(j, "tokenizer");
    json_begin_object(j);
    json_pair_string(j, "kind", t ? tokenizer_kind(t) : NULL);
    if (t) {
        json_pair_int(j, "tokens", (int64_t)tokenizer_n_vocab(t));
        json_pair_int(j, "bos", tokenizer_bos(t));
        json_pair_bool(j, "adds_bos", tokenizer_adds_bos(t));
    } else {
        json_pair_string(j, "error", in->tokenizer_status.message);
    }
    json_end_object(j);
}

void inspect_json(struct str *out, const struct inspect *in) {
    struct json j;
    json_init(&j, out, 2);
    json_begin_object(&j);
    put_file(&j, in);
    put_tokenizer(&j, in);
    json_key(&j, "metadata");
    json_begin_array(&j);
    for (size_t i = 0; i < gguf_n_values(in->file); i++) put_value(&j, gguf_value_at(in->file, i));
    json_end_array(&j);
    json_key(&j, "tensors");
    json_begin_array(&j);
    for (size_t i = 0; i < gguf_n_tensors(in->file); i++) put_tensor(&j, gguf_tensor_at(in->file, i));
    json_end_array(&j);
    json_key(&j, "types");
    json_begin_array(&j);
    for (size_t i = 0; i < in->n_types; i++) put_type(&j, &in->types[i]);
    json_end_array(&j);
    json_end_object(&j);
    str_putc(out, '\n');
}
