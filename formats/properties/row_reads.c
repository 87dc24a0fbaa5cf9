/* Rows of a file: those that are not in the cache, in the order in which they lie there, those that
 * are close together at once. */
#include "formats/properties/row_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/system/read_ring.h"

/* What reads without the system's buffers begin and end at. */
#define BLOCK ((uint64_t)4096)
/* The most bytes of a read, unless a row has more; reads of a thread at a time. */
#define MOST_BYTES ((uint64_t)32768)
#define DEPTH 32

/* A row that is wanted, and where. */
struct wanted {
  uint64_t row, place;
};

/* Wanted rows [first, end), and the bytes of the file in which they lie. */
struct span {
  uint64_t first, end;
  uint64_t offset, bytes; /* of blocks */
  uint64_t needed;        /* of these */
};

struct reading {
  struct qn_row_source *source;
  const int64_t *numbers;
  uint8_t *out;
  struct wanted *wanted, *other; /* [count] */
  uint64_t num_wanted;
  struct span *spans;
  uint64_t num_spans, room; /* of a read */
};

/* ---- What is wanted --------------------------------------------------------- */

static uint64_t per_line(const struct qn_row_source *source) {
  return source->line_bytes / source->row_bytes;
}

static void look_up(struct reading *reading, uint64_t count) {
  const uint64_t bytes = reading->source->row_bytes, rows = per_line(reading->source);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t row = (uint64_t)reading->numbers[i];
    const uint8_t *found = qn_row_cache_find(&reading->source->cache, row / rows);
    if (found)
      memcpy(reading->out + i * bytes, found + row % rows * bytes, bytes);
    reading->other[i] = (struct wanted){found ? UINT64_MAX : row, i};
  }
  for (uint64_t i = 0; i < count; i++)
    if (reading->other[i].row != UINT64_MAX)
      reading->wanted[reading->num_wanted++] = reading->other[i];
}

/* By rows, a byte at a time. */
static void sort(struct reading *reading) {
  for (unsigned shift = 0; shift < 64 && (reading->source->num_rows - 1) >> shift; shift += 8) {
    uint64_t begins[256] = {0}, sum = 0;
    for (uint64_t i = 0; i < reading->num_wanted; i++)
      begins[reading->wanted[i].row >> shift & 255]++;
    for (int digit = 0; digit < 256; digit++) {
      const uint64_t many = begins[digit];
      begins[digit] = sum;
      sum += many;
    }
    for (uint64_t i = 0; i < reading->num_wanted; i++)
      reading->other[begins[reading->wanted[i].row >> shift & 255]++] = reading->wanted[i];
    struct wanted *sorted = reading->other;
    reading->other = reading->wanted;
    reading->wanted = sorted;
  }
}

/* ---- Spans ------------------------------------------------------------------ */

static void find_spans(struct reading *reading) {
  const struct qn_row_source *source = reading->source;
  const uint64_t rows = per_line(source), all = source->num_rows * source->row_bytes;
  struct span *span = NULL;
  for (uint64_t i = 0; i < reading->num_wanted; i++) {
    const uint64_t line = reading->wanted[i].row / rows * source->line_bytes;
    const uint64_t begin = source->offset + line;
    const uint64_t end =
        begin + (source->line_bytes < all - line ? source->line_bytes : all - line);
    const uint64_t last = (end + BLOCK - 1) / BLOCK * BLOCK;
    if (span && begin <= span->offset + span->bytes && last - span->offset <= MOST_BYTES) {
      span->end = i + 1;
      span->bytes = last - span->offset;
      span->needed = end - span->offset;
      continue;
    }
    span = &reading->spans[reading->num_spans++];
    *span = (struct span){.first = i, .end = i + 1, .offset = begin / BLOCK * BLOCK};
    span->bytes = last - span->offset;
    span->needed = end - span->offset;
  }
}

/* The last line may have more bytes than there are rows: what lies behind them in the buffer. */
static void deliver(const struct reading *reading, const struct span *span, const uint8_t *bytes) {
  struct qn_row_source *source = reading->source;
  const uint64_t rows = per_line(source);
  for (uint64_t i = span->first; i < span->end; i++) {
    const struct wanted *wanted = &reading->wanted[i];
    const uint64_t number = wanted->row / rows;
    const uint8_t *line = bytes + (source->offset + number * source->line_bytes - span->offset);
    memcpy(reading->out + wanted->place * source->row_bytes,
           line + wanted->row % rows * source->row_bytes, source->row_bytes);
    if (i == span->first || number != wanted[-1].row / rows)
      qn_row_cache_add(&source->cache, number, line);
  }
}

/* ---- Reads ------------------------------------------------------------------ */

static enum qn_status fail_read(int64_t result, struct qn_error *error) {
  if (result >= 0)
    return qn_fail(error, QN_SYSTEM,
                   "the file was cut while it was in use; write a new file and rename it instead");
  errno = (int)-result;
  return qn_fail_errno(error, "cannot read");
}

