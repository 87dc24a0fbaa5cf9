#include "converters/arrays/edge_columns.h"

#include <string.h>

#include "support/progress.h"

/* Edges that are decoded at a time, and parts that one stream takes. */
#define SOME_EDGES ((uint64_t)256)
#define STREAM_PARTS 32

static bool is_plain_u32(const struct qn_number_array *array) {
  return array->kind == QN_NUMBERS_UNSIGNED && array->width == 4 && !array->big_endian;
}

/* What most arrays are, without a detour through 64 bits. */
static void join_u32(const struct qn_edge_columns *columns, uint64_t first, uint64_t count,
                     uint64_t *pairs) {
  const char *sources = columns->sources.data + 4 * first;
  const char *destinations = columns->destinations.data + 4 * first;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t source, destination;
    memcpy(&source, sources + 4 * i, 4);
    memcpy(&destination, destinations + 4 * i, 4);
    pairs[i] = source | (uint64_t)destination << 32;
  }
}

/* Push edges [first, first + count), which are few; gives the edge at fault, UINT64_MAX if none.
 */
static uint64_t push_some(const struct qn_edge_columns *columns, uint64_t first, uint64_t count,
                          struct qn_edge_stream *stream) {
  uint64_t sources[SOME_EDGES], destinations[SOME_EDGES], ids[2 * SOME_EDGES], good;
  uint64_t weights[SOME_EDGES]; /* an array of the type */
  if (columns->weight_type != QN_WEIGHT_NONE)
    qn_numbers_weights(&columns->weights, columns->weight_type, first, count, weights);
  if (!columns->alternate && is_plain_u32(&columns->sources) &&
      is_plain_u32(&columns->destinations)) {
    join_u32(columns, first, count, ids);
    qn_edge_push_pairs(stream, ids, columns->weight_type, weights, count);
    return UINT64_MAX;
  }
  if (!columns->alternate) {
    if ((good = qn_numbers_ids(&columns->sources, first, count, sources)) < count ||
        (good = qn_numbers_ids(&columns->destinations, first, count, destinations)) < count)
      return first + good;
  } else {
    if ((good = qn_numbers_ids(&columns->sources, 2 * first, 2 * count, ids)) < 2 * count)
      return first + good / 2;
    for (uint64_t i = 0; i < count; i++) {
      sources[i] = ids[2 * i];
      destinations[i] = ids[2 * i + 1];
    }
  }
  qn_edge_push_arrays(stream, sources, destinations, columns->weight_type, weights, count);
  return UINT64_MAX;
}

static uint64_t push_part(const void *context, uint64_t part, struct qn_edge_stream *stream) {
  const struct qn_edge_columns *columns = context;
  uint64_t edge = part * columns->part_edges, bad = UINT64_MAX;
  uint64_t left = columns->num_edges - edge;
  uint64_t last = left < columns->part_edges ? columns->num_edges : edge + columns->part_edges;
  for (; edge < last && bad == UINT64_MAX; edge += SOME_EDGES)
    bad = push_some(columns, edge, last - edge < SOME_EDGES ? last - edge : SOME_EDGES, stream);
  return bad;
}

/* May the list look at the columns again? */
static bool stays(const struct qn_edge_columns *columns) {
  return columns->sources.stays && (columns->alternate || columns->destinations.stays) &&
         (columns->weight_type == QN_WEIGHT_NONE || columns->weights.stays);
}

enum qn_status qn_edge_columns_push(const struct qn_edge_columns *columns,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    uint64_t *bad_edge, struct qn_error *error) {
  const struct qn_edge_view view = {push_part, columns};
  uint64_t num_parts = (columns->num_edges + columns->part_edges - 1) / columns->part_edges;
  uint64_t num_streams = (num_parts + STREAM_PARTS - 1) / STREAM_PARTS, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t s = 0; s < num_streams; s++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    uint64_t end = s + 1 < num_streams ? (s + 1) * STREAM_PARTS : num_parts, found = UINT64_MAX;
    qn_edge_stream_open(&stream, list, *sequence + s);
    for (uint64_t part = s * STREAM_PARTS; part < end && found == UINT64_MAX; part++)
      found = stays(columns) ? qn_edge_push_view(&stream, &view, part)
                             : push_part(columns, part, &stream);
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add((uint64_t)STREAM_PARTS * columns->part_edges * 2 * columns->sources.width);
    if (failed) {
#pragma omp critical(edge_columns_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_streams;
  *bad_edge = bad;
  return status;
}
