/* affinity: the CPUs that a thread may run on. Linux; elsewhere nothing is known and nothing changes.
 *
 * Owns:    its set, from the first affinity_read to affinity_free.
 * Trusts:  nothing.
 * Threads: one struct, one thread; any number of structs.
 */
#ifndef ENGINE_BACKEND_AFFINITY_H
#define ENGINE_BACKEND_AFFINITY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct affinity {
    void *set; /* NULL: unknown */
    size_t bytes;
};

/* Of the calling thread. A struct that was read before is used again and takes no memory. */
bool affinity_read(struct affinity *affinity);
void affinity_free(struct affinity *affinity);

size_t affinity_count(const struct affinity *affinity); /* 0: unknown */
int affinity_cpu(const struct affinity *affinity, size_t i);

void affinity_set(pthread_t thread, const struct affinity *affinity);
bool affinity_pin(pthread_t thread, int cpu); /* to one CPU, so that no scheduler moves it */

/* CPUs that cgroup v2 grants, rounded up; 0: no limit. */
size_t affinity_quota(void);

#endif
