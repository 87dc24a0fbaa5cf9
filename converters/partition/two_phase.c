#include "converters/partition/edges.h"

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/ids.h>
#include <quern/inline.h>

/* Vertices between two reports of progress; edges whose endpoints are fetched ahead, and whose
 * clusters. */
enum { STEP = 1 << 12, AHEAD = 16, CLUSTERS_AHEAD = 8 };

struct stream {
  const struct qn_graph *graph;
  const struct qn_part_column *parts;
  uint64_t num_vertices;
  uint64_t capacity;    /* of a part, in edges */
  uint64_t most_volume; /* of a cluster */
  uint32_t *degrees;    /* [V] */
  uint32_t *clusters;   /* [V] of a vertex */
  uint64_t *volumes;    /* [V] of a cluster: the sum of its vertices' degrees */
  uint32_t *homes;      /* [V] the part that a vertex's cluster is mapped to */
  struct qn_replicas replicas;
  struct qn_part_sizes sizes;
};

/* ---- First phase: clusters -------------------------------------------------- */

/* The endpoint whose cluster is less without it joins the other's. */
static void cluster_edge(struct stream *stream, uint64_t u, uint64_t v) {
  const uint64_t of_u = stream->clusters[u], of_v = stream->clusters[v];
  uint64_t *volumes = stream->volumes;
  if (of_u == of_v || volumes[of_u] > stream->most_volume || volumes[of_v] > stream->most_volume)
    return;
  const bool u_moves = volumes[of_u] - stream->degrees[u] <= volumes[of_v] - stream->degrees[v];
  const uint64_t moving = u_moves ? u : v, from = u_moves ? of_u : of_v, to = u_moves ? of_v : of_u;
  const uint64_t degree = stream->degrees[moving];
  if (volumes[to] + degree > stream->most_volume)
    return;
  volumes[to] += degree;
  volumes[from] -= degree;
  stream->clusters[moving] = (uint32_t)to;
}

/* Clusters to parts by Graham's list scheduling: the largest first, each to the part that has least
 * volume until then. */
static enum qn_status map_clusters(struct stream *stream, uint64_t num_parts,
                                   struct qn_error *error) {
  struct qn_part_sizes volumes = {0};
  const uint64_t count = stream->num_vertices;
  uint64_t *keys = NULL;
  uint32_t *order = NULL, *of_clusters = NULL;
  enum qn_status status = qn_part_sizes_create(num_parts, &volumes, error);
  if (!status)
    status = qn_pages_alloc(&keys, count, sizeof *keys, "clusters", error);
  for (uint64_t i = 0; i < count && !status; i++)
    keys[i] = UINT64_MAX - stream->volumes[i];
  const struct qn_ids descending = {.kind = QN_IDS_NUMBERS, .num_vertices = count, .numbers = keys};
  if (!status)
    status = qn_ids_original_order(&descending, &order, error);
  qn_pages_free(keys, count, sizeof *keys);
  if (!status)
    status = qn_pages_alloc(&of_clusters, count, sizeof *of_clusters, "clusters", error);
  for (uint64_t i = 0; i < count && !status; i++) {
    const uint64_t cluster = order[i];
    of_clusters[cluster] = qn_part_sizes_least(&volumes);
    qn_part_sizes_add(&volumes, of_clusters[cluster], stream->volumes[cluster]);
  }
  for (uint64_t v = 0; v < count && !status; v++)
    stream->homes[v] = of_clusters[stream->clusters[v]];
  qn_pages_free(of_clusters, count, sizeof *of_clusters);
  qn_pages_free(order, count, sizeof *order);
  qn_part_sizes_destroy(&volumes);
  return status;
}

/* ---- Second phase: parts ---------------------------------------------------- */

static uint32_t hash(uint64_t vertex, uint64_t num_parts) {
  return (uint32_t)((vertex * UINT64_C(0x9E3779B97F4A7C15) >> 32) % num_parts);
}

/* Where the part is full, that of a hash of the endpoint with the higher degree; where that is full
 * too, the least. */
static void place(struct stream *stream, uint64_t edge, uint64_t u, uint64_t v, uint32_t part) {
  const struct qn_part_sizes *sizes = &stream->sizes;
  if (sizes->of[part] >= stream->capacity)
    part = hash(stream->degrees[u] >= stream->degrees[v] ? u : v, sizes->num_parts);
  if (sizes->of[part] >= stream->capacity)
    part = qn_part_sizes_least(sizes);
  qn_part_set(stream->parts, edge, part);
  qn_replicas_add(&stream->replicas, u, part);
  qn_replicas_add(&stream->replicas, v, part);
  qn_part_sizes_add(&stream->sizes, part, 1);
}

static void place_edge_within(struct stream *stream, uint64_t edge, uint64_t u, uint64_t v) {
  const uint32_t part = stream->homes[u];
  if (part == stream->homes[v])
    place(stream, edge, u, v, part);
}

/* What an endpoint is worth to the part that its cluster is mapped to, `home`, or the other's: if
 * it is there already, 1 and what the other has of both degrees; at home its cluster's share of
 * both volumes. */
static double worth_of(const struct stream *stream, uint64_t v, uint64_t other, uint32_t part) {
  const double degree = stream->degrees[v], other_degree = stream->degrees[other];
  const double volume = (double)stream->volumes[stream->clusters[v]];
  const double other_volume = (double)stream->volumes[stream->clusters[other]];
  double worth = 0;
  if (qn_replicas_has(&stream->replicas, v, part))
    worth = 1 + other_degree / (degree + other_degree);
  if (stream->homes[v] == part)
    worth += volume / (volume + other_volume);
  return worth;
}

