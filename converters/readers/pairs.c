/* Edges as binary records without a header, which nothing but --record describes: the inputs of
 * Gemini, GridGraph, X-Stream and GraphChi, and the edge lists of Graph500.
 *
 *   source destination [weight]      of record.h's widths, without padding
 *
 * Ids are any that fit; --vertices says how many vertices there are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/binary_rows.h"
#include "converters/parse/record.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/inline.h>

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
  uint64_t weight; /* bits */
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

QN_ALWAYS_INLINE struct edge load_edge(const char *at, struct qn_record record) {
  struct edge edge;
  if (record.ids == QN_RECORD_U32)
    edge = (struct edge){load_u32(at, record.big_endian), load_u32(at + 4, record.big_endian), 0};
  else if (record.ids == QN_RECORD_U64)
    edge = (struct edge){load_u64(at, record.big_endian), load_u64(at + 8, record.big_endian), 0};
  else
    edge = load_packed(at, record.big_endian);
  unsigned weight_bytes = qn_weight_bytes(record.weight);
  const char *weight = at + qn_record_bytes(&record) - weight_bytes;
  if (weight_bytes)
    edge.weight = weight_bytes == 8 ? load_u64(weight, record.big_endian)
                                    : load_u32(weight, record.big_endian);
  return edge;
}

static inline bool is_finite(enum qn_weight_type type, uint64_t bits) {
  const uint64_t narrow = 0x7F800000, wide = UINT64_C(0x7FF0000000000000);
  return type == QN_WEIGHT_F32   ? (bits & narrow) != narrow
         : type == QN_WEIGHT_F64 ? (bits & wide) != wide
                                 : true;
}

/* Why no weight of the records can be taken; NULL if they can. */
static inline const char *unwanted_weights(const struct pairs *pairs) {
  if (qn_weights_take(pairs->weights, pairs->record.weight))
    return NULL;
  if (pairs->record.weight == QN_WEIGHT_I64)
    return "a weight of type i64 (--weights=u32)";
  return pairs->weights == QN_WEIGHTS_U32 ? "a real weight (--weights=u32)"
                                          : "a real weight (--weights=i64)";
}

/* What is wrong with a record; NULL: nothing. */
static inline const char *fault_of(const struct pairs *pairs, const struct edge *edge) {
  uint64_t larger = edge->source > edge->destination ? edge->source : edge->destination;
  if (pairs->num_vertices && larger >= pairs->num_vertices)
    return "an id that is not below the number of --vertices";
  if (pairs->record.ids == QN_RECORD_PACKED && larger > QN_RECORD_PACKED_MAX)
    return "a negative id";
  if (pairs->wants_weights && !is_finite(pairs->record.weight, edge->weight))
    return "a weight that is not finite (--weights=none drops weights)";
  return unwanted_weights(pairs);
}

