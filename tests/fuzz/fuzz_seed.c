/* fuzz_seed: any bytes as a seed file. Whatever they are, each complaint names its line, and what has none
 * becomes a matrix that can be written. */
#include "base/file.h"
#include "sotadb/emit/literal.h"
#include "sotadb/sql/matrix_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds) abort();
}

static void check_complaints(struct view text) {
    struct view line;
    while (view_line(&line, &text)) must(view_starts(line, "fuzz.sql:"));
}

static void read_and_write(const struct seed *seed) {
    struct arena arena = {0};
    struct matrix m;
    struct str out = {0};
    must(matrix_read(&m, &arena, seed, "fuzz", NULL));
    literal_write(&out, &m);
    must(str_ok(&out, NULL));
    str_free(&out);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct str schema;
    struct seed seed;
    struct str complaints = {0};
    if (!schema.n) must(file_read(&schema, "sotadb/schema.sql", SEED_MAX_FILE, NULL));
    must(seed_open(&seed, "schema.sql", (struct view){schema.at, schema.n}, NULL));
    must(seed_add(&complaints, &seed, "fuzz.sql", (struct view){(const char *)data, size}, NULL));
    if (complaints.n == 0) {
        must(seed_check(&complaints, &seed, ".", NULL));
        if (complaints.n == 0) read_and_write(&seed);
    }
    check_complaints((struct view){str_c(&complaints), complaints.n});
    str_free(&complaints);
    seed_close(&seed);
    return 0;
}
