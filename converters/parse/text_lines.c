#include "converters/parse/text_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* Parts are large enough to fill blocks of edges, and small enough to share work evenly. */
#define MIN_PART_BYTES ((uint64_t)64 << 10)
#define MAX_PART_BYTES ((uint64_t)2 << 20)

bool qn_text_next_line(struct qn_text_part *part, const char **line, const char **end) {
  if (part->cursor >= part->end || part->stop)
    return false;
  *line = part->cursor;
  const char *newline = memchr(part->cursor, '\n', (size_t)(part->end - part->cursor));
  *end = newline ? newline : part->end;
  part->cursor = newline ? newline + 1 : part->end;
  if (*end > *line && (*end)[-1] == '\r')
    --*end;
  return true;
}

void qn_text_reject(struct qn_text_part *part, const char *line, const char *where,
                    const char *format, ...) {
  if (part->num_listed < QN_LISTED_BAD) {
    struct qn_text_bad *bad = &part->listed[part->num_listed++];
    bad->line = part->edges + part->comments + part->rejected - part->joined + 1;
    bad->column = (uint64_t)(where - line) + 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bad->message, sizeof bad->message, format, arguments);
    va_end(arguments);
  }
  part->rejected++;
  part->stop = part->rejected > part->max_bad;
}

const char *qn_text_quote(const char *begin, const char *end, char *text) {
  enum { SHOWN = 40 };
  if (begin >= end)
    return "the end of the line";
  char *out = text;
  *out++ = '\'';
  for (const char *p = begin; p < end && p < begin + SHOWN; p++) {
    unsigned char byte = (unsigned char)*p;
    if (byte < 0x20 || byte == 0x7f || byte == '\\')
      out += sprintf(out, byte == '\\' ? "\\\\" : "\\x%02x", byte);
    else
      *out++ = (char)byte;
  }
  strcpy(out, end - begin > SHOWN ? "...'" : "'");
  return text;
}

const char *qn_text_field_end(const char *begin, const char *end) {
  while (begin < end && *begin != ' ' && *begin != '\t' && *begin != ',' && *begin != ';')
    begin++;
  return begin;
}

/* ---- Parts of a block ----------------------------------------------------- */

/* The first line that begins at `offset` or after it. */
static uint64_t line_begin(const struct qn_input_block *block, uint64_t offset) {
  if (offset == 0 || offset >= block->bytes)
    return offset < block->bytes ? offset : block->bytes;
  const char *newline = memchr(block->data + offset - 1, '\n', block->bytes - offset + 1);
  return newline ? (uint64_t)(newline + 1 - block->data) : block->bytes;
}

static void cut_part(const struct qn_text_job *job, const struct qn_input_block *block,
                     uint64_t part_bytes, uint64_t index, struct qn_text_part *part) {
  memset(part, 0, offsetof(struct qn_text_part, listed));
  part->begin = block->data + line_begin(block, index * part_bytes);
  part->end = block->data + line_begin(block, (index + 1) * part_bytes);
  part->readable_end = block->data + block->bytes;
  part->cursor = part->begin;
  part->max_bad = job->options->max_bad;
  if (job->number)
    part->first_number = job->number(part->begin, part->end);
}

static void parse_part(const struct qn_text_job *job, uint64_t index, struct qn_text_part *part) {
  qn_edge_stream_open(&part->stream, job->list, *job->sequence + index);
  if (part->begin < part->end)
    job->parse(part, job->context);
  qn_edge_stream_close(&part->stream, NULL); /* the status stays in the stream */
  qn_input_done(job->input, part->begin, (uint64_t)(part->end - part->begin));
  qn_progress_add((uint64_t)(part->end - part->begin));
}

/* What is known of all parts together, in the order of the input. */
struct tally {
  uint64_t lines;
  uint64_t numbered; /* lines that have a number */
  uint64_t rejected;
  uint64_t num_listed;
  struct qn_text_bad listed[QN_LISTED_BAD];
};

