#include "engine/token/marked.h"

void marked_begin(struct marked *m, bool wants_marks) {
    str_clear(&m->text);
    str_clear(&m->marks);
    m->wants_marks = wants_marks;
}

void marked_put(struct marked *m, const char *bytes, size_t n, bool mark) {
    str_add(&m->text, bytes, n);
    for (size_t i = 0; m->wants_marks && i < n; i++) str_putc(&m->marks, mark);
}

void marked_copy(struct marked *m, struct marked_view in, size_t from, size_t to) {
    str_add(&m->text, in.text.at + from, to - from);
    if (!m->wants_marks) return;
    if (in.marks) str_add(&m->marks, (const char *)in.marks + from, to - from);
    for (size_t i = from; !in.marks && i < to; i++) str_putc(&m->marks, 0);
}

bool marked_any(struct marked_view in, size_t from, size_t to) {
    for (size_t i = from; in.marks && i < to; i++)
        if (in.marks[i]) return true;
    return false;
}

struct marked_view marked_part(struct marked_view in, size_t from, size_t to) {
    return (struct marked_view){{in.text.at + from, to - from}, in.marks ? in.marks + from : NULL};
}

struct marked_view marked_seen(const struct marked *m) {
    return (struct marked_view){{str_c(&m->text), m->text.n},
                                m->wants_marks ? (const unsigned char *)str_c(&m->marks) : NULL};
}

bool marked_ok(const struct marked *m, struct status *st) {
    return str_ok(&m->text, st) && str_ok(&m->marks, st);
}

void marked_free(struct marked *m) {
    str_free(&m->text);
    str_free(&m->marks);
}
