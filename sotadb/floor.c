#include "sotadb/matrix.h"

#include <string.h>

const struct floor *matrix_floor(const struct matrix *m, const char *name) {
    for (size_t i = 0; i < m->n_floors; i++)
        if (strcmp(m->floors[i].name, name) == 0) return &m->floors[i];
    return NULL;
}
