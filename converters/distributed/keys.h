/* Numbering keys of which several ranks have some: names, or numbers. */
#pragma once

#include "support/ranks/collective.h"

/* Keys in bytewise order, each once: key i is bytes [offsets[i], offsets[i + 1]). No key is another
 * one with NULs behind it. */
struct qn_keys {
  uint64_t count;
  const uint64_t *offsets;
  const char *bytes;
};

/* The keys of all ranks, each once, of which this one owns some: those of all ranks in their order
 * are in bytewise order. */
struct qn_owned_keys {
  uint64_t count, capacity;
  uint64_t *offsets;
  char *bytes;
  uint64_t num_bytes, bytes_capacity;
  uint64_t num_of_all; /* keys of all ranks */
};

/* Number the keys of all ranks in their order: `numbers[i]` becomes key i's. QN_INVALID if there
 * are more than 2^32 - 1. Given back by qn_owned_keys_free, also after a failure. */
enum qn_status qn_keys_number(const struct qn_collective *ranks, const struct qn_keys *keys,
                              uint32_t *numbers, struct qn_owned_keys *owned,
                              struct qn_error *error);
/* A zeroed one is allowed. */
void qn_owned_keys_free(struct qn_owned_keys *owned);
