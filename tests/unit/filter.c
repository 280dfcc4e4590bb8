/* filter: linked into every unit test. TEST_FILTER="*threads*" runs the tests of that name only (cmocka's
 * pattern). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void take_filter(void) {
    const char *pattern = getenv("TEST_FILTER");
    if (pattern && *pattern) cmocka_set_test_filter(pattern);
}