static enum qn_status add_part(const struct qn_text_job *job, struct tally *tally,
                               const struct qn_text_part *part, struct qn_error *error) {
  if (part->stream.status) {
    if (error)
      *error = part->stream.error;
    return part->stream.status;
  }
  for (uint64_t i = 0; i < part->num_listed && tally->num_listed < QN_LISTED_BAD; i++) {
    tally->listed[tally->num_listed] = part->listed[i];
    tally->listed[tally->num_listed++].line += tally->lines;
  }
  struct qn_ledger *ledger = job->ledger;
  uint64_t records = part->edges + part->comments + part->rejected;
  tally->lines += records - part->joined;
  tally->rejected += part->rejected;
  ledger->records += records;
  ledger->comments += part->comments;
  ledger->rejected += part->rejected;
  ledger->edges_read += part->edges;
  ledger->edges_added += part->implied;
  if (tally->rejected <= job->options->max_bad)
    return QN_OK;
  const struct qn_text_bad *first = &tally->listed[0];
  if (job->options->max_bad == 0)
    qn_fail(error, QN_INVALID, "%s", first->message);
  else
    qn_fail(error, QN_INVALID,
            "more than the %" PRIu64 " bad lines that --max-bad allows; the first: %s",
            job->options->max_bad, first->message);
  return qn_error_at_line(error, qn_input_name(job->input), first->line, first->column);
}

static void lower(uint64_t *least, uint64_t value) {
  uint64_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
  while (value < seen && !__atomic_compare_exchange_n(least, &seen, value, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
    continue;
}

/* All parts before one that stops are parsed, so that what is reported does not depend on
 * threads. */
static enum qn_status parse_block(const struct qn_text_job *job, const struct qn_input_block *block,
                                  struct tally *tally, struct qn_error *error) {
  uint64_t part_bytes = block->bytes / ((uint64_t)qn_threads() * 16);
  part_bytes = part_bytes < MIN_PART_BYTES   ? MIN_PART_BYTES
               : part_bytes > MAX_PART_BYTES ? MAX_PART_BYTES
                                             : part_bytes;
  uint64_t num_parts = (block->bytes + part_bytes - 1) / part_bytes;
  struct qn_text_part *parts;
  uint64_t last = UINT64_MAX; /* the first part that stops: later ones do not matter */
  enum qn_status status =
      qn_pages_alloc(&parts, num_parts, sizeof *parts, "the parts of the input", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic)
  for (uint64_t i = 0; i < num_parts; i++)
    cut_part(job, block, part_bytes, i, &parts[i]);
  for (uint64_t i = 0; i < num_parts; i++) {
    uint64_t count = parts[i].first_number;
    parts[i].first_number = tally->numbered;
    tally->numbered += count;
  }
#pragma omp parallel for schedule(monotonic : dynamic)
  for (uint64_t i = 0; i < num_parts; i++) {
    if (i > __atomic_load_n(&last, __ATOMIC_RELAXED))
      continue;
    parse_part(job, i, &parts[i]);
    if (parts[i].stop || parts[i].stream.status)
      lower(&last, i);
  }
  for (uint64_t i = 0; i < num_parts && !status; i++)
    status = add_part(job, tally, &parts[i], error);
  *job->sequence += num_parts;
  qn_pages_free(parts, num_parts, sizeof *parts);
  return status;
}

static void list_bad_lines(const struct qn_text_job *job, const struct tally *tally) {
  for (uint64_t i = 0; i < tally->num_listed; i++)
    qn_warn("%s:%" PRIu64 ":%" PRIu64 ": skipped: %s", qn_input_name(job->input),
            tally->listed[i].line, tally->listed[i].column, tally->listed[i].message);
  if (tally->rejected > tally->num_listed)
    qn_warn("%s: and %" PRIu64 " more bad lines", qn_input_name(job->input),
            tally->rejected - tally->num_listed);
}

enum qn_status qn_text_read(const struct qn_text_job *job, struct qn_input_block *block,
                            struct qn_error *error) {
  struct tally tally = {.lines = job->lines_before};
  enum qn_status status = QN_OK;
  while (block->bytes && !status) {
    status = parse_block(job, block, &tally, error);
    if (!status)
      status = qn_input_next(job->input, block, error);
  }
  if (!status)
    list_bad_lines(job, &tally);
  return status;
}
