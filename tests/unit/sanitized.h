/* sanitized: is every access checked? A kernel is then some thirty times as slow, and tests try a part of
 * their cases: what the bits are, the release build has shown. */
#ifndef TESTS_UNIT_SANITIZED_H
#define TESTS_UNIT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
