#include "converters/partition/edges.h"

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/ids.h>
#include <quern/inline.h>

/* Vertices between two reports of progress; edges whose endpoints are fetched ahead, and whose
 * clusters. */
enum { STEP = 1 << 12, AHEAD = 16, CLUSTERS_AHEAD = 8 };

/* A vertex of the first phase. */
struct member {
  uint32_t cluster, degree;
};

/* And of the second. */
struct homed {
  double volume; /* of its cluster: the sum of degrees there */
  uint32_t degree;
  uint32_t part; /* that its cluster is mapped to */
};

struct stream {
  const struct qn_graph *graph;
  const struct qn_part_column *parts;
  uint64_t num_vertices;
  uint64_t capacity;      /* of a part, in edges */
  uint64_t most_volume;   /* of a cluster */
  struct member *members; /* [V] */
  uint64_t *volumes;      /* [V] of a cluster */
  struct homed *homes;    /* [V] */
  struct qn_replicas replicas;
  struct qn_part_sizes sizes;
};

static void free_members(struct stream *stream) {
  qn_pages_free(stream->members, stream->num_vertices, sizeof *stream->members);
  qn_pages_free(stream->volumes, stream->num_vertices, sizeof *stream->volumes);
  stream->members = NULL;
  stream->volumes = NULL;
}

/* ---- First phase: clusters -------------------------------------------------- */

/* The endpoint whose cluster is less without it joins the other's. */
static void cluster_edge(struct stream *stream, uint64_t u, uint64_t v) {
  const struct member at_u = stream->members[u], at_v = stream->members[v];
  uint64_t *volumes = stream->volumes;
  if (at_u.cluster == at_v.cluster)
    return;
  const uint64_t of_u = volumes[at_u.cluster], of_v = volumes[at_v.cluster];
  if (of_u > stream->most_volume || of_v > stream->most_volume)
    return;
  const bool u_moves = of_u - at_u.degree <= of_v - at_v.degree;
  const struct member moving = u_moves ? at_u : at_v, joined = u_moves ? at_v : at_u;
  if (volumes[joined.cluster] + moving.degree > stream->most_volume)
    return;
  volumes[joined.cluster] += moving.degree;
  volumes[moving.cluster] -= moving.degree;
  stream->members[u_moves ? u : v].cluster = joined.cluster;
}

/* Clusters to parts by Graham's list scheduling: the largest first, each to the part that has least
 * volume until then. */
static enum qn_status map_clusters(const struct stream *stream, uint32_t *of_clusters,
                                   struct qn_error *error) {
  struct qn_part_sizes volumes = {0};
  const uint64_t count = stream->num_vertices;
  uint64_t *keys = NULL;
  uint32_t *order = NULL;
  enum qn_status status = qn_part_sizes_create(stream->sizes.num_parts, &volumes, error);
  if (!status)
    status = qn_pages_alloc(&keys, count, sizeof *keys, "clusters", error);
  for (uint64_t i = 0; i < count && !status; i++)
    keys[i] = UINT64_MAX - stream->volumes[i];
  const struct qn_ids descending = {.kind = QN_IDS_NUMBERS, .num_vertices = count, .numbers = keys};
  if (!status)
    status = qn_ids_original_order(&descending, &order, error);
  qn_pages_free(keys, count, sizeof *keys);
  for (uint64_t i = 0; i < count && !status; i++) {
    const uint64_t cluster = order[i];
    of_clusters[cluster] = qn_part_sizes_least(&volumes);
    qn_part_sizes_add(&volumes, of_clusters[cluster], stream->volumes[cluster]);
  }
  qn_pages_free(order, count, sizeof *order);
  qn_part_sizes_destroy(&volumes);
  return status;
}

/* What the second phase needs of the first, which is given back. */
static enum qn_status map_vertices(struct stream *stream, struct qn_error *error) {
  const uint64_t count = stream->num_vertices;
  uint32_t *of_clusters;
  enum qn_status status =
      qn_pages_alloc(&of_clusters, count, sizeof *of_clusters, "clusters", error);
  if (!status)
    status = map_clusters(stream, of_clusters, error);
  if (!status)
    status = qn_pages_alloc(&stream->homes, count, sizeof *stream->homes, "clusters", error);
  for (uint64_t v = 0; v < count && !status; v++) {
    const struct member *member = &stream->members[v];
    stream->homes[v] = (struct homed){.volume = (double)stream->volumes[member->cluster],
                                      .degree = member->degree,
                                      .part = of_clusters[member->cluster]};
  }
  qn_pages_free(of_clusters, count, sizeof *of_clusters);
  free_members(stream);
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
    part = hash(stream->homes[u].degree >= stream->homes[v].degree ? u : v, sizes->num_parts);
  if (sizes->of[part] >= stream->capacity)
    part = qn_part_sizes_least(sizes);
  qn_part_set(stream->parts, edge, part);
  qn_replicas_add(&stream->replicas, u, part);
  qn_replicas_add(&stream->replicas, v, part);
  qn_part_sizes_add(&stream->sizes, part, 1);
}

