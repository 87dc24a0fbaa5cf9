#include "converters/partition/vertices.h"

#include <math.h>
#include <string.h>

#include "converters/partition/sizes.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"

/* Vertices between two reports of progress; neighbours whose parts are fetched ahead. */
enum { STEP = 1 << 14, AHEAD = 16 };

#define NO_PART UINT32_MAX

struct stream {
  const struct qn_neighbors *neighbors;
  bool ldg;
  uint64_t capacity; /* of a part */
  double factor;     /* Fennel: a part of n vertices costs so many times the root of n */
  struct qn_part_sizes sizes;
  uint32_t *parts;   /* [V] NO_PART: none yet */
  uint64_t *counts;  /* [K] neighbours in a part, of the vertex at hand; all zero between two */
  uint32_t *touched; /* [K] those that are not zero */
  double *costs;     /* [K] what joining a part costs by its size */
};

/* Fennel's cost of one more vertex, alpha gamma n^(gamma - 1), where gamma is 1.5 and alpha
 * sqrt(K) m / V^1.5 (section 4). */
static double cost_factor(double num_vertices, double num_edges, double num_parts) {
  return 1.5 * sqrt(num_parts) * num_edges / (num_vertices * sqrt(num_vertices));
}

static enum qn_status stream_create(struct stream *stream, uint64_t num_parts,
                                    struct qn_error *error) {
  enum qn_status status = qn_part_sizes_create(num_parts, &stream->sizes, error);
  if (!status)
    status = qn_pages_alloc(&stream->counts, num_parts, sizeof *stream->counts, "parts", error);
  if (!status)
    status = qn_pages_alloc(&stream->touched, num_parts, sizeof *stream->touched, "parts", error);
  if (!status)
    status = qn_pages_alloc(&stream->costs, num_parts, sizeof *stream->costs, "parts", error);
  return status;
}

static void stream_destroy(struct stream *stream) {
  const uint64_t num_parts = stream->sizes.num_parts;
  qn_pages_free(stream->counts, num_parts, sizeof *stream->counts);
  qn_pages_free(stream->touched, num_parts, sizeof *stream->touched);
  qn_pages_free(stream->costs, num_parts, sizeof *stream->costs);
  qn_part_sizes_destroy(&stream->sizes);
}

/* Count the neighbours of `v` by their parts. A loop is none. */
static uint64_t count_neighbors(struct stream *stream, uint64_t v) {
  const uint32_t *parts = stream->parts;
  uint64_t num_touched = 0;
  for (unsigned side = 0; side < stream->neighbors->num_rows; side++) {
    uint64_t count;
    const uint32_t *columns = qn_row_of(stream->neighbors->rows[side], v, &count);
    for (uint64_t i = 0; i < count; i++) {
      if (i + AHEAD < count)
        __builtin_prefetch(&parts[columns[i + AHEAD]]);
      const uint32_t part = parts[columns[i]];
      if (part == NO_PART || columns[i] == v)
        continue;
      if (stream->counts[part]++ == 0)
        stream->touched[num_touched++] = part;
    }
  }
  return num_touched;
}

/* How good it is to join a part that is not full. LDG weighs neighbours by the share of the part
 * that is free, here times its capacity. */
static double score_of(const struct stream *stream, uint32_t part) {
  const double count = (double)stream->counts[part];
  return stream->ldg ? count * (double)(stream->capacity - stream->sizes.of[part])
                     : count - stream->costs[part];
}

/* Of the parts without a neighbour the least is the best. */
static uint32_t choose(const struct stream *stream, uint64_t num_touched) {
  uint32_t best = qn_part_sizes_least(&stream->sizes);
  double best_score = score_of(stream, best);
  for (uint64_t i = 0; i < num_touched; i++) {
    const uint32_t part = stream->touched[i];
    if (stream->sizes.of[part] >= stream->capacity)
      continue;
    const double score = score_of(stream, part);
    if (score > best_score ||
        (score == best_score && qn_part_is_less(&stream->sizes, part, best))) {
      best = part;
      best_score = score;
    }
  }
  return best;
}

static void place(struct stream *stream, uint64_t v) {
  const uint64_t num_touched = count_neighbors(stream, v);
  const uint32_t part = choose(stream, num_touched);
  for (uint64_t i = 0; i < num_touched; i++)
    stream->counts[stream->touched[i]] = 0;
  stream->parts[v] = part;
  qn_part_sizes_add(&stream->sizes, part, 1);
  if (!stream->ldg)
    stream->costs[part] = stream->factor * sqrt((double)stream->sizes.of[part]);
}

static enum qn_status pass(struct stream *stream, uint64_t num_vertices, struct qn_error *error) {
  enum qn_status status = QN_OK;
  qn_part_sizes_clear(&stream->sizes);
  memset(stream->costs, 0, stream->sizes.num_parts * sizeof *stream->costs);
  for (uint64_t first = 0; first < num_vertices && !status; first += STEP) {
    const uint64_t left = num_vertices - first, count = left < STEP ? left : STEP;
    for (uint64_t v = first; v < first + count; v++)
      place(stream, v);
    qn_progress_add(count);
    status = qn_context_check(error);
  }
  return status;
}

enum qn_status qn_partition_vertices(const struct qn_graph *graph,
                                     const struct qn_neighbors *neighbors,
                                     const struct qn_partition_options *options, uint32_t *parts,
                                     struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  const double num_edges = (double)graph->out.num_edges;
  struct stream stream = {
      .neighbors = neighbors,
      .ldg = options->method == QN_PARTITION_LDG,
      .capacity = qn_partition_capacity(options, num_vertices),
      .factor = cost_factor((double)num_vertices,
                            graph->directedness == QN_UNDIRECTED ? num_edges / 2 : num_edges,
                            (double)options->num_parts),
      .parts = parts};
  enum qn_status status = stream_create(&stream, options->num_parts, error);
  for (uint64_t v = 0; v < num_vertices && !status; v++)
    parts[v] = NO_PART;
  qn_progress_begin("partitioning", "vertices", options->passes * num_vertices);
  for (uint64_t i = 0; i < options->passes && !status; i++)
    status = pass(&stream, num_vertices, error);
  qn_progress_end();
  stream_destroy(&stream);
  return status;
}
