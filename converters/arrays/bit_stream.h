/* A file of bits that is written in rounds: several threads put bits of a round into a buffer by
 * bit_writer.h, behind those that are left of the byte before. */
#pragma once

#include <stdint.h>

#include "converters/arrays/bit_writer.h"
#include "formats/text/text_output.h"
#include <quern/error.h>

/* All zero to begin with but for `output`; qn_free(bytes) ends it. */
struct qn_bit_stream {
  struct qn_text_output *output;
  uint8_t *bytes;
  uint64_t capacity;
  uint64_t end;     /* bits of the round, those left of the round before among them */
  uint64_t written; /* bits in rounds before */
};

/* Room for the bits up to `end`, all zeros behind those of the round before. */
enum qn_status qn_bit_stream_make_room(struct qn_bit_stream *stream, struct qn_error *error);
/* Write whole bytes, and keep what is left. */
enum qn_status qn_bit_stream_write(struct qn_bit_stream *stream, struct qn_error *error);
/* The last bits; a file of none gets a byte, so that it is not empty. */
enum qn_status qn_bit_stream_end(const struct qn_bit_stream *stream, struct qn_error *error);

/* Lengths of lists in gamma code begin with a 0. */
enum qn_status qn_bit_stream_begin_lengths(struct qn_bit_stream *stream, struct qn_error *error);

static inline uint64_t qn_bit_stream_bits(const struct qn_bit_stream *stream) {
  return stream->written + stream->end;
}
