#include "engine/backend/affinity.h"

#include <sched.h>
#include <stdio.h>

#if defined(__linux__)
bool affinity_read(struct affinity *a) {
    if (a->set) return sched_getaffinity(0, a->bytes, a->set) == 0;
    for (size_t cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) { /* EINVAL: the kernel knows more CPUs */
        *a = (struct affinity){CPU_ALLOC(cpus), CPU_ALLOC_SIZE(cpus)};
        if (!a->set) return false;
        if (sched_getaffinity(0, a->bytes, a->set) == 0) return true;
        affinity_free(a);
    }
    return false;
}

void affinity_free(struct affinity *a) {
    if (a->set) CPU_FREE((cpu_set_t *)a->set);
    *a = (struct affinity){0};
}

size_t affinity_count(const struct affinity *a) {
    return a->set ? (size_t)CPU_COUNT_S(a->bytes, (cpu_set_t *)a->set) : 0;
}

int affinity_cpu(const struct affinity *a, size_t i) {
    for (size_t cpu = 0; cpu < 8 * a->bytes; cpu++)
        if (CPU_ISSET_S(cpu, a->bytes, (cpu_set_t *)a->set) && i-- == 0) return (int)cpu;
    return -1;
}

void affinity_set(pthread_t thread, const struct affinity *a) {
    if (a->set) pthread_setaffinity_np(thread, a->bytes, a->set);
}

bool affinity_pin(pthread_t thread, int cpu) {
    cpu_set_t *set = cpu >= 0 ? CPU_ALLOC((size_t)cpu + 1) : NULL;
    if (!set) return false;
    size_t bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)cpu, bytes, set);
    bool pinned = pthread_setaffinity_np(thread, bytes, set) == 0;
    CPU_FREE(set);
    return pinned;
}
#else
bool affinity_read(struct affinity *a) { return a->set != NULL; }
void affinity_free(struct affinity *a) { *a = (struct affinity){0}; }
size_t affinity_count(const struct affinity *a) { return a->set != NULL; }
int affinity_cpu(const struct affinity *a, size_t i) { return a->set && i == 0 ? 0 : -1; }
void affinity_set(pthread_t thread, const struct affinity *a) { (void)thread, (void)a; }
bool affinity_pin(pthread_t thread, int cpu) { return (void)thread, (void)cpu, false; }
#endif

/* "MAX PERIOD" in microseconds, or "max". */
size_t affinity_quota(void) {
    long quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!file) return 0;
    bool limited = fscanf(file, "%ld %ld", &quota, &period) == 2 && quota > 0 && period > 0;
    fclose(file);
    return limited ? (size_t)((quota + period - 1) / period) : 0;
}
