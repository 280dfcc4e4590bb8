#include "git/index/mapguard.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the handler sees. It runs in the thread that reads a mapping, never while the list is changed. */
static struct {
    struct mapping *at;
    size_t n, room, page;
    volatile sig_atomic_t strikes;
    struct sigaction before;
} guard;

static bool is_guarded(const uint8_t *address) {
    for (size_t i = 0; i < guard.n; i++)
        if ((size_t)(address - guard.at[i].at) < guard.at[i].n) return true;
    return false;
}

/* mmap is a plain system call here: safe in a handler on every system with SIGBUS and mmap. */
static void strike(int signal, siginfo_t *info, void *context) {
    (void)context;
    uint8_t *page = (uint8_t *)info->si_addr - (uintptr_t)info->si_addr % guard.page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (is_guarded(info->si_addr) && mmap(page, guard.page, PROT_READ, flags, -1, 0) == page)
        guard.strikes = 1;
    else sigaction(signal, &guard.before, NULL); /* and the instruction runs into it again */
}

static bool watch(const struct mapping *map) {
    if (guard.n == guard.room) {
        size_t room = guard.room ? 2 * guard.room : 16;
        struct mapping *at = realloc(guard.at, room * sizeof *at);
        if (!at) return false;
        guard.at = at;
        guard.room = room;
    }
    if (guard.n == 0) {
        struct sigaction action = {.sa_sigaction = strike, .sa_flags = SA_SIGINFO};
        guard.page = (size_t)sysconf(_SC_PAGESIZE);
        sigemptyset(&action.sa_mask);
        if (sigaction(SIGBUS, &action, &guard.before) != 0) return false;
    }
    guard.at[guard.n++] = *map;
    return true;
}

static void forget(const struct mapping *map) {
    size_t i = 0;
    while (i < guard.n && guard.at[i].at != map->at) i++;
    if (i == guard.n) return;
    guard.at[i] = guard.at[--guard.n];
    if (guard.n) return;
    sigaction(SIGBUS, &guard.before, NULL);
    free(guard.at);
    guard.at = NULL;
    guard.room = 0;
    guard.strikes = 0;
}

bool mapguard_open(struct mapping *map, const char *path, struct status *st) {
    if (!mapping_open(map, path, st)) return false;
    if (!map->at || watch(map)) return true;
    mapping_close(map);
    return status_fail(st, STATUS_NO_MEMORY, "out of memory");
}

void mapguard_close(struct mapping *map) {
    if (map->at) forget(map);
    mapping_close(map);
}

bool mapguard_sound(struct status *st) {
    if (!guard.strikes) return true;
    return status_fail(st, STATUS_UNSUPPORTED, "a file of the repository was cut while it was read");
}
