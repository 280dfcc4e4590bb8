/* sycl: the kernels of SYCL, which have no name of their own: lambdas and functors given to parallel_for or
 * single_task of a queue or handler.
 *
 * Owns nothing; adds to the reader's sites. Trusts nothing; linear. As the reader's thread. */
#ifndef COVERAGE_SCAN_SYCL_H
#define COVERAGE_SCAN_SYCL_H

#include "coverage/scan/site.h"

/* Each is called after its explicit kernel name (`parallel_for<class name>`), else after the function around
 * it. */
bool sycl_find(struct site_reader *r) STATUS_MUST_USE;

#endif
