#include "formats/text/text_output.h"

#include <string.h>
#include <unistd.h>

#include "formats/container/prefault.h"
#include "support/atomic_file.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/ranks/exchange.h"
#include "support/threads.h"
#include "support/used_files.h"

#define FIRST_BUFFER_BYTES ((uint64_t)256 << 10)
/* Parts that a rank formats, before all know where they go. */
#define TURN_PARTS ((uint64_t)64)
/* Less is written soon. */
#define LEAST_AHEAD ((uint64_t)8 << 20)

struct qn_text_output {
  struct qn_atomic_file *file; /* NULL: a stream */
  int stream;                  /* -1: none, or another rank's */
  uint64_t bytes;
  const struct qn_collective *ranks; /* that write it together; NULL: this process alone */
  struct qn_prefault ahead;
  uint64_t mapped_bytes; /* of the file's begin, at ahead.mapping */
};

static bool is_first(const struct qn_text_output *output) {
  return !output->ranks || output->ranks->rank == 0;
}

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

static enum qn_status open_first(struct qn_text_output *output, const char *path, bool force,
                                 struct qn_error *error) {
  if (qn_is_output_stream(path))
    return qn_output_stream_open(path, &output->stream, error);
  return output->ranks ? qn_atomic_file_create_visible(path, force, &output->file, error)
                       : qn_atomic_file_create(path, force, &output->file, error);
}

/* Others learn what the first rank has opened: a stream has no name. */
static enum qn_status open_others(struct qn_text_output *output, struct qn_error *error) {
  char *name;
  enum qn_status status = qn_broadcast_text(
      output->ranks, output->file ? qn_atomic_file_temporary(output->file) : "", &name, error);
  if (!status && !is_first(output) && *name)
    status = qn_atomic_file_visit(name, &output->file, error);
  qn_free(name);
  return status;
}

enum qn_status qn_text_output_create_with(const struct qn_collective *ranks, const char *path,
                                          bool force, struct qn_text_output **out,
                                          struct qn_error *error) {
  struct qn_text_output *output;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&output, 1, sizeof *output, "an output", error);
  if (status)
    return status;
  output->stream = -1;
  output->ranks = ranks;
  if (is_first(output))
    status = open_first(output, path, force, error);
  if (!status && ranks)
    status = open_others(output, error);
  if (status)
    qn_text_output_abort(output);
  else
    *out = output;
  return status;
}

enum qn_status qn_text_output_create(const char *path, bool force, struct qn_text_output **out,
                                     struct qn_error *error) {
  return qn_text_output_create_with(NULL, path, force, out, error);
}

void qn_text_output_expect(struct qn_text_output *output, uint64_t bytes) {
  if (!output->file || output->ranks || output->mapped_bytes || bytes < LEAST_AHEAD)
    return;
  const int descriptor = qn_atomic_file_descriptor(output->file);
  if (!qn_prefault_helps(descriptor) ||
      qn_pages_map(&output->ahead.mapping, descriptor, 0, bytes, 1, "an output's mapping", NULL))
    return;
  output->mapped_bytes = bytes;
  qn_prefault_begin(&output->ahead, descriptor, 0);
  qn_prefault_expect(&output->ahead, bytes);
}

/* Threads that write to one file in memory wait for each other, unless they do so to pages that
 * are taken and mapped. */
static enum qn_status write_at(struct qn_text_output *output, const char *bytes, uint64_t length,
                               uint64_t offset, struct qn_error *error) {
  if (length == 0 || offset + length > output->mapped_bytes ||
      !qn_prefault_has(&output->ahead, offset + length))
    return qn_atomic_file_write(output->file, bytes, length, offset, error);
  memcpy(output->ahead.mapping + offset, bytes, length);
  return QN_OK;
}

static void leave_pages(struct qn_text_output *output) {
  qn_prefault_stop(&output->ahead);
  qn_pages_free(output->ahead.mapping, output->mapped_bytes, 1);
  output->ahead.mapping = NULL;
  output->mapped_bytes = 0;
}

/* What was taken in vain is given back. */
static enum qn_status cut(struct qn_text_output *output, struct qn_error *error) {
  leave_pages(output);
  if (output->ahead.taken <= output->bytes ||
      ftruncate(qn_atomic_file_descriptor(output->file), (off_t)output->bytes) == 0)
    return QN_OK;
  qn_fail_errno(error, "cannot shorten the output");
  return qn_error_in_file(error, qn_atomic_file_path(output->file)), QN_SYSTEM;
}

enum qn_status qn_text_output_write(struct qn_text_output *output, const char *text,
                                    uint64_t length, struct qn_error *error) {
  uint64_t offset = output->bytes;
  output->bytes += length;
  if (!is_first(output))
    return QN_OK;
  if (output->file)
    return write_at(output, text, length, offset, error);
  return qn_output_stream_write(output->stream, text, length, error);
}

/* Write what the thread has formatted. Files: only the place is taken in order, and
 * threads write side by side. */
