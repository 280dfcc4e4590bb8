/* ggufread: the parser behind gguf.h. Only engine/file includes this.
 *
 * Owns:    fills a struct gguf that gguf.c frees.
 * Trusts:  nothing: see gguf.h. Memory grows with what was read, never with what a count promises.
 * Threads: one file, one thread.
 */
#ifndef ENGINE_FILE_GGUFREAD_H
#define ENGINE_FILE_GGUFREAD_H

#include "base/arena.h"
#include "base/file.h"
#include "engine/file/gguf.h"

/* + enum safetensors_type: an id for a type that nothing decodes. */
enum { GGUF_FOREIGN_TYPE = 1 << 16 };

struct gguf {
    char *path;
    struct mapping map; /* empty when the bytes are the caller's */
    const uint8_t *bytes;
    size_t n_bytes;

    uint32_t version;
    size_t alignment, data_offset;
    struct gguf_value *values; /* in the file's order */
    size_t n_values;
    struct gguf_tensor *tensors;
    size_t n_tensors;
    const struct gguf_value **by_key;   /* sorted: look-ups, and duplicates stand side by side */
    const struct gguf_tensor **by_name; /* (a hash could be flooded by a hostile file) */
    struct gguf **parts;                /* of a split model; parts[0] is this file. NULL: it is not split */
    unsigned n_parts;                   /* those that are open */
    /* of other formats (checkpoint.h) */
    bool rope_halves;
    unsigned n_files;
    void *source; /* what the tensors point into; NULL: `map` */
    void (*close_source)(void *source);
    struct arena arena; /* the views of string arrays, the two sorted tables */
};

/* Fills *file from file->bytes; file->path is set. On false gguf_close frees what was made. */
bool ggufread_all(struct gguf *file, struct status *st) STATUS_MUST_USE;

/* Puts file->values into by_key; refuses a key that is there twice. */
bool ggufread_sort_values(struct gguf *file, struct status *st) STATUS_MUST_USE;

/* Puts *file->tensors, of all parts, into by_name; refuses two of one name. */
bool ggufread_sort_tensors(struct gguf *file, struct status *st) STATUS_MUST_USE;

/* Sets the number of value->type, one of fixed size, from its bytes. */
void ggufread_number(struct gguf_value *value, const uint8_t *at);

/* The order of by_key and by_name: bytewise, the shorter first. */
int ggufread_compare(struct view a, struct view b);

#endif
