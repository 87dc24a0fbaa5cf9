/* Edges as binary records without a header, which nothing but --record describes: the inputs of
 * Gemini, GridGraph, X-Stream and GraphChi, and the edge lists of Graph500.
 *
 *   source destination [weight]      of record.h's widths, without padding
 *
 * Ids are any that fit; --vertices says how many vertices there are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "converters/binary_rows.h"
#include "converters/input.h"
#include "converters/record.h"
#include "support/progress.h"
#include "support/threads.h"

/* Records that one stream takes. */
#define MIN_PART ((uint64_t)16 << 10)
#define MAX_PART ((uint64_t)256 << 10)

struct pairs {
  const char *file;
  struct qn_record record;
  bool wants_weights;
  enum qn_weight_choice weights;
  uint64_t num_vertices; /* 0: as many as there are */
  uint64_t offset;       /* of the records at hand in the content */
};

/* ---- Records -------------------------------------------------------------- */

struct edge {
  uint64_t source, destination;
  uint32_t weight; /* bits */
};

static inline uint32_t load_u32(const char *at, bool big_endian) {
  uint32_t value = qn_binary_u32(at);
  return big_endian ? __builtin_bswap32(value) : value;
}

static inline uint64_t load_u64(const char *at, bool big_endian) {
  uint64_t value = qn_binary_u64(at);
  return big_endian ? __builtin_bswap64(value) : value;
}

static inline uint64_t load_u16(const char *at, bool big_endian) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return big_endian ? __builtin_bswap16(value) : value;
}

/* Graph500 packs the two high parts into one u32, the source's in its lower half: in big-endian
 * files that comes second. */
static inline struct edge load_packed(const char *at, bool big) {
  return (struct edge){load_u32(at, big) | load_u16(at + (big ? 10 : 8), big) << 32,
                       load_u32(at + 4, big) | load_u16(at + (big ? 8 : 10), big) << 32, 0};
}

static inline __attribute__((always_inline)) struct edge load_edge(const char *at,
                                                                   struct qn_record record) {
  struct edge edge;
  if (record.ids == QN_RECORD_U32)
    edge = (struct edge){load_u32(at, record.big_endian), load_u32(at + 4, record.big_endian), 0};
  else if (record.ids == QN_RECORD_U64)
    edge = (struct edge){load_u64(at, record.big_endian), load_u64(at + 8, record.big_endian), 0};
  else
    edge = load_packed(at, record.big_endian);
  if (record.weight != QN_WEIGHT_NONE)
    edge.weight = load_u32(at + qn_record_bytes(&record) - 4, record.big_endian);
  return edge;
}

static inline bool is_finite(uint32_t bits) {
  return (bits & 0x7F800000) != 0x7F800000;
}

/* What is wrong with a record; NULL: nothing. */
static inline const char *fault_of(const struct pairs *pairs, const struct edge *edge) {
  uint64_t larger = edge->source > edge->destination ? edge->source : edge->destination;
  if (pairs->num_vertices && larger >= pairs->num_vertices)
    return "an id that is not below the number of --vertices";
  if (pairs->record.ids == QN_RECORD_PACKED && larger > QN_RECORD_PACKED_MAX)
    return "a negative id";
  if (pairs->record.weight == QN_WEIGHT_F32 && pairs->wants_weights && !is_finite(edge->weight))
    return "a weight that is not finite (--weights=none drops weights)";
  if (pairs->record.weight == QN_WEIGHT_F32 && pairs->weights == QN_WEIGHTS_U32)
    return "a real weight (--weights=u32)";
  return NULL;
}

/* Push `count` records of kind `record`; the first at fault, or UINT64_MAX. `record` is a constant
 * where it matters for speed. */
static inline __attribute__((always_inline)) uint64_t push_records(const struct pairs *pairs,
                                                                   const char *at, uint64_t count,
                                                                   struct qn_record record,
                                                                   struct qn_edge_stream *stream) {
  unsigned bytes = qn_record_bytes(&record);
  for (uint64_t i = 0; i < count; i++, at += bytes) {
    struct edge edge = load_edge(at, record);
    if (__builtin_expect(fault_of(pairs, &edge) != NULL, 0))
      return i;
    if (pairs->wants_weights)
      qn_edge_push_weighted(stream, edge.source, edge.destination, record.weight, edge.weight);
    else
      qn_edge_push(stream, edge.source, edge.destination);
  }
  return UINT64_MAX;
}

static uint64_t push_part(const struct pairs *pairs, const char *at, uint64_t count,
                          struct qn_edge_stream *stream) {
  const struct qn_record record = pairs->record;
  if (record.ids == QN_RECORD_U32 && !record.big_endian && record.weight == QN_WEIGHT_NONE)
    return push_records(pairs, at, count, (struct qn_record){.ids = QN_RECORD_U32}, stream);
  if (record.ids == QN_RECORD_U64 && !record.big_endian && record.weight == QN_WEIGHT_NONE)
    return push_records(pairs, at, count, (struct qn_record){.ids = QN_RECORD_U64}, stream);
  return push_records(pairs, at, count, record, stream);
}

