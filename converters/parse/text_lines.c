#include "converters/parse/text_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* Parts are large enough to fill blocks of edges, and small enough to share work evenly. */
#define MIN_PART_BYTES ((uint64_t)64 << 10)
#define MAX_PART_BYTES ((uint64_t)2 << 20)

/* Comments may hold any quotes. */
static const char *find_line_end(const struct qn_text_part *part) {
  const char *line = part->cursor;
  const char *newline = memchr(line, '\n', (size_t)(part->end - line));
  const char *end = newline ? newline : part->end;
  if (!part->records)
    return end;
  line = qn_skip_blanks(line, end);
  bool plain = line == end || *line == part->signs[0] || *line == part->signs[1];
  return plain ? end : qn_record_end(line, part->end);
}

static uint64_t count_line_ends(const char *begin, const char *end) {
  uint64_t count = 0;
  for (const char *p = begin; p < end; p++)
    count += *p == '\n';
  return count;
}

bool qn_text_next_line(struct qn_text_part *part, const char **line, const char **end) {
  if (part->cursor >= part->end || part->stop)
    return false;
  *line = part->cursor;
  *end = find_line_end(part);
  part->cursor = *end < part->end ? *end + 1 : part->end;
  if (part->records) {
    part->broken += part->breaks;
    part->breaks = count_line_ends(*line, *end);
  }
  if (*end > *line && (*end)[-1] == '\r')
    --*end;
  return true;
}

/* Most comments are short, and empty lines are no work at all. */
static const char *comment_end(const char *p, const char *end) {
  enum { SHORT = 16 };
  const char *near = end - p < SHORT ? end : p + SHORT;
  while (p < near && *p != '\n')
    p++;
  return p < near || p == end ? p : (p = memchr(p, '\n', (size_t)(end - p))) ? p : end;
}

const char *qn_text_comments_end(const char *p, const char *end, const char *marks,
                                 uint64_t *count) {
  static const uint64_t line_ends = 0x0a0a0a0a0a0a0a0a;
  uint64_t lines = 0, eight;
  for (const char *line = p;; p = line) {
    for (; end - p >= 8 && (memcpy(&eight, p, 8), eight == line_ends); p += 8)
      lines += 8;
    line = p;
    p = qn_skip_blanks(p, end);
    if (p < end && (*p == marks[0] || *p == marks[1]))
      p = comment_end(p, end);
    else if (p < end && *p == '\r' && (p + 1 == end || p[1] == '\n'))
      p++;
    if (line == end || (p < end && *p != '\n')) {
      *count += lines;
      return line;
    }
    lines++;
    line = p < end ? p + 1 : end;
  }
}

void qn_text_skip_comments(struct qn_text_part *part, const char *marks) {
  const char *end = qn_text_comments_end(part->cursor, part->end, marks, &part->comments);
  if (end == part->cursor)
    return;
  part->cursor = end;
  part->broken += part->breaks;
  part->breaks = 0;
}

void qn_text_reject(struct qn_text_part *part, const char *line, const char *where,
                    const char *format, ...) {
  struct qn_text_bad *bad = &part->last;
  bad->line = part->edges + part->comments + part->rejected - part->joined + part->broken + 1;
  for (const char *p; part->records && (p = memchr(line, '\n', (size_t)(where - line)));
       bad->line++)
    line = p + 1;
  bad->column = (uint64_t)(where - line) + 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(bad->message, sizeof bad->message, format, arguments);
  va_end(arguments);
  if (part->num_listed < QN_LISTED_BAD)
    part->listed[part->num_listed++] = *bad;
  part->rejected++;
  part->stop = part->rejected > part->max_bad;
}

/* ---- Parts of a block ----------------------------------------------------- */

/* Behind the first line end in [p, end) that is not in quotes; `end` if there is none. */
static const char *next_record(const char *p, const char *end, bool inside) {
  for (;; p++) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    if (!newline)
      return end;
    inside ^= qn_count_quotes(p, newline) & 1;
    if (!inside)
      return newline + 1;
    p = newline;
  }
}

/* The first line, or record, that begins in [offset, next), NULL if none does; `odd` quotes are
 * before `offset`. */
static const char *first_begin(bool records, const struct qn_input_block *block, uint64_t offset,
                               uint64_t next, bool odd) {
  const char *p = block->data + offset, *end = block->data + next;
  const char *newline = offset ? memchr(p - 1, '\n', next - offset) : NULL;
  if (offset == 0 || (records && p[-1] == '\n' && !odd))
    return p;
  if (!records)
    return newline ? newline + 1 : NULL;
  const char *begin = next_record(p, end, odd);
  return begin < end ? begin : NULL;
}

/* Whether the quotes before each part's nominal begin are odd. */
static void count_quotes(const struct qn_input_block *block, uint64_t part_bytes,
                         struct qn_text_part *parts, uint64_t num_parts) {
#pragma omp parallel for schedule(dynamic)
  for (uint64_t i = 0; i < num_parts; i++) {
    uint64_t end = (i + 1) * part_bytes < block->bytes ? (i + 1) * part_bytes : block->bytes;
    parts[i].quotes = qn_count_quotes(block->data + i * part_bytes, block->data + end);
  }
  uint64_t before = 0;
  for (uint64_t i = 0; i < num_parts; i++) {
    uint64_t here = parts[i].quotes;
    parts[i].quotes = before & 1;
    before += here;
  }
}

