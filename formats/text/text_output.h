/* Large text files, formatted by all threads: parts are formatted side by side
 * and written in order, to a file that appears when it is whole, or to standard output. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/ranks/collective.h"
#include <quern/error.h>

/* Where a part's text is formatted. The fields are for the functions below. */
struct qn_text_buffer {
  char *bytes;
  uint64_t used;
  uint64_t capacity;
  enum qn_status status;
  struct qn_error error;
};

/* Where the next `bytes` bytes may be put; NULL if memory ran out, which
 * qn_text_output_parts then reports. */
char *qn_text_buffer_grow(struct qn_text_buffer *buffer, uint64_t bytes);

static inline char *qn_text_buffer_reserve(struct qn_text_buffer *buffer, uint64_t bytes) {
  if (__builtin_expect(buffer->capacity - buffer->used < bytes, 0))
    return qn_text_buffer_grow(buffer, bytes);
  return buffer->bytes + buffer->used;
}

/* Text was put up to `end`. */
static inline void qn_text_buffer_advance(struct qn_text_buffer *buffer, const char *end) {
  buffer->used = (uint64_t)(end - buffer->bytes);
}

struct qn_text_output;

/* Begin writing `path`, or standard output if it is "-". A FIFO or character device is written as
 * it comes. Owned until commit or abort. */
enum qn_status qn_text_output_create(const char *path, bool force, struct qn_text_output **out,
                                     struct qn_error *error);

/* The same file, written by all of `ranks` (NULL: by this process alone), who call every function
 * below but abort, with the same text and parts; the file is that of the first one, others need no
 * `path`. Each formats and writes its share of the parts. A stream is the first one's alone. */
enum qn_status qn_text_output_create_with(const struct qn_collective *ranks, const char *path,
                                          bool force, struct qn_text_output **out,
                                          struct qn_error *error);

/* About so many bytes will be written, of which nothing is yet: pages of a file in memory are taken
 * from now on, beside what others do (formats/container/prefault.h). What is taken in vain is
 * given back at commit. */
void qn_text_output_expect(struct qn_text_output *output, uint64_t bytes);

/* Write `length` bytes now. */
enum qn_status qn_text_output_write(struct qn_text_output *output, const char *text,
                                    uint64_t length, struct qn_error *error);

/* Format part `part` into `buffer`. Called by several threads at once. */
typedef void (*qn_text_formatter)(const void *context, uint64_t part,
                                  struct qn_text_buffer *buffer);

/* Write parts [0, num_parts). A part of some 100 KB uses threads and caches well; each
 * thread holds one in memory. */
enum qn_status qn_text_output_parts(struct qn_text_output *output, uint64_t num_parts,
                                    qn_text_formatter format, const void *context,
                                    struct qn_error *error);

/* Bytes written so far. */
uint64_t qn_text_output_bytes(const struct qn_text_output *output);

/* Frees `output` whatever the outcome. Of several ranks the file is the first one's to let appear,
 * when all have synced what they wrote. */
enum qn_status qn_text_output_commit(struct qn_text_output *output, struct qn_error *error);
/* NULL is allowed. */
void qn_text_output_abort(struct qn_text_output *output);
