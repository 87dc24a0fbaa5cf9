#include "converters/text/text_output.h"

#include <string.h>
#include <unistd.h>

#include "support/atomic_file.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/used_files.h"

#define FIRST_BUFFER_BYTES ((uint64_t)256 << 10)

struct qn_text_output {
  struct qn_atomic_file *file; /* NULL: a stream */
  int stream;
  uint64_t bytes;
};

char *qn_text_buffer_grow(struct qn_text_buffer *buffer, uint64_t bytes) {
  if (buffer->status)
    return NULL;
  uint64_t wanted = buffer->capacity ? buffer->capacity : FIRST_BUFFER_BYTES;
  while (wanted - buffer->used < bytes && wanted < UINT64_MAX / 2)
    wanted *= 2;
  buffer->status = qn_realloc(&buffer->bytes, wanted, 1, "text to be written", &buffer->error);
  if (buffer->status)
    return NULL;
  buffer->capacity = wanted;
  return buffer->bytes + buffer->used;
}

enum qn_status qn_text_output_create(const char *path, bool force, struct qn_text_output **out,
                                     struct qn_error *error) {
  struct qn_text_output *output;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&output, 1, sizeof *output, "an output", error);
  if (status)
    return status;
  if (qn_is_output_stream(path))
    status = qn_output_stream_open(path, &output->stream, error);
  else
    status = qn_atomic_file_create(path, force, &output->file, error);
  if (status) {
    qn_free(output);
    return status;
  }
  *out = output;
  return QN_OK;
}

enum qn_status qn_text_output_write(struct qn_text_output *output, const char *text,
                                    uint64_t length, struct qn_error *error) {
  uint64_t offset = output->bytes;
  output->bytes += length;
  if (output->file)
    return qn_atomic_file_write(output->file, text, length, offset, error);
  return qn_output_stream_write(output->stream, text, length, error);
}

/* Write what the thread has formatted. Files: only the place is taken in order, and
 * threads write side by side. */
static void write_part(struct qn_text_output *output, uint64_t offset,
                       struct qn_text_buffer *buffer) {
  if (!buffer->status && output->file)
    buffer->status =
        qn_atomic_file_write(output->file, buffer->bytes, buffer->used, offset, &buffer->error);
}

static uint64_t take_place(struct qn_text_output *output, struct qn_text_buffer *buffer) {
  uint64_t offset = output->bytes;
  output->bytes += buffer->used;
  if (!buffer->status && !output->file)
    buffer->status =
        qn_output_stream_write(output->stream, buffer->bytes, buffer->used, &buffer->error);
  return offset;
}

enum qn_status qn_text_output_parts(struct qn_text_output *output, uint64_t num_parts,
                                    qn_text_formatter format, const void *context,
                                    struct qn_error *error) {
  enum qn_status status = QN_OK;
  bool failed = false;
#pragma omp parallel
  {
    struct qn_text_buffer buffer = {0};
#pragma omp for ordered schedule(static, 1)
    for (uint64_t part = 0; part < num_parts; part++) {
      bool skip;
      uint64_t offset = 0;
#pragma omp atomic read
      skip = failed;
      buffer.used = 0;
      if (!buffer.status)
        buffer.status = qn_context_check(&buffer.error);
      if (!skip && !buffer.status)
        format(context, part, &buffer);
#pragma omp ordered
      if (!skip)
        offset = take_place(output, &buffer);
      if (!skip)
        write_part(output, offset, &buffer);
      if (buffer.status) {
#pragma omp atomic write
        failed = true;
      }
    }
#pragma omp critical
    if (buffer.status && !status) {
      status = buffer.status;
      if (error)
        *error = buffer.error;
    }
    qn_free(buffer.bytes);
  }
  return status;
}

uint64_t qn_text_output_bytes(const struct qn_text_output *output) {
  return output->bytes;
}

static void close_stream(const struct qn_text_output *output) {
  if (!output->file)
    qn_output_stream_close(output->stream);
}

enum qn_status qn_text_output_commit(struct qn_text_output *output, struct qn_error *error) {
  enum qn_status status =
      output->file ? qn_atomic_file_commit(output->file, error) : qn_used_files_check(error);
  close_stream(output);
  qn_free(output);
  return status;
}

void qn_text_output_abort(struct qn_text_output *output) {
  if (!output)
    return;
  qn_atomic_file_abort(output->file);
  close_stream(output);
  qn_free(output);
}
