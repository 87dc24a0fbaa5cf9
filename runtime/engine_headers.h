/* The headers that a user's program is compiled with (runtime/user_program.h). */
#ifndef QN_RUNTIME_ENGINE_HEADERS_H
#define QN_RUNTIME_ENGINE_HEADERS_H

#include <xxhash.h>

#include <quern/error.h>

/* Longest path that is worked with, with the terminator. */
#define QN_PATH_BYTES 4096

/* The folder that they lie in, with kernels/, support/, include/ and so on. */
enum qn_status qn_engine_headers_find(char folder[QN_PATH_BYTES], struct qn_error *error);

/* Add their names and contents to a hash, always in the same order. */
enum qn_status qn_engine_headers_hash(const char *folder, XXH3_state_t *hash,
                                      struct qn_error *error);

#endif
