#include "base/jsonout.h"
#include "cmd/fak/engine/inspect.h"
#include "engine/backend/backend.h"
#include "engine/file/checkpoint.h"
#include "engine/kernels/kernel.h"

enum { FIRST_ITEMS = 8 }; /* of an array: vocabularies are long, and `n` says how long */

static void put_scalar(struct jsonout *j, const struct gguf_value *value) {
    switch (value->type) {
    case GGUF_STRING: jsonout_view(j, value->string); break;
    case GGUF_BOOL: jsonout_bool(j, value->u != 0); break;
    case GGUF_F32:
    case GGUF_F64: jsonout_double(j, value->f); break;
    case GGUF_U64:
        if (value->u > INT64_MAX)
            jsonout_double(j, (double)value->u); /* JSON numbers are doubles to most readers */
        else jsonout_int(j, value->i);
        break;
    default: jsonout_int(j, value->i);
    }
}

static void put_value(struct jsonout *j, const struct gguf_value *value) {
    bool array = value->type == GGUF_ARRAY;
    jsonout_begin_object(j);
    jsonout_key(j, "key");
    jsonout_view(j, value->key);
    jsonout_pair_string(j, "type", gguf_type_name(value->type));
    jsonout_pair_int(j, "offset", (int64_t)value->offset);
    if (array) {
        jsonout_pair_string(j, "items", gguf_type_name(value->array.type));
        jsonout_pair_int(j, "n", (int64_t)value->array.n);
        jsonout_key(j, "first");
        jsonout_begin_array(j);
        for (size_t i = 0; i < value->array.n && i < FIRST_ITEMS; i++) {
            struct gguf_value item = gguf_array_item(&value->array, i);
            put_scalar(j, &item);
        }
        jsonout_end_array(j);
    } else {
        jsonout_key(j, "value");
        put_scalar(j, value);
    }
    jsonout_end_object(j);
}

static void put_tensor(struct jsonout *j, const struct gguf_tensor *tensor) {
    jsonout_begin_object(j);
    jsonout_key(j, "name");
    jsonout_view(j, tensor->name);
    jsonout_pair_string(j, "type", gguf_tensor_type_name(tensor->type));
    jsonout_key(j, "shape");
    jsonout_begin_array(j);
    for (unsigned i = 0; i < tensor->n_dims; i++) jsonout_int(j, (int64_t)tensor->dims[i]);
    jsonout_end_array(j);
    jsonout_pair_int(j, "part", tensor->part);
    jsonout_pair_int(j, "offset", (int64_t)tensor->offset);
    jsonout_pair_int(j, "bytes", (int64_t)tensor->bytes);
    jsonout_end_object(j);
}

static void put_type(struct jsonout *j, const struct inspect_type *row) {
    jsonout_begin_object(j);
    jsonout_pair_string(j, "type", gguf_tensor_type_name(row->type));
    jsonout_pair_int(j, "tensors", (int64_t)row->n_tensors);
    jsonout_pair_int(j, "elements", (int64_t)row->n_elements);
    jsonout_pair_int(j, "bytes", (int64_t)row->n_bytes);
    jsonout_pair_bool(j, "decodable", dtype_info(row->type) != NULL);
    jsonout_end_object(j);
}

static void put_file(struct jsonout *j, const struct inspect *in) {
    jsonout_pair_string(j, "path", gguf_path(in->file));
    bool foreign = gguf_is_foreign(in->file);
    jsonout_pair_string(j, "format", foreign ? "safetensors" : "GGUF");
    if (!foreign) jsonout_pair_int(j, "version", gguf_version(in->file));
    jsonout_pair_int(j, "bytes", (int64_t)gguf_size(in->file));
    jsonout_pair_int(j, "parts", gguf_n_parts(in->file));
    if (!foreign) {
        jsonout_pair_int(j, "alignment", (int64_t)gguf_alignment(in->file));
        jsonout_pair_int(j, "data_offset", (int64_t)gguf_data_offset(in->file));
    }
    jsonout_pair_int(j, "parameters", (int64_t)in->n_elements);
    jsonout_pair_double(j, "bits_per_weight", inspect_bits(in));
    jsonout_pair_bool(j, "runs", in->runs);
    jsonout_pair_string(j, "isa", kernel_clone_text(kernel_choose_clone("auto", NULL)));
    char how[BACKEND_DESCRIBED];
    backend_describe_default(how);
    jsonout_pair_string(j, "runs_on", how);
    jsonout_pair_string(j, "runs_not", in->runs ? NULL : in->runs_status.message);
}

static void put_tokenizer(struct jsonout *j, const struct inspect *in) {
    const struct tokenizer *t = in->tokenizer;
    jsonout_key(j, "tokenizer");
    jsonout_begin_object(j);
    jsonout_pair_string(j, "kind", t ? tokenizer_kind(t) : NULL);
    if (t) {
        jsonout_pair_int(j, "tokens", (int64_t)tokenizer_n_vocab(t));
        jsonout_pair_int(j, "bos", tokenizer_bos(t));
        jsonout_pair_bool(j, "adds_bos", tokenizer_adds_bos(t));
    } else {
        jsonout_pair_string(j, "error", in->tokenizer_status.message);
    }
    jsonout_end_object(j);
}

void inspect_json(struct str *out, const struct inspect *in) {
    struct jsonout j;
    jsonout_init(&j, out, 2);
    jsonout_begin_object(&j);
    put_file(&j, in);
    put_tokenizer(&j, in);
    jsonout_key(&j, "metadata");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < gguf_n_values(in->file); i++) put_value(&j, gguf_value_at(in->file, i));
    jsonout_end_array(&j);
    jsonout_key(&j, "tensors");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < gguf_n_tensors(in->file); i++) put_tensor(&j, gguf_tensor_at(in->file, i));
    jsonout_end_array(&j);
    jsonout_key(&j, "types");
    jsonout_begin_array(&j);
    for (size_t i = 0; i < in->n_types; i++) put_type(&j, &in->types[i]);
    jsonout_end_array(&j);
    jsonout_end_object(&j);
    str_putc(out, '\n');
}
