#include "engine/backend/region.h"

#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

bool region_open(struct region *region, size_t n, bool huge, const char *what, struct status *st) {
    *region = (struct region){0};
    if (n == 0) n = 1;
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return status_fail_errno(st, "no room for %zu MiB of %s", n >> 20, what);
#if defined(MADV_HUGEPAGE)
    if (huge && n >= HUGE_PAGE) madvise(at, n, MADV_HUGEPAGE); /* a wish: without it only slower */
#else
    (void)huge;
#endif
    *region = (struct region){at, n};
    return true;
}

void region_close(struct region *region) {
    if (region->at) munmap(region->at, region->n);
    *region = (struct region){0};
}