static void write_part(struct qn_text_output *output, uint64_t offset,
                       struct qn_text_buffer *buffer) {
  if (!buffer->status && output->file)
    buffer->status = write_at(output, buffer->bytes, buffer->used, offset, &buffer->error);
}

static uint64_t take_place(struct qn_text_output *output, struct qn_text_buffer *buffer) {
  uint64_t offset = output->bytes;
  output->bytes += buffer->used;
  if (!buffer->status && !output->file)
    buffer->status =
        qn_output_stream_write(output->stream, buffer->bytes, buffer->used, &buffer->error);
  return offset;
}

static enum qn_status write_alone(struct qn_text_output *output, uint64_t num_parts,
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

/* Parts [begin, end) into `buffers` [count], in order: of each thread one, as it is. */
static enum qn_status format_turn(qn_text_formatter format, const void *context, uint64_t begin,
                                  uint64_t end, struct qn_text_buffer *buffers, unsigned count,
                                  struct qn_error *error) {
  const uint64_t each = (end - begin + count - 1) / count;
  enum qn_status status = qn_context_check(error);
#pragma omp parallel for schedule(static, 1) if (!status)
  for (unsigned i = 0; i < count; i++) {
    buffers[i].used = 0;
    for (uint64_t part = begin + i * each; part < begin + (i + 1) * each && part < end; part++)
      if (!status && !buffers[i].status)
        format(context, part, &buffers[i]);
  }
  for (unsigned i = 0; i < count && !status; i++) {
    status = buffers[i].status;
    if (status)
      *error = buffers[i].error;
  }
  return status;
}

static enum qn_status write_turn(const struct qn_text_output *output, uint64_t offset,
                                 struct qn_text_buffer *buffers, unsigned count,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < count && !status; i++) {
    status = qn_atomic_file_write(output->file, buffers[i].bytes, buffers[i].used, offset, error);
    offset += buffers[i].used;
  }
  return status;
}

/* Ranks take turns of parts that follow each other. When all have formatted theirs they know where
 * these go. */
static enum qn_status write_together(struct qn_text_output *output, uint64_t num_parts,
                                     qn_text_formatter format, const void *context,
                                     struct qn_error *error) {
  const struct qn_collective *ranks = output->ranks;
  const uint64_t share = (num_parts + ranks->num_ranks - 1) / ranks->num_ranks;
  const uint64_t each = share < TURN_PARTS ? share : TURN_PARTS;
  const unsigned count = qn_threads();
  struct qn_text_buffer *buffers;
  enum qn_status status = qn_alloc_zeroed(&buffers, count, sizeof *buffers, "texts", error);
  for (uint64_t turn = 0; !status && turn < num_parts; turn += each * ranks->num_ranks) {
    uint64_t begin = turn + ranks->rank * each, end = begin + each, bytes = 0, before, all;
    begin = begin < num_parts ? begin : num_parts;
    end = end < num_parts ? end : num_parts;
    status = format_turn(format, context, begin, end, buffers, count, error);
    for (unsigned i = 0; i < count; i++)
      bytes += buffers[i].used;
    if (!status)
      status = qn_exclusive_sum(ranks, bytes, &before, &all, error);
    if (!status)
      status = write_turn(output, output->bytes + before, buffers, count, error);
    if (!status)
      output->bytes += all;
  }
  for (unsigned i = 0; buffers && i < count; i++)
    qn_free(buffers[i].bytes);
  qn_free(buffers);
  return status;
}

enum qn_status qn_text_output_parts(struct qn_text_output *output, uint64_t num_parts,
                                    qn_text_formatter format, const void *context,
                                    struct qn_error *error) {
  if (output->ranks && output->file)
    return write_together(output, num_parts, format, context, error);
  return is_first(output) ? write_alone(output, num_parts, format, context, error) : QN_OK;
}

uint64_t qn_text_output_bytes(const struct qn_text_output *output) {
  return output->bytes;
}

/* The file of several ranks: others leave it, and when all have the first one lets it appear. */
static enum qn_status finish(struct qn_text_output *output, struct qn_error *error) {
  struct qn_atomic_file *file = output->file;
  enum qn_status status = cut(output, error);
  output->file = NULL;
  if (!is_first(output))
    status = file ? qn_atomic_file_leave(file, error) : qn_used_files_check(error);
  if (output->ranks) {
    const enum qn_status agreed = output->ranks->agree(status);
    if (agreed && !status)
      qn_fail(error, agreed, "another rank failed");
    status = agreed;
  }
  if (!is_first(output))
    return status;
  if (!status)
    return file ? qn_atomic_file_commit(file, error) : qn_used_files_check(error);
  qn_atomic_file_abort(file);
  return status;
}

enum qn_status qn_text_output_commit(struct qn_text_output *output, struct qn_error *error) {
  enum qn_status status = finish(output, error);
  qn_text_output_abort(output);
  return status;
}

void qn_text_output_abort(struct qn_text_output *output) {
  if (!output)
    return;
  leave_pages(output);
  qn_atomic_file_abort(output->file);
  qn_output_stream_close(output->stream);
  qn_free(output);
}
