/* replay: the main of a fuzz target built without libFuzzer: every file of tests/fuzz/corpus/NAME through it
 * once, one TAP line a file, so that what fuzzing once found is tested by every `make test`. NAME is the
 * program's own name without "fuzz_"; files named as arguments are taken instead. */
#include "base/file.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a copy of exactly its size: a sanitizer sees the first byte read beyond it. */
static bool replay(const char *path, struct status *st) {
    enum { LIMIT = 64 << 20 };
    struct str text = {0};
    bool ok = file_read(&text, path, LIMIT, st);
    if (ok) {
        uint8_t *exact = malloc(text.n ? text.n : 1);
        if (!exact) abort();
        if (text.n) memcpy(exact, text.at, text.n);
        LLVMFuzzerTestOneInput(exact, text.n);
        free(exact);
    }
    str_free(&text);
    return ok;
}

static int tell(int n, const char *path) {
    struct status st;
    bool ok = replay(path, &st);
    printf("%sok %d - %s\n", ok ? "" : "not ", n, path);
    if (!ok) printf("# %s\n", st.message);
    fflush(stdout); /* a crash in the next one must not lose this line */
    return ok ? 0 : 1;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int tell_corpus(const char *folder) {
    struct dirent **entries;
    int n = scandir(folder, &entries, is_visible, alphasort), bad = 0;
    if (n <= 0) {
        printf("not ok 1 - %s is missing or empty\n", folder);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        bad += tell(i + 1, path);
        free(entries[i]);
    }
    free(entries);
    printf("1..%d\n", n);
    return bad;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (int i = 1; i < argc; i++) bad += tell(i, argv[i]);
    if (argc < 2) {
        const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
        char folder[256];
        snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", strncmp(name, "fuzz_", 5) ? name : name + 5);
        bad = tell_corpus(folder);
    }
    return bad ? 1 : 0;
}