/* What is left of a span, or all of it, by the system's buffers. */
static enum qn_status read_rest(const struct reading *reading, const struct span *span,
                                uint64_t done, uint8_t *bytes, struct qn_error *error) {
  while (done < span->needed) {
    const ssize_t got = pread(reading->source->descriptor, bytes + done, span->needed - done,
                              (off_t)(span->offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return fail_read(got < 0 ? -(int64_t)errno : 0, error);
    done += (uint64_t)got;
  }
  deliver(reading, span, bytes);
  return QN_OK;
}

static enum qn_status read_span(const struct reading *reading, const struct span *span,
                                uint8_t *bytes, struct qn_error *error) {
  ssize_t got = 0;
  if (reading->source->unbuffered >= 0)
    got = pread(reading->source->unbuffered, bytes, span->bytes, (off_t)span->offset);
  return read_rest(reading, span, got > 0 ? (uint64_t)got : 0, bytes, error);
}

/* The spans [begin, end), several at a time. `*lost`: the system may still write to the buffers. */
static enum qn_status read_by_ring(const struct reading *reading, struct qn_read_ring *ring,
                                   uint64_t begin, uint64_t end, uint8_t *buffers, bool *lost,
                                   struct qn_error *error) {
  const struct qn_row_source *source = reading->source;
  const int descriptor = source->unbuffered >= 0 ? source->unbuffered : source->descriptor;
  enum qn_status status = QN_OK;
  uint64_t under_way[DEPTH], next = begin, flying = 0, tag;
  int64_t result;
  for (uint64_t slot = 0; slot < DEPTH && next < end; slot++, next++, flying++) {
    const struct span *span = &reading->spans[next];
    under_way[slot] = next;
    qn_read_ring_add(ring, descriptor, buffers + slot * reading->room, (uint32_t)span->bytes,
                     span->offset, slot);
  }
  while (flying) {
    if (!qn_read_ring_wait(ring, &tag, &result)) {
      *lost = true;
      return qn_fail_errno(error, "cannot read");
    }
    uint8_t *bytes = buffers + tag * reading->room;
    flying--;
    if (!status) /* what came short, or is not possible so, the other way */
      status = read_rest(reading, &reading->spans[under_way[tag]],
                         result > 0 ? (uint64_t)result : 0, bytes, error);
    if (status || next == end)
      continue;
    under_way[tag] = next;
    qn_read_ring_add(ring, descriptor, bytes, (uint32_t)reading->spans[next].bytes,
                     reading->spans[next].offset, tag);
    next++;
    flying++;
  }
  return status;
}

/* This thread's of all spans. */
static enum qn_status read_spans(const struct reading *reading, uint64_t begin, uint64_t end,
                                 struct qn_error *error) {
  struct qn_read_ring *ring = reading->source->ring ? qn_read_ring_create(DEPTH) : NULL;
  uint8_t *buffers;
  const uint64_t many = ring ? DEPTH : 1;
  bool lost = false;
  enum qn_status status = qn_pages_alloc(&buffers, many, reading->room, "rows of a file", error);
  if (!status && ring)
    status = read_by_ring(reading, ring, begin, end, buffers, &lost, error);
  for (uint64_t i = begin; !ring && i < end && !status; i++)
    status = read_span(reading, &reading->spans[i], buffers, error);
  qn_read_ring_destroy(ring);
  if (!lost)
    qn_pages_free(buffers, many, reading->room);
  return status;
}

/* Spans that a thread takes at a time. */
#define PIECE ((uint64_t)1024)

static enum qn_status read_all(struct reading *reading, struct qn_error *error) {
  enum qn_status first = QN_OK;
  const uint64_t piece = reading->source->ring ? PIECE : 16;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t begin = 0; begin < reading->num_spans; begin += piece) {
    const uint64_t left = reading->num_spans - begin;
    struct qn_error problem;
    const enum qn_status status =
        read_spans(reading, begin, begin + (left < piece ? left : piece), &problem);
    if (!status)
      continue;
#pragma omp critical(qn_failed_read)
    if (!first) {
      first = status;
      *error = problem;
    }
  }
  return first;
}

enum qn_status qn_rows_read(struct qn_row_source *source, const int64_t *numbers, uint64_t count,
                            uint8_t *out, struct qn_error *error) {
  struct reading reading = {.source = source, .numbers = numbers, .out = out};
  struct qn_error unwanted;
  enum qn_status status =
      qn_alloc(&reading.wanted, count, sizeof *reading.wanted, "rows that are wanted", error);
  if (!status)
    status = qn_alloc(&reading.other, count, sizeof *reading.other, "rows that are wanted", error);
  if (!status) {
    look_up(&reading, count);
    sort(&reading);
    status = qn_alloc(&reading.spans, reading.num_wanted, sizeof *reading.spans, "reads", error);
  }
  if (!status) {
    find_spans(&reading);
    reading.room = (source->line_bytes + 2 * BLOCK - 1) / BLOCK * BLOCK;
    reading.room = reading.room > MOST_BYTES ? reading.room : MOST_BYTES;
    status = read_all(&reading, error ? error : &unwanted);
  }
  for (uint64_t i = 0; i < reading.num_spans && !status; i++)
    source->bytes += reading.spans[i].bytes;
  source->read += status ? 0 : reading.num_wanted;
  source->found += status ? 0 : count - reading.num_wanted;
  qn_free(reading.wanted);
  qn_free(reading.other);
  qn_free(reading.spans);
  return status;
}
