/* module: shared objects of ours that are loaded only when a command needs them.
 *
 * Owns:    the handle, for the life of the process (libraries such as libgit2 do not like to be unloaded).
 * Trusts:  the directory it is given: the one beside the running program.
 * Threads: load from one thread.
 *
 * `fak` answers look-ups from the compiled matrix alone. What needs libgit2, SQLite or tree-sitter lives in
 * fak-git.so, fak-sql.so and fak-scan.so under lib/ beside the program; each exports one table of functions.
 * Programs that always need a room (sota-coverage, sotac, tests) link it and use the same table directly.
 */
#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include "base/str.h"

/* Appends the directory of the running program, with its slash, to *out. */
bool module_program_dir(struct str *out, struct status *st) STATUS_MUST_USE;

/* *table = the address of `symbol` in lib/NAME.so beside the running program. */
bool module_table(const void **table, const char *name, const char *symbol,
                  struct status *st) STATUS_MUST_USE;

#endif
