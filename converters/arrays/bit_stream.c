#include "converters/arrays/bit_stream.h"

#include <string.h>

#include "support/memory.h"

enum qn_status qn_bit_stream_make_room(struct qn_bit_stream *stream, struct qn_error *error) {
  const uint64_t bytes = stream->end / 8 + 1;
  enum qn_status status = QN_OK;
  if (bytes > stream->capacity) {
    status = qn_realloc(&stream->bytes, bytes + bytes / 4, 1, "coded lists", error);
    if (status)
      return status;
    if (stream->capacity == 0)
      stream->bytes[0] = 0;
    stream->capacity = bytes + bytes / 4;
  }
  memset(stream->bytes + 1, 0, bytes - 1);
  return status;
}

enum qn_status qn_bit_stream_write(struct qn_bit_stream *stream, struct qn_error *error) {
  const uint64_t bytes = stream->end / 8;
  enum qn_status status =
      qn_text_output_write(stream->output, (const char *)stream->bytes, bytes, error);
  stream->written += 8 * bytes;
  stream->bytes[0] = stream->bytes[bytes];
  stream->end %= 8;
  return status;
}

enum qn_status qn_bit_stream_end(const struct qn_bit_stream *stream, struct qn_error *error) {
  const bool rest = stream->end > 0 || stream->written == 0;
  return rest ? qn_text_output_write(stream->output, (const char *)stream->bytes, 1, error) : QN_OK;
}

enum qn_status qn_bit_stream_begin_lengths(struct qn_bit_stream *stream, struct qn_error *error) {
  stream->end = qn_gamma_bits(0);
  enum qn_status status = qn_bit_stream_make_room(stream, error);
  if (!status)
    stream->bytes[0] = 0x80;
  return status;
}
