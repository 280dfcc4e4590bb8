#include "base/module.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* Linux only, as is everything dlopen'd here. */
bool module_program_dir(struct str *out, struct status *st) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path)
        return status_fail_errno(st, "cannot tell where this program is (/proc/self/exe)");
    while (n > 0 && path[n - 1] != '/') n--;
    str_add(out, path, (size_t)n);
    return str_ok(out, st);
}

bool module_table(const void **table, const char *name, const char *symbol, struct status *st) {
    struct str path = {0};
    bool ok = module_program_dir(&path, st);
    if (!ok) goto out;
    str_printf(&path, "lib/%s.so", name);
    ok = str_ok(&path, st);
    if (!ok) goto out;
    void *handle = dlopen(path.at, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        ok = status_fail(st, STATUS_SYSTEM, "cannot load %s: %s; build it with `make`", path.at, dlerror());
        goto out;
    }
    *table = dlsym(handle, symbol);
    if (!*table)
        ok = status_fail(st, STATUS_SYSTEM, "%s has no '%s'; build it again with `make`", path.at, symbol);
out:
    str_free(&path);
    return ok;
}
