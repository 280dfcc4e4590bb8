#include "engine/token/token_list.h"

#include "base/checked.h"

#include <stdlib.h>

bool token_list_add(struct token_list *list, int32_t id, struct status *st) {
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64, bytes;
        int32_t *ids = checked_mul(&bytes, room, sizeof *ids) ? realloc(list->ids, bytes) : NULL;
        if (!ids) return status_fail(st, STATUS_NO_MEMORY, "out of memory for %zu tokens", room);
        list->ids = ids;
        list->room = room;
    }
    list->ids[list->n++] = id;
    return true;
}

void token_list_free(struct token_list *list) {
    free(list->ids);
    *list = (struct token_list){0};
}