/* ---- Blocks --------------------------------------------------------------- */

struct reading {
  struct pairs pairs;
  struct qn_input *input;
  struct qn_edge_list *list;
  uint64_t *sequence;
  uint64_t num_edges;
  char carry[QN_RECORD_MAX_BYTES]; /* the begin of a record that a block cut */
  unsigned carried;
};

static enum qn_status fail_record(const struct reading *reading, const char *records, uint64_t bad,
                                  struct qn_error *error) {
  const struct pairs *pairs = &reading->pairs;
  unsigned bytes = qn_record_bytes(&pairs->record);
  struct edge edge = load_edge(records + bad * bytes, pairs->record);
  return qn_binary_fail(pairs->file, pairs->offset + bad * bytes, error,
                        "edge %" PRIu64 ", from %" PRIu64 " to %" PRIu64 ", has %s",
                        reading->num_edges + bad, edge.source, edge.destination,
                        fault_of(pairs, &edge));
}

/* Whole records. */
static enum qn_status push_block(struct reading *reading, const char *records, uint64_t count,
                                 struct qn_error *error) {
  const struct pairs *pairs = &reading->pairs;
  unsigned bytes = qn_record_bytes(&pairs->record);
  uint64_t part = count / ((uint64_t)qn_threads() * 16), bad = UINT64_MAX;
  part = part < MIN_PART ? MIN_PART : part > MAX_PART ? MAX_PART : part;
  uint64_t num_parts = (count + part - 1) / part;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    uint64_t begin = i * part, size = count - begin < part ? count - begin : part;
    qn_edge_stream_open(&stream, reading->list, *reading->sequence + i);
    uint64_t found = push_part(pairs, records + begin * bytes, size, &stream);
    if (found != UINT64_MAX && begin + found < bad)
      bad = begin + found;
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    qn_input_done(reading->input, records + begin * bytes, size * bytes);
    qn_progress_add(size * bytes);
    if (failed) {
#pragma omp critical(pairs_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *reading->sequence += num_parts;
  if (!status && bad != UINT64_MAX)
    return fail_record(reading, records, bad, error);
  reading->num_edges += count;
  reading->pairs.offset += count * bytes;
  return status;
}

/* Blocks end where it suits text: a record may begin in one and end in the next. */
static enum qn_status take_block(struct reading *reading, const struct qn_input_block *block,
                                 struct qn_error *error) {
  unsigned bytes = qn_record_bytes(&reading->pairs.record);
  const char *p = block->data;
  uint64_t left = block->bytes;
  enum qn_status status = QN_OK;
  if (reading->carried) {
    uint64_t missing = bytes - reading->carried, taken = left < missing ? left : missing;
    memcpy(reading->carry + reading->carried, p, taken);
    reading->carried += (unsigned)taken;
    p += taken;
    left -= taken;
    if (reading->carried == bytes) {
      reading->carried = 0;
      status = push_block(reading, reading->carry, 1, error);
    }
  }
  if (!status && left >= bytes)
    status = push_block(reading, p, left / bytes, error);
  if (!status && left % bytes) {
    memcpy(reading->carry, p + left / bytes * bytes, left % bytes);
    reading->carried = (unsigned)(left % bytes);
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_pairs(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct reading reading = {.pairs = {.file = qn_input_name(input),
                                      .record = options->record,
                                      .weights = options->weights,
                                      .num_vertices = options->num_vertices},
                            .input = input,
                            .list = list,
                            .sequence = sequence};
  struct pairs *pairs = &reading.pairs;
  struct qn_input_block block;
  char text[QN_RECORD_TEXT];
  unsigned bytes = qn_record_bytes(&pairs->record);
  if (bytes == 0)
    return qn_fail(error, QN_USAGE,
                   "--format=pairs needs --record, which says what an edge is: such files do not");
  pairs->wants_weights =
      pairs->record.weight != QN_WEIGHT_NONE && options->weights != QN_WEIGHTS_NONE;
  enum qn_status status;
  while (!(status = qn_input_next(input, &block, error)) && block.bytes)
    if ((status = take_block(&reading, &block, error)))
      return status;
  if (status)
    return status;
  if (reading.carried)
    return qn_binary_fail(pairs->file, pairs->offset, error,
                          "the file ends %u bytes after the begin of a record of %u bytes",
                          reading.carried, bytes);
  snprintf(result->description, sizeof result->description, "%" PRIu64 " records of %s, %u bytes",
           reading.num_edges, qn_record_text(&pairs->record, text), bytes);
  result->ledger.records += reading.num_edges;
  result->ledger.edges_read += reading.num_edges;
  return QN_OK;
}

static uint64_t estimate_pairs(const struct qn_read_options *options, const char *head,
                               uint64_t bytes, uint64_t file_bytes) {
  unsigned record_bytes = qn_record_bytes(&options->record);
  (void)head;
  (void)bytes;
  return record_bytes ? file_bytes / record_bytes : 0;
}

const struct qn_reader qn_reader_pairs = {
    .name = "pairs",
    .estimate = estimate_pairs,
    .read = read_pairs,
};