static void place_edge_between(struct stream *stream, uint64_t edge, uint64_t u, uint64_t v) {
  const uint32_t of_u = stream->homes[u], of_v = stream->homes[v];
  if (of_u == of_v)
    return;
  const double at_u = worth_of(stream, u, v, of_u) + worth_of(stream, v, u, of_u);
  const double at_v = worth_of(stream, u, v, of_v) + worth_of(stream, v, u, of_v);
  const bool u_is_less = qn_part_is_less(&stream->sizes, of_u, of_v);
  place(stream, edge, u, v, at_u > at_v || (at_u == at_v && u_is_less) ? of_u : of_v);
}

/* ---- The whole -------------------------------------------------------------- */

enum step { CLUSTER, PLACE_WITHIN, PLACE_BETWEEN };

/* Within its caller: gcc takes a function that only prefetches for one that does nothing. */
QN_ALWAYS_INLINE void fetch(const struct stream *stream, enum step step, uint64_t v) {
  if (step != CLUSTER)
    __builtin_prefetch(&stream->homes[v]);
  if (step != PLACE_WITHIN) {
    __builtin_prefetch(&stream->clusters[v]);
    __builtin_prefetch(&stream->degrees[v]);
  }
  if (step == PLACE_BETWEEN)
    __builtin_prefetch(&stream->replicas.bits[v * stream->replicas.stride]);
}

QN_ALWAYS_INLINE void do_row(struct stream *stream, enum step step, uint64_t u) {
  const uint32_t *columns = stream->graph->out.column_indices;
  const uint64_t num_edges = stream->graph->out.num_edges;
  uint64_t edge, last;
  qn_own_edges(stream->graph, u, &edge, &last);
  for (; edge < last; edge++) {
    const uint64_t v = columns[edge];
    if (edge + AHEAD < num_edges)
      fetch(stream, step, columns[edge + AHEAD]);
    if (step != PLACE_WITHIN && edge + CLUSTERS_AHEAD < num_edges)
      __builtin_prefetch(&stream->volumes[stream->clusters[columns[edge + CLUSTERS_AHEAD]]]);
    if (step == CLUSTER)
      cluster_edge(stream, u, v);
    else if (step == PLACE_WITHIN)
      place_edge_within(stream, edge, u, v);
    else
      place_edge_between(stream, edge, u, v);
  }
}

static enum qn_status pass(struct stream *stream, enum step step, struct qn_error *error) {
  static const char *const what[] = {"clustering", "partitioning clusters", "partitioning"};
  enum qn_status status = QN_OK;
  qn_progress_begin(what[step], "vertices", stream->num_vertices);
  for (uint64_t first = 0; first < stream->num_vertices && !status; first += STEP) {
    const uint64_t left = stream->num_vertices - first, count = left < STEP ? left : STEP;
    for (uint64_t v = first; v < first + count; v++)
      if (step == CLUSTER)
        do_row(stream, CLUSTER, v);
      else if (step == PLACE_WITHIN)
        do_row(stream, PLACE_WITHIN, v);
      else
        do_row(stream, PLACE_BETWEEN, v);
    qn_progress_add(count);
    status = qn_context_check(error);
  }
  qn_progress_end();
  return status;
}

/* A vertex is a cluster of its own. */
static void begin_clusters(struct stream *stream) {
  qn_partition_degrees(stream->graph, stream->degrees);
  for (uint64_t v = 0; v < stream->num_vertices; v++) {
    stream->clusters[v] = (uint32_t)v;
    stream->volumes[v] = stream->degrees[v];
  }
}

static enum qn_status stream_create(struct stream *stream, uint64_t num_parts,
                                    struct qn_error *error) {
  const uint64_t count = stream->num_vertices;
  enum qn_status status = qn_part_sizes_create(num_parts, &stream->sizes, error);
  if (!status)
    status = qn_replicas_create(count, num_parts, &stream->replicas, error);
  if (!status)
    status = qn_pages_alloc(&stream->degrees, count, sizeof *stream->degrees, "degrees", error);
  if (!status)
    status = qn_pages_alloc(&stream->clusters, count, sizeof *stream->clusters, "clusters", error);
  if (!status)
    status = qn_pages_alloc(&stream->volumes, count, sizeof *stream->volumes, "clusters", error);
  if (!status)
    status = qn_pages_alloc(&stream->homes, count, sizeof *stream->homes, "clusters", error);
  return status;
}

static void stream_destroy(struct stream *stream) {
  const uint64_t count = stream->num_vertices;
  qn_pages_free(stream->degrees, count, sizeof *stream->degrees);
  qn_pages_free(stream->clusters, count, sizeof *stream->clusters);
  qn_pages_free(stream->volumes, count, sizeof *stream->volumes);
  qn_pages_free(stream->homes, count, sizeof *stream->homes);
  qn_replicas_destroy(&stream->replicas);
  qn_part_sizes_destroy(&stream->sizes);
}

enum qn_status qn_partition_2psl(const struct qn_graph *graph,
                                 const struct qn_partition_options *options,
                                 const struct qn_part_column *parts, struct qn_error *error) {
  const uint64_t num_edges = qn_count_edges_once(graph);
  struct stream stream = {.graph = graph,
                          .parts = parts,
                          .num_vertices = graph->out.num_vertices,
                          .capacity = qn_partition_capacity(options, num_edges),
                          .most_volume = 2 * num_edges / options->num_parts};
  enum qn_status status = stream_create(&stream, options->num_parts, error);
  if (!status) {
    begin_clusters(&stream);
    status = pass(&stream, CLUSTER, error);
  }
  if (!status)
    status = map_clusters(&stream, options->num_parts, error);
  if (!status)
    status = pass(&stream, PLACE_WITHIN, error);
  if (!status)
    status = pass(&stream, PLACE_BETWEEN, error);
  stream_destroy(&stream);
  return status;
}