/* Every byte is looked at once, however long lines are: what begins in no part of `part_bytes`
 * belongs to the part before. */
static void cut_parts(const struct qn_text_job *job, const struct qn_input_block *block,
                      uint64_t part_bytes, uint64_t num_parts, struct qn_text_part *parts) {
#pragma omp parallel for schedule(dynamic)
  for (uint64_t i = 0; i < num_parts; i++) {
    uint64_t offset = i * part_bytes, left = block->bytes - offset;
    parts[i].begin = first_begin(job->records, block, offset,
                                 offset + (left < part_bytes ? left : part_bytes), parts[i].quotes);
  }
  const char *next = block->data + block->bytes;
  for (uint64_t i = num_parts; i-- > 0; next = parts[i].begin) {
    parts[i].end = next;
    if (!parts[i].begin)
      parts[i].begin = next;
  }
}

/* Lines before one that is too long are parsed, so that its number is known. */
static void bound_lines(const struct qn_input_block *block, uint64_t part_bytes, uint64_t index,
                        struct qn_text_part *part) {
  if ((uint64_t)(part->end - part->begin) <= QN_MOST_LINE_BYTES)
    return;
  const char *most = block->data + (index + 1) * part_bytes; /* no line begins there or behind */
  const char *newline = memrchr(part->begin, '\n', (size_t)(most - part->begin - 1));
  const char *last = newline ? newline + 1 : part->begin;
  part->endless = (uint64_t)(part->end - last) > QN_MOST_LINE_BYTES;
  if (part->endless)
    part->end = last;
}

static void begin_part(const struct qn_text_job *job, const struct qn_input_block *block,
                       uint64_t part_bytes, uint64_t index, struct qn_text_part *part) {
  if (!job->long_lines)
    bound_lines(block, part_bytes, index, part);
  part->readable_end = block->data + block->bytes;
  part->cursor = part->begin;
  part->max_bad = job->options->max_bad;
  part->records = job->records;
  part->signs = job->signs;
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
  uint64_t lines_before = tally->lines;
  uint64_t records = part->edges + part->comments + part->rejected;
  tally->lines += records - part->joined + part->broken + part->breaks;
  tally->rejected += part->rejected;
  ledger->records += records;
  ledger->comments += part->comments;
  ledger->rejected += part->rejected;
  ledger->edges_read += part->edges;
  ledger->edges_added += part->implied;
  if (tally->rejected <= job->options->max_bad && !part->fatal && !part->endless)
    return QN_OK;
  if (tally->rejected <= job->options->max_bad && !part->fatal) {
    qn_fail(error, QN_INVALID, "a line is longer than 64 MiB");
    return qn_error_at_line(error, qn_input_name(job->input), tally->lines + 1, 1);
  }
  const struct qn_text_bad *first = &tally->listed[0];
  struct qn_text_bad last = part->last;
  last.line += lines_before;
  if (part->fatal)
    first = &last;
  if (job->options->max_bad == 0 || part->fatal)
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
  for (uint64_t i = 0; i < num_parts; i++)
    memset(&parts[i], 0, offsetof(struct qn_text_part, listed));
  if (job->records)
    count_quotes(block, part_bytes, parts, num_parts);
  cut_parts(job, block, part_bytes, num_parts, parts);
#pragma omp parallel for schedule(dynamic)
  for (uint64_t i = 0; i < num_parts; i++)
    begin_part(job, block, part_bytes, i, &parts[i]);
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
    if (parts[i].stop || parts[i].endless || parts[i].stream.status)
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
    qn_note(QN_NOTE_LINES_SKIPPED, "%s:%" PRIu64 ":%" PRIu64 ": skipped: %s",
            qn_input_name(job->input), tally->listed[i].line, tally->listed[i].column,
            tally->listed[i].message);
  if (tally->rejected > tally->num_listed)
    qn_note(QN_NOTE_LINES_SKIPPED, "%s: and %" PRIu64 " more bad lines", qn_input_name(job->input),
            tally->rejected - tally->num_listed);
}

/* ---- Records that go on in the next block ---------------------------------- */

/* A value in quotes that is longer is rather a quote that is not closed. */
#define MOST_RECORD_BYTES ((uint64_t)64 << 20)

/* The begin of a record whose end is not there yet. */
struct unfinished {
  char *data;
  uint64_t bytes, capacity;
};

