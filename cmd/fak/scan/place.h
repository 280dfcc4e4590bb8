/* place: which kernel stands at a line of a file. Lives in lib/fak-scan.so, because it needs the scanner;
 * `fak sota FILE:LINE` and the
 * hooks load it through the table "fak_place".
 *
 * Owns:    nothing; the name goes to the caller's text.
 * Trusts:  nothing; the file is from outside.
 * Threads: the main thread.
 */
#ifndef CMD_FAK_SCAN_PLACE_H
#define CMD_FAK_SCAN_PLACE_H

#include "hooks/gate/touched.h"

struct place {
    long line;        /* as asked; 0: no line was asked for */
    long first, last; /* the kernel's lines, from 1; 0: there is none */
};

struct place_table {
    /* `kernel_place`: the matrix calls this file a kernel, so plain C functions count (coverage/scan/scan.h).
     * Appends the kernel's name to *name, nothing when the line is in no kernel. */
    bool (*kernel_at)(struct place *place, struct str *name, const char *file, bool kernel_place, long line,
                      struct status *st);
    touched_scan *scan; /* scan_text */
};

#endif
