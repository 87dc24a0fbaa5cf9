/* The members of a zip archive that lies in memory, unpacked side by side: for .npz files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/input/input.h"
#include <quern/error.h>

struct qn_zip_member {
  char *name;
  uint64_t bytes;     /* unpacked */
  bool wanted;        /* to be set by the caller before qn_zip_load */
  const char *stored; /* where it lies unpacked in the archive, of checksum `crc`; NULL: packed */
  uint32_t crc;
  /* After qn_zip_load, of wanted members. A stored member is used where it lies. */
  const char *data;
  char *owned;
};

struct qn_zip {
  const char *file; /* for messages */
  const char *data;
  uint64_t bytes;
  uint32_t num_members;
  struct qn_zip_member *members;
};

/* List the members of the archive at `data`, which is borrowed. QN_INVALID for damage, for names
 * that occur twice, and for archives that expand beyond `limits`. A zeroed struct may be closed. */
enum qn_status qn_zip_open(const char *file, const char *data, uint64_t bytes,
                           const struct qn_input_options *limits, struct qn_zip *zip,
                           struct qn_error *error);
void qn_zip_close(struct qn_zip *zip);

/* NULL if there is none. */
struct qn_zip_member *qn_zip_find(const struct qn_zip *zip, const char *name);

/* Unpack all wanted members, each by one thread, and compare their checksums; those that are stored
 * stay where they are. */
enum qn_status qn_zip_load(struct qn_zip *zip, struct qn_error *error);