static enum qn_status keep(struct unfinished *record, const char *data, uint64_t bytes,
                           const struct qn_text_job *job, const struct tally *tally,
                           struct qn_error *error) {
  uint64_t needed = record->bytes + bytes;
  if (needed > MOST_RECORD_BYTES) {
    qn_fail(error, QN_INVALID,
            "a quote that opens here is not closed in the 64 MiB that follow (--quotes=no takes "
            "quotes as they are)");
    return qn_error_at_line(error, qn_input_name(job->input), tally->lines + 1, 1);
  }
  if (needed > record->capacity) {
    enum qn_status status = qn_realloc(&record->data, 2 * needed, 1, "a record", error);
    if (status)
      return status;
    record->capacity = 2 * needed;
  }
  memcpy(record->data + record->bytes, data, bytes);
  record->bytes = needed;
  return QN_OK;
}

static void skip(struct qn_input_block *block, uint64_t bytes) {
  block->data += bytes;
  block->offset += bytes;
  block->bytes -= bytes;
}

/* Complete the record from the block's begin, and parse it when its end is there. */
static enum qn_status complete(const struct qn_text_job *job, struct qn_input_block *block,
                               struct unfinished *record, struct tally *tally,
                               struct qn_error *error) {
  const char *end = next_record(block->data, block->data + block->bytes, true);
  uint64_t bytes = (uint64_t)(end - block->data);
  enum qn_status status = keep(record, block->data, bytes, job, tally, error);
  bool whole = !status && qn_count_quotes(record->data, record->data + record->bytes) % 2 == 0;
  skip(block, bytes);
  if (status || !whole)
    return status;
  struct qn_input_block own = {record->data, record->bytes, 0};
  record->bytes = 0;
  return parse_block(job, &own, tally, error);
}

/* Put aside the record at the block's end if quotes are open there. */
static enum qn_status put_aside(const struct qn_text_job *job, struct qn_input_block *block,
                                struct unfinished *record, const struct tally *tally,
                                struct qn_error *error) {
  bool inside = qn_count_quotes(block->data, block->data + block->bytes) & 1;
  uint64_t end = block->bytes;
  if (!inside)
    return QN_OK;
  for (; end > 0 && (inside || block->data[end - 1] != '\n'); end--)
    inside ^= block->data[end - 1] == '"';
  enum qn_status status = keep(record, block->data + end, block->bytes - end, job, tally, error);
  block->bytes = end;
  return status;
}

static enum qn_status parse_records(const struct qn_text_job *job, struct qn_input_block *block,
                                    struct tally *tally, struct qn_error *error) {
  struct unfinished record = {0};
  enum qn_status status = QN_OK;
  while (block->bytes && !status) {
    if (record.bytes)
      status = complete(job, block, &record, tally, error);
    struct qn_input_block rest = *block;
    /* What is before the record is parsed first, so that places are right. */
    if (!status && rest.bytes && !qn_input_stays(job->input))
      status = put_aside(job, &rest, &record, tally, error);
    if (!status && rest.bytes)
      status = parse_block(job, &rest, tally, error);
    if (!status)
      status = qn_input_next(job->input, block, error);
  }
  if (!status && record.bytes) {
    struct qn_input_block own = {record.data, record.bytes, 0};
    status = parse_block(job, &own, tally, error);
  }
  qn_free(record.data);
  return status;
}

/* ---- Parts of files --------------------------------------------------------- */

/* The first line, or record, that begins at byte `offset` of the content or behind it, in a block
 * that reaches to the content's end. */
static const char *line_from(bool records, const struct qn_input_block *block, uint64_t offset) {
  const char *end = block->data + block->bytes;
  if (offset <= block->offset)
    return block->data;
  if (offset - block->offset >= block->bytes)
    return end;
  const char *at = block->data + (offset - block->offset);
  bool odd = records && qn_count_quotes(block->data, at) & 1;
  const char *begin = first_begin(records, block, offset - block->offset, block->bytes, odd);
  return begin ? begin : end;
}

const char *qn_text_leave_part(const struct qn_input *input, bool records,
                               struct qn_input_block *block) {
  uint64_t begin, end;
  if (!qn_input_part(input, &begin, &end))
    return block->data;
  const char *first = line_from(records, block, begin), *last = line_from(records, block, end);
  block->offset += (uint64_t)(first - block->data);
  block->bytes = (uint64_t)(last - first);
  return block->data = first;
}

void qn_text_count_before(const char *whole, const char *part, struct qn_error *error) {
  if (error && error->line)
    error->line += count_line_ends(whole, part);
}

static enum qn_status read_blocks(const struct qn_text_job *job, struct qn_input_block *block,
                                  struct qn_error *error) {
  struct tally tally = {.lines = job->lines_before};
  enum qn_status status = QN_OK;
  if (job->records)
    status = parse_records(job, block, &tally, error);
  while (block->bytes && !status) {
    status = parse_block(job, block, &tally, error);
    if (!status)
      status = qn_input_next(job->input, block, error);
  }
  if (!status)
    list_bad_lines(job, &tally);
  return status;
}

enum qn_status qn_text_read(const struct qn_text_job *job, struct qn_input_block *block,
                            struct qn_error *error) {
  const char *whole = block->data, *part = qn_text_leave_part(job->input, job->records, block);
  enum qn_status status = read_blocks(job, block, error);
  if (status == QN_INVALID)
    qn_text_count_before(whole, part, error);
  return status;
}
