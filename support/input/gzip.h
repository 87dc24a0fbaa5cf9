/* The check value at the end of gzip files (RFC 1952), which libarchive passes over. Internal to
 * the files of this folder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define QN_GZIP_TRAILER 8

/* All zero to begin with. */
struct qn_gzip_check {
  uint32_t crc;
  uint64_t content_bytes;
  uint8_t tail[QN_GZIP_TRAILER]; /* the last bytes of the file so far */
  uint64_t file_bytes;
  bool has_members; /* a mark of a further member was seen by qn_gzip_check_pieces */
};

/* More content, decompressed. */
void qn_gzip_check_content(struct qn_gzip_check *check, const void *data, uint64_t bytes);

/* More of the file, compressed; in pieces, whose number does not matter, marks of members are
 * looked for. */
void qn_gzip_check_pieces(struct qn_gzip_check *check, const void *data, uint64_t bytes);
void qn_gzip_check_file(struct qn_gzip_check *check, const void *data, uint64_t bytes);

/* False if the content is certainly not what was compressed. A file of several members tells only
 * about its last; `whole_file`, if it is at hand (else NULL: it came in pieces), is searched for
 * their marks. */
bool qn_gzip_check_end(const struct qn_gzip_check *check, const void *whole_file);
