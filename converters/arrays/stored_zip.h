/* The records of a zip archive (PKWARE's APPNOTE.TXT, 4.3) whose members are stored as they are: a
 * header before each member's bytes, and behind all of them a directory of an entry each and its
 * end. Sizes and places beyond 32 bits are in the records of ZIP64. */
#pragma once

#include <stdint.h>

struct qn_stored_member {
  const char *name;
  uint64_t bytes;
  uint32_t crc; /* CRC-32 of the bytes */
  uint64_t at;  /* where its header is in the archive */
};

/* No record is longer, where names have at most 64 bytes. */
#define QN_STORED_ZIP_RECORD_BYTES 144

/* Each returns the record's length. */
unsigned qn_stored_zip_header(char record[QN_STORED_ZIP_RECORD_BYTES],
                              const struct qn_stored_member *member);
unsigned qn_stored_zip_entry(char record[QN_STORED_ZIP_RECORD_BYTES],
                             const struct qn_stored_member *member);
/* Of a directory of `bytes` bytes at `directory`. */
unsigned qn_stored_zip_end(char record[QN_STORED_ZIP_RECORD_BYTES], uint16_t num_members,
                           uint64_t directory, uint64_t bytes);
