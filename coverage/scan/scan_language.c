#include "coverage/scan/scan_language.h"

#include "base/str.h"

#include <string.h>

static const struct {
    const char *name, *grammar;
    bool device;
} languages[] = {
    [SCAN_NONE] = {"none", NULL, false},         [SCAN_C] = {"c", "c", false},
    [SCAN_CPP] = {"cpp", "cpp", false},          [SCAN_CUDA] = {"cuda", "cuda", true},
    [SCAN_HIP] = {"hip", "cuda", true},          [SCAN_METAL] = {"metal", "cpp", true},
    [SCAN_OPENCL] = {"opencl", "cpp", true},     [SCAN_SYCL] = {"sycl", "cpp", false},
    [SCAN_GLSL] = {"glsl", "glsl", false},       [SCAN_HLSL] = {"hlsl", "hlsl", false},
    [SCAN_ASM] = {"asm", NULL, false},           [SCAN_PYTHON] = {"python", "python", false},
    [SCAN_TRITON] = {"triton", "python", false}, [SCAN_CUTE] = {"cute", "python", false},
    [SCAN_CUTILE] = {"cutile", "python", false}, [SCAN_WGSL] = {"wgsl", NULL, false},
};

static const struct {
    const char *extension;
    enum scan_language language;
} extensions[] = {
    {".c", SCAN_C},       {".h", SCAN_C},        {".inc", SCAN_C},        {".cpp", SCAN_CPP},
    {".cc", SCAN_CPP},    {".cxx", SCAN_CPP},    {".hpp", SCAN_CPP},      {".hh", SCAN_CPP},
    {".hxx", SCAN_CPP},   {".inl", SCAN_CPP},    {".ipp", SCAN_CPP},      {".tpp", SCAN_CPP},
    {".cu", SCAN_CUDA},   {".cuh", SCAN_CUDA},   {".hip", SCAN_HIP},      {".metal", SCAN_METAL},
    {".cl", SCAN_OPENCL}, {".clh", SCAN_OPENCL}, {".clcpp", SCAN_OPENCL}, {".comp", SCAN_GLSL},
    {".glsl", SCAN_GLSL}, {".wgsl", SCAN_WGSL},  {".hlsl", SCAN_HLSL},    {".hlsli", SCAN_HLSL},
    {".py", SCAN_PYTHON}, {".s", SCAN_ASM},      {".S", SCAN_ASM},        {".asm", SCAN_ASM},
    {".ptx", SCAN_ASM},
};

static bool is_template(struct view extension) {
    static const char *const words[] = {".jinja", ".jinja2", ".j2", ".in", ".tmpl", ".template"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_is(extension, words[i])) return true;
    return false;
}

/* From the last '.' of the file's name on; empty when it has none. */
static struct view extension_of(struct view path) {
    for (size_t i = path.n; i > 0 && path.at[i - 1] != '/'; i--)
        if (path.at[i - 1] == '.') return (struct view){path.at + i - 1, path.n - i + 1};
    return (struct view){"", 0};
}

static enum scan_language language_of(struct view extension) {
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (view_is(extension, extensions[i].extension)) return extensions[i].language;
    return SCAN_NONE;
}

bool scan_language_of_template(const char *path) { return is_template(extension_of(view_of(path))); }

enum scan_language scan_language_of(const char *path) {
    struct view whole = view_of(path), extension = extension_of(whole);
    if (!is_template(extension)) return language_of(extension);
    whole.n -= extension.n;
    enum scan_language inner = language_of(extension_of(whole));
    /* what a Python template makes is text for one more program; a bare .jinja may make anything */
    if (inner) return inner == SCAN_PYTHON ? SCAN_NONE : inner;
    return view_starts(extension, ".j") ? SCAN_CPP : SCAN_NONE;
}

const char *scan_language_name(enum scan_language language) { return languages[language].name; }

const char *scan_language_grammar(enum scan_language language) { return languages[language].grammar; }

bool scan_language_is_device(enum scan_language language) { return languages[language].device; }