/* Push `count` records one by one; the first at fault, or UINT64_MAX. */
static uint64_t push_slowly(const struct pairs *pairs, const char *at, uint64_t count,
                            struct qn_edge_stream *stream) {
  const struct qn_record record = pairs->record;
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

/* The processor fetches what comes next by itself, but not from page to page, and pages of a mapped
 * file are small: it would wait at the begin of each. */
#define AHEAD_BYTES 2048

/* Copy records to `to` and, if they are wanted, their weights; false if an id is beyond 32 bits. */
QN_ALWAYS_INLINE bool copy_records(const char *at, uint32_t count, struct qn_record record,
                                   bool weighted, uint64_t *to, void *weights) {
  unsigned bytes = qn_record_bytes(&record), weight_bytes = qn_weight_bytes(record.weight);
  uint64_t all = 0;
  if (record.ids == QN_RECORD_U32 && !record.big_endian && bytes == sizeof *to) {
    memcpy(to, at, count * sizeof *to);
    return true;
  }
  for (uint32_t i = 0; i < count; i++, at += bytes) {
    __builtin_prefetch((const void *)((uintptr_t)at + AHEAD_BYTES));
    struct edge edge = load_edge(at, record);
    all |= edge.source | edge.destination;
    to[i] = edge.source | edge.destination << 32;
    if (weighted)
      qn_weight_store(weights, weight_bytes, i, edge.weight);
  }
  return all >> 32 == 0;
}

/* Is none of these edges at fault? */
QN_ALWAYS_INLINE bool are_sound(const struct pairs *pairs, const uint64_t *edges,
                                enum qn_weight_type type, const void *weights, uint32_t count) {
  uint32_t faults = 0, last = (uint32_t)(pairs->num_vertices - 1);
  if (pairs->num_vertices && pairs->num_vertices <= UINT32_MAX)
    for (uint32_t i = 0; i < count; i++)
      faults |= ((uint32_t)edges[i] > last) | ((uint32_t)(edges[i] >> 32) > last);
  if (type == QN_WEIGHT_F32 || type == QN_WEIGHT_F64)
    for (uint32_t i = 0; i < count; i++)
      faults |= !is_finite(type, qn_weight_load(weights, qn_weight_bytes(type), i));
  return !faults;
}

/* Records that are looked at while they are in the first-level cache. */
#define FEW_RECORDS ((uint64_t)1024)

/* As push_slowly. `record` is a constant where it matters for speed. */
QN_ALWAYS_INLINE uint64_t push_records(const struct pairs *pairs, const char *at, uint64_t count,
                                       struct qn_record record, struct qn_edge_stream *stream) {
  unsigned bytes = qn_record_bytes(&record);
  enum qn_weight_type type = pairs->wants_weights ? record.weight : QN_WEIGHT_NONE;
  if (unwanted_weights(pairs))
    return count ? 0 : UINT64_MAX;
  for (uint64_t done = 0, some; done < count; done += some) {
    const char *few = at + done * bytes;
    uint64_t *to;
    void *weights;
    uint32_t room = qn_edge_stream_room(stream, type, &to, &weights);
    if (room == 0)
      break; /* closing the stream tells why */
    some = count - done < FEW_RECORDS ? count - done : FEW_RECORDS;
    some = room < some ? room : some;
    if (copy_records(few, (uint32_t)some, record, type != QN_WEIGHT_NONE, to, weights) &&
        are_sound(pairs, to, type, weights, (uint32_t)some)) {
      qn_edge_stream_filled(stream, (uint32_t)some);
      continue;
    }
    uint64_t bad = push_slowly(pairs, few, some, stream);
    if (bad != UINT64_MAX)
      return done + bad;
  }
  return UINT64_MAX;
}

static uint64_t push_any_records(const struct pairs *pairs, const char *at, uint64_t count,
                                 struct qn_edge_stream *stream) {
  const struct qn_record record = pairs->record;
  if (record.big_endian || record.ids == QN_RECORD_PACKED || qn_weight_bytes(record.weight) == 8)
    return push_records(pairs, at, count, record, stream);
  if (record.ids == QN_RECORD_U32)
    return record.weight == QN_WEIGHT_NONE
               ? push_records(pairs, at, count,
                              (struct qn_record){QN_RECORD_U32, QN_WEIGHT_NONE, 0}, stream)
           : record.weight == QN_WEIGHT_U32
               ? push_records(pairs, at, count, (struct qn_record){QN_RECORD_U32, QN_WEIGHT_U32, 0},
                              stream)
               : push_records(pairs, at, count, (struct qn_record){QN_RECORD_U32, QN_WEIGHT_F32, 0},
                              stream);
  return record.weight == QN_WEIGHT_NONE
             ? push_records(pairs, at, count, (struct qn_record){QN_RECORD_U64, QN_WEIGHT_NONE, 0},
                            stream)
         : record.weight == QN_WEIGHT_U32
             ? push_records(pairs, at, count, (struct qn_record){QN_RECORD_U64, QN_WEIGHT_U32, 0},
                            stream)
             : push_records(pairs, at, count, (struct qn_record){QN_RECORD_U64, QN_WEIGHT_F32, 0},
                            stream);
}

/* ---- Blocks --------------------------------------------------------------- */

struct reading {
  struct pairs pairs;
  struct qn_input *input;
  struct qn_edge_list *list;
  uint64_t *sequence;
  uint64_t num_edges;
  uint64_t first;                  /* record that is wanted */
  char carry[QN_RECORD_MAX_BYTES]; /* the begin of a record that a block cut */
  unsigned carried;
};

/* The records of a block as a view. */
struct records {
  struct pairs pairs;
  const char *begin;
  uint64_t count;
  uint32_t part_records;
  uint32_t stream_parts; /* that one stream takes */
};

static enum qn_status fail_record(const struct reading *reading, const char *records, uint64_t bad,
                                  struct qn_error *error) {
  const struct pairs *pairs = &reading->pairs;
  unsigned bytes = qn_record_bytes(&pairs->record);
  struct edge edge = load_edge(records + bad * bytes, pairs->record);
  return qn_binary_fail(pairs->file, pairs->offset + bad * bytes, error,
                        "edge %" PRIu64 ", from %" PRIu64 " to %" PRIu64 ", has %s",
                        reading->first + reading->num_edges + bad, edge.source, edge.destination,
                        fault_of(pairs, &edge));
}

static uint64_t records_in(const struct records *records, uint64_t part) {
  uint64_t left = records->count - part * records->part_records;
  return left < records->part_records ? left : records->part_records;
}

/* Returns the record at fault, UINT64_MAX if none is. */
static uint64_t push_part(const void *context, uint64_t part, struct qn_edge_stream *stream) {
  const struct records *records = context;
  uint64_t first = part * records->part_records;
  const char *at = records->begin + first * qn_record_bytes(&records->pairs.record);
  uint64_t bad = push_any_records(&records->pairs, at, records_in(records, part), stream);
  return bad == UINT64_MAX ? bad : first + bad;
}

static uint64_t push_parts(const struct reading *reading, const struct records *records,
                           uint64_t begin, uint64_t end, struct qn_edge_stream *stream) {
  const struct qn_edge_view view = {push_part, records};
  unsigned bytes = qn_record_bytes(&records->pairs.record);
  uint64_t bad = UINT64_MAX;
  for (uint64_t part = begin; part < end && bad == UINT64_MAX; part++) {
    bad = qn_input_stays(reading->input) ? qn_edge_push_view(stream, &view, part)
                                         : push_part(records, part, stream);
    uint64_t size = records_in(records, part) * bytes;
    qn_input_done(reading->input, records->begin + part * records->part_records * bytes, size);
    qn_progress_add(size);
  }
  return bad;
}

static enum qn_status push_all(struct reading *reading, const struct records *records,
                               uint64_t *bad_record, struct qn_error *error) {
  uint64_t num_parts = (records->count + records->part_records - 1) / records->part_records;
  uint64_t num_streams = (num_parts + records->stream_parts - 1) / records->stream_parts;
  uint64_t bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t s = 0; s < num_streams; s++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    uint64_t begin = s * records->stream_parts, end = begin + records->stream_parts;
    qn_edge_stream_open(&stream, reading->list, *reading->sequence + s);
    uint64_t found =
        push_parts(reading, records, begin, end < num_parts ? end : num_parts, &stream);
    bad = found < bad ? found : bad;
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    if (failed) {
#pragma omp critical(pairs_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *reading->sequence += num_streams;
  *bad_record = bad;
  return status;
}

/* Whole records. */
static enum qn_status push_block(struct reading *reading, const char *begin, uint64_t count,
                                 struct qn_error *error) {
  const struct pairs *pairs = &reading->pairs;
  uint32_t part_records =
      qn_edge_view_capacity(pairs->wants_weights ? pairs->record.weight : QN_WEIGHT_NONE);
  uint64_t stream_parts = count / part_records / ((uint64_t)qn_threads() * 16), bad;
  stream_parts = stream_parts < 2 ? 2 : stream_parts > 32 ? 32 : stream_parts;
  struct records *records;
  enum qn_status status = qn_alloc(&records, 1, sizeof *records, "a view of records", error);
  if (status)
    return status;
  *records = (struct records){*pairs, begin, count, part_records, (uint32_t)stream_parts};
  qn_edge_list_weights_are_binary(reading->list, pairs->record.weight);
  if (qn_input_stays(reading->input) &&
      (status = qn_edge_list_keep(reading->list, records, qn_free, error))) {
    qn_free(records);
    return status;
  }
  status = push_all(reading, records, &bad, error);
  if (!qn_input_stays(reading->input))
    qn_free(records);
  if (!status && bad != UINT64_MAX)
    return fail_record(reading, begin, bad, error);
  reading->num_edges += count;
  reading->pairs.offset += count * qn_record_bytes(&pairs->record);
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

/* Leave of the content the records that begin in the part of the input that is wanted; a cut record
 * at its end is of the last part. */
static void leave_part(struct reading *reading, struct qn_input_block *block) {
  uint64_t begin, end, bytes = qn_record_bytes(&reading->pairs.record);
  if (!qn_input_part(reading->input, &begin, &end) || block->bytes == 0)
    return;
  uint64_t first = begin / bytes * bytes + (begin % bytes ? bytes : 0);
  uint64_t last = end / bytes * bytes + (end % bytes ? bytes : 0);
  first = first < block->bytes ? first : block->bytes;
  last = end < block->bytes && last < block->bytes ? last : block->bytes;
  reading->first = first / bytes;
  reading->pairs.offset = first;
  block->data += first;
  block->bytes = last - first;
}

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
  while (!(status = qn_input_next(input, &block, error)) && block.bytes) {
    leave_part(&reading, &block);
    if ((status = take_block(&reading, &block, error)))
      return status;
  }
  if (status)
    return status;
  if (reading.carried)
    return qn_binary_fail(pairs->file, pairs->offset, error,
                          "the file ends %u bytes after the start of a record of %u bytes",
                          reading.carried, bytes);
  snprintf(result->description, sizeof result->description, "%" PRIu64 " records of %s, %u bytes",
           reading.num_edges, qn_record_text(&pairs->record, text), bytes);
  result->keeps_input = qn_input_stays(input);
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
    .divides = true,
};
