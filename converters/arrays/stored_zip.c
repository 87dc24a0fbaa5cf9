#include "converters/arrays/stored_zip.h"

#include <stdbool.h>
#include <string.h>

/* What a field of 32 bits holds if the number is in a field of ZIP64. */
#define ELSEWHERE UINT32_MAX

enum {
  PLAIN = 20, /* the version of zip that a reader needs */
  ZIP64 = 45,
  OF_UNIX = 3 << 8,       /* who wrote it: says what the mode means */
  FIRST_OF_JANUARY = 33,  /* 1980: the least date */
  MODE = 0100644,         /* a regular file */
  EXTRA_ZIP64 = 1,        /* the extra field's kind */
  END_OF_ZIP64_BYTES = 56 /* from its signature on */
};

static char *put(char *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (char)(value >> 8 * i);
  return at + bytes;
}

static uint32_t narrow(uint64_t value) {
  return value < ELSEWHERE ? (uint32_t)value : ELSEWHERE;
}

static bool is_wide(uint64_t value) {
  return value >= ELSEWHERE;
}

/* What headers and entries have in common: the version to the length of the name. */
static char *put_member(char *at, const struct qn_stored_member *member, bool wide) {
  at = put(at, wide ? ZIP64 : PLAIN, 2);
  at = put(at, 0, 4); /* no flags; stored */
  at = put(at, 0, 2); /* midnight */
  at = put(at, FIRST_OF_JANUARY, 2);
  at = put(at, member->crc, 4);
  at = put(at, narrow(member->bytes), 4); /* packed and unpacked */
  at = put(at, narrow(member->bytes), 4);
  return put(at, strlen(member->name), 2);
}

static char *put_name(char *at, const char *name) {
  const uint64_t length = strlen(name);
  memcpy(at, name, length);
  return at + length;
}

unsigned qn_stored_zip_header(char record[QN_STORED_ZIP_RECORD_BYTES],
                              const struct qn_stored_member *member) {
  const bool wide = is_wide(member->bytes);
  char *at = put(record, 0x04034b50, 4);
  at = put_member(at, member, wide);
  at = put(at, wide ? 20 : 0, 2);
  at = put_name(at, member->name);
  if (wide) {
    at = put(at, EXTRA_ZIP64, 2);
    at = put(at, 16, 2);
    at = put(at, member->bytes, 8);
    at = put(at, member->bytes, 8);
  }
  return (unsigned)(at - record);
}

unsigned qn_stored_zip_entry(char record[QN_STORED_ZIP_RECORD_BYTES],
                             const struct qn_stored_member *member) {
  const unsigned extra = (is_wide(member->bytes) ? 16 : 0) + (is_wide(member->at) ? 8 : 0);
  char *at = put(record, 0x02014b50, 4);
  at = put(at, OF_UNIX | ZIP64, 2);
  at = put_member(at, member, extra > 0);
  at = put(at, extra ? 4 + extra : 0, 2);
  at = put(at, 0, 6); /* no comment; of the first disk; no text */
  at = put(at, (uint32_t)MODE << 16, 4);
  at = put(at, narrow(member->at), 4);
  at = put_name(at, member->name);
  if (extra) {
    at = put(at, EXTRA_ZIP64, 2);
    at = put(at, extra, 2);
  }
  if (is_wide(member->bytes)) {
    at = put(at, member->bytes, 8);
    at = put(at, member->bytes, 8);
  }
  if (is_wide(member->at))
    at = put(at, member->at, 8);
  return (unsigned)(at - record);
}

/* The end of a directory in ZIP64, and what leads to it. */
static char *put_wide_end(char *at, uint16_t num_members, uint64_t directory, uint64_t bytes) {
  at = put(at, 0x06064b50, 4);
  at = put(at, END_OF_ZIP64_BYTES - 12, 8); /* of what follows */
  at = put(at, OF_UNIX | ZIP64, 2);
  at = put(at, ZIP64, 2);
  at = put(at, 0, 8);           /* this disk, and the directory's */
  at = put(at, num_members, 8); /* on this disk, and in all */
  at = put(at, num_members, 8);
  at = put(at, bytes, 8);
  at = put(at, directory, 8);
  at = put(at, 0x07064b50, 4);
  at = put(at, 0, 4);
  at = put(at, directory + bytes, 8);
  return put(at, 1, 4); /* disks */
}

unsigned qn_stored_zip_end(char record[QN_STORED_ZIP_RECORD_BYTES], uint16_t num_members,
                           uint64_t directory, uint64_t bytes) {
  char *at = record;
  if (is_wide(directory) || is_wide(bytes))
    at = put_wide_end(at, num_members, directory, bytes);
  at = put(at, 0x06054b50, 4);
  at = put(at, 0, 4);
  at = put(at, num_members, 2);
  at = put(at, num_members, 2);
  at = put(at, narrow(bytes), 4);
  at = put(at, narrow(directory), 4);
  at = put(at, 0, 2); /* no comment */
  return (unsigned)(at - record);
}
