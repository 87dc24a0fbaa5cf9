/* Several ranges in one answer: "multipart/byteranges" (RFC 9110, 14.6), taken as its bytes come.
 * What a server may do but need not (a preamble, ranges in another order, or joined) is refused:
 * whoever asked asks again, for one range at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range that was asked for, of at least a byte. */
struct qn_part {
  void *into;
  uint64_t offset, bytes;
};

struct qn_multipart {
  const struct qn_part *parts; /* they come in this order */
  uint64_t count, total;       /* parts; bytes of the object */
  char boundary[73];           /* with the two dashes before it */
  enum { QN_PART_BETWEEN, QN_PART_HEADER, QN_PART_CONTENT, QN_PART_OVER } at;
  uint64_t part, got; /* what comes, or comes next, and the bytes of it that came */
  bool ranged;        /* its header has said which one it is */
  char line[512];
  size_t length;
};

/* Ready for the ranges of an object of `total` bytes, by the answer's Content-Type; false if that
 * says that something else comes. */
bool qn_multipart_begin(struct qn_multipart *multipart, const char *content_type,
                        const struct qn_part *parts, uint64_t count, uint64_t total);
/* Take what comes; false if it is not what was asked for. */
bool qn_multipart_take(struct qn_multipart *multipart, const char *bytes, size_t count);
/* Has every part come? */
static inline bool qn_multipart_is_complete(const struct qn_multipart *multipart) {
  return multipart->part == multipart->count;
}
