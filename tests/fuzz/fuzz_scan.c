/* The scanner on any bytes. The first byte picks the language, so that one corpus serves all of them; what
 * comes out must lie within the text and in order. */
#include "coverage/scan/scan.h"

#include <stdint.h>
#include <stdlib.h>

static const char *const paths[] = {"a.cu",     "a.c",   "a.cpp", "a.metal",    "a.cl", "a.comp",
                                    "a.hlsl",   "a.py",  "a.S",   "a.cu.jinja", "a.h",  "a.hip",
                                    "a_avx2.c", "a.ptx", "a.cuh", "a.wgsl"};

static void require(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct arena arena = {0};
    struct scan_file file;
    struct scan_request request = {.path = paths[(data[0] & 7) + (data[0] & 16 ? 8 : 0)],
                                   .kernel_place = data[0] & 8,
                                   .limits = {.tree_ms = 100}};
    require(scan_text(&file, (struct view){(const char *)data + 1, size - 1}, &request, &arena, NULL));
    require(file.error_share >= 0 && file.error_share <= 1);
    for (size_t i = 0; i < file.n_kernels; i++) {
        const struct scan_kernel *k = &file.kernels[i];
        require(k->name && k->begin <= k->end && k->end <= size - 1);
        require(k->begin_line >= 1 && k->begin_line <= k->line && k->begin_line <= k->end_line);
        require(i == 0 || file.kernels[i - 1].begin <= k->begin);
    }
    arena_release(&arena);
    return 0;
}