static void place_edge_within(struct stream *stream, uint64_t edge, uint64_t u, uint64_t v) {
  const uint32_t part = stream->homes[u].part;
  if (part == stream->homes[v].part)
    place(stream, edge, u, v, part);
}

/* What an endpoint that is in a part already is worth to it: 1 and what the other has of both
 * degrees, `share`. */
static double worth_of(const struct stream *stream, uint64_t v, double share, uint32_t part) {
  return qn_replicas_has(&stream->replicas, v, part) ? 1 + share : 0;
}

/* The part that an endpoint's cluster is mapped to is worth what both are to it, and the cluster's
 * share of both volumes. */
static void place_edge_between(struct stream *stream, uint64_t edge, uint64_t u, uint64_t v) {
  const struct homed *home_u = &stream->homes[u], *home_v = &stream->homes[v];
  const uint32_t of_u = home_u->part, of_v = home_v->part;
  if (of_u == of_v)
    return;
  const double degree_u = home_u->degree, degree_v = home_v->degree;
  const double volume_u = home_u->volume, volume_v = home_v->volume;
  const double share_u = degree_v / (degree_u + degree_v),
               share_v = degree_u / (degree_v + degree_u);
  const double at_u = (worth_of(stream, u, share_u, of_u) + volume_u / (volume_u + volume_v)) +
                      worth_of(stream, v, share_v, of_u);
  const double at_v = worth_of(stream, u, share_u, of_v) +
                      (worth_of(stream, v, share_v, of_v) + volume_v / (volume_v + volume_u));
  const bool u_is_less = qn_part_is_less(&stream->sizes, of_u, of_v);
  place(stream, edge, u, v, at_u > at_v || (at_u == at_v && u_is_less) ? of_u : of_v);
}

/* ---- The whole -------------------------------------------------------------- */

enum step { CLUSTER, PLACE_WITHIN, PLACE_BETWEEN };

/* Within its caller: gcc takes a function that only prefetches for one that does nothing. */
QN_ALWAYS_INLINE void fetch(const struct stream *stream, enum step step, uint64_t v) {
  if (step == CLUSTER)
    __builtin_prefetch(&stream->members[v]);
  else
    __builtin_prefetch(&stream->homes[v]);
  if (step == PLACE_BETWEEN)
    qn_replicas_prefetch(&stream->replicas, v);
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
    if (step == CLUSTER && edge + CLUSTERS_AHEAD < num_edges)
      __builtin_prefetch(&stream->volumes[stream->members[columns[edge + CLUSTERS_AHEAD]].cluster]);
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
static enum qn_status begin_clusters(struct stream *stream, struct qn_error *error) {
  const uint64_t count = stream->num_vertices;
  uint32_t *degrees = NULL;
  enum qn_status status =
      qn_pages_alloc(&stream->members, count, sizeof *stream->members, "clusters", error);
  if (!status)
    status = qn_pages_alloc(&stream->volumes, count, sizeof *stream->volumes, "clusters", error);
  if (!status)
    status = qn_pages_alloc(&degrees, count, sizeof *degrees, "degrees", error);
  if (!status)
    qn_partition_degrees(stream->graph, degrees);
  for (uint64_t v = 0; v < count && !status; v++) {
    stream->members[v] = (struct member){(uint32_t)v, degrees[v]};
    stream->volumes[v] = degrees[v];
  }
  qn_pages_free(degrees, count, sizeof *degrees);
  return status;
}

static void stream_destroy(struct stream *stream) {
  free_members(stream);
  qn_pages_free(stream->homes, stream->num_vertices, sizeof *stream->homes);
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
  enum qn_status status = qn_part_sizes_create(options->num_parts, &stream.sizes, error);
  if (!status)
    status = begin_clusters(&stream, error);
  if (!status)
    status = pass(&stream, CLUSTER, error);
  if (!status)
    status = map_vertices(&stream, error);
  if (!status)
    status = qn_replicas_create(stream.num_vertices, options->num_parts, &stream.replicas, error);
  if (!status)
    status = pass(&stream, PLACE_WITHIN, error);
  if (!status)
    status = pass(&stream, PLACE_BETWEEN, error);
  stream_destroy(&stream);
  return status;
}
