/* The headers that a user's program is compiled with (kernels/jit/user_program.h). */
#pragma once

#include <stdbool.h>
#include <xxhash.h>

#include <quern/error.h>

/* Longest path that is worked with, with the terminator. */
#define QN_PATH_BYTES 4096

/* The file that this code lies in, absolute: a program, or a shared library, whose functions what
 * is loaded later finds only if it is linked with that file. */
enum qn_status qn_engine_host(char file[QN_PATH_BYTES], bool *is_program, struct qn_error *error);

/* The folder that they lie in, with kernels/, support/, include/ and so on: what QUERN_ENGINES
 * names, else where installing puts them, seen from that file, else the source tree that it was
 * built in.
 */
enum qn_status qn_engine_headers_find(char folder[QN_PATH_BYTES], struct qn_error *error);

/* Add their names and contents to a hash, always in the same order. */
enum qn_status qn_engine_headers_hash(const char *folder, XXH3_state_t *hash,
                                      struct qn_error *error);
