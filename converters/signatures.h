/* Files that are known, but not as graphs that can be read: refused by their name rather than taken
 * for edge lists. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* QN_UNSUPPORTED, saying what the content is and what to do, if it begins like something else than
 * a graph; else QN_OK. `head` is the first 64 KiB, or all. */
enum qn_status qn_signature_refuse(const char *head, uint64_t bytes, struct qn_error *error);
