/* Builds the shards layout: the in-edges go into their sections first, copied or by transposing the
 * out-edges; then they are cut into shards and pages, and every edge's destination offset is put
 * beside it. */
#include "partitioner/shards.h"

#include <inttypes.h>
#include <string.h>

#include "support/memory.h"
#include <quern/transpose.h>

struct build {
  struct qn_csr in; /* in its sections */
  const struct qn_graph *graph;
  struct qn_shards_arrays arrays;
  uint64_t max_shard_vertices;
  uint64_t shared_bytes;
  uint64_t page_bytes;
  uint64_t num_shards, num_pages;
  uint32_t *vertex_offsets; /* [num_shards + 1] */
  uint64_t capacity;        /* of vertex_offsets */
  uint32_t *page_shards;    /* [num_pages + 1] */
};

/* ---- Shards ------------------------------------------------------------------ */

static uint64_t edges_between(const struct qn_csr *in, uint64_t begin, uint64_t end) {
  return in->row_offsets[end] - in->row_offsets[begin];
}

/* Where the shard that begins at vertex `begin` ends. With R replicas of each the shared memory
 * holds so many vertices: take the least R that is enough for the degrees of these vertices. */
static uint64_t shard_end(const struct build *build, uint64_t begin) {
  const struct qn_csr *in = &build->in;
  uint64_t left = in->num_vertices - begin;
  for (uint32_t replication = 1;; replication *= 2) {
    uint64_t count = build->max_shard_vertices;
    if (build->shared_bytes) {
      uint64_t fit = build->shared_bytes / (replication * QN_SH_VALUE_BYTES);
      count = fit < count ? fit : count;
    }
    count = count < left ? count : left;
    uint64_t end = begin + count;
    if (!build->shared_bytes || replication == QN_SH_MAX_REPLICATION ||
        qn_sh_replication(edges_between(in, begin, end), count) <= replication)
      return end;
  }
}

static enum qn_status cut_shards(struct build *build, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t vertex = 0;; build->num_shards++) {
    if (build->num_shards == build->capacity) {
      build->capacity = 2 * build->capacity + 1024;
      status = qn_realloc(&build->vertex_offsets, build->capacity, sizeof *build->vertex_offsets,
                          "bounds of shards", error);
      if (status)
        return status;
    }
    build->vertex_offsets[build->num_shards] = (uint32_t)vertex;
    if (vertex == build->in.num_vertices)
      return QN_OK;
    vertex = shard_end(build, vertex);
  }
}

/* ---- Pages ------------------------------------------------------------------- */

static uint64_t shard_edges(const struct build *build, uint64_t first, uint64_t last) {
  return edges_between(&build->in, build->vertex_offsets[first], build->vertex_offsets[last]);
}

/* A page holds at least the largest shard: the default grows to that, a size asked for must not be
 * less. */
static enum qn_status choose_page_bytes(struct build *build, uint64_t wanted,
                                        struct qn_error *error) {
  uint64_t edge_bytes = qn_sh_edge_bytes(build->in.weights.type), largest = 0, shard = 0;
  for (uint64_t s = 0; s < build->num_shards; s++)
    if (shard_edges(build, s, s + 1) > largest)
      largest = shard_edges(build, shard = s, s + 1);
  uint64_t bytes = largest * edge_bytes;
  build->page_bytes = wanted ? wanted : QN_SH_DEFAULT_PAGE_BYTES;
  if (bytes <= build->page_bytes)
    return QN_OK;
  if (wanted)
    return qn_fail(error, QN_USAGE,
                   "shard %" PRIu64 " has %" PRIu64 " edges in %" PRIu64 " bytes, %" PRIu64
                   " more than a page of %" PRIu64 ": use --page-bytes %" PRIu64
                   " or more, or smaller shards",
                   shard, largest, bytes, bytes - wanted, wanted, bytes);
  build->page_bytes = bytes;
  return QN_OK;
}

static enum qn_status cut_pages(struct build *build, struct qn_error *error) {
  uint64_t max_edges = build->page_bytes / qn_sh_edge_bytes(build->in.weights.type);
  enum qn_status status = qn_alloc(&build->page_shards, build->num_shards + 1,
                                   sizeof *build->page_shards, "bounds of pages", error);
  if (status)
    return status;
  build->page_shards[0] = 0;
  for (uint64_t first = 0; first < build->num_shards;) {
    uint64_t last = first + 1;
    while (last < build->num_shards && shard_edges(build, first, last + 1) <= max_edges)
      last++;
    build->page_shards[++build->num_pages] = (uint32_t)last;
    first = last;
  }
  return QN_OK;
}

/* ---- Sections ----------------------------------------------------------------- */

/* Copy by all threads; the parts are cut at whole pages, which one thread each touches first. */
static void copy_array(void *to, const void *from, uint64_t bytes) {
  const uint64_t step = (uint64_t)1 << 20;
#pragma omp parallel for schedule(static)
  for (uint64_t begin = 0; begin < bytes; begin += step) {
    uint64_t count = bytes - begin < step ? bytes - begin : step;
    memcpy((uint8_t *)to + begin, (const uint8_t *)from + begin, count);
  }
}

static enum qn_status write_in_edges(struct build *build, struct qn_writer *writer,
                                     struct qn_error *error) {
  const struct qn_graph *graph = build->graph;
  struct qn_shards_arrays *arrays = &build->arrays;
  uint64_t num_vertices = graph->out.num_vertices, num_edges = graph->out.num_edges;
  enum qn_status status = qn_shards_write_in_edges(writer, arrays, error);
  if (status)
    return status;
  if (graph->has_transpose) {
    copy_array(arrays->in_row_offsets, graph->in.row_offsets, 8 * (num_vertices + 1));
    copy_array(arrays->sources, graph->in.column_indices, 4 * num_edges);
    copy_array(arrays->weights, graph->in.weights.data,
               num_edges * qn_weight_bytes(graph->in.weights.type));
  } else {
    struct qn_graph_arrays sections = {.row_offsets = arrays->in_row_offsets,
                                       .column_indices = arrays->sources,
                                       .weights = arrays->weights};
    status = qn_csr_transpose(&graph->out, &sections, error);
  }
  build->in = (struct qn_csr){.num_vertices = num_vertices,
                              .num_edges = num_edges,
                              .row_offsets = arrays->in_row_offsets,
                              .column_indices = arrays->sources,
                              .weights = {.type = graph->out.weights.type}};
  return status;
}

/* The offsets are in their section, but what was copied there need not be what was checked. */
static void fill_shards(const struct build *build) {
  const uint64_t *rows = build->in.row_offsets, num_edges = build->in.num_edges;
  const struct qn_shards_arrays *arrays = &build->arrays;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t s = 0; s < build->num_shards; s++) {
    uint64_t first = build->vertex_offsets[s], last = build->vertex_offsets[s + 1];
    arrays->replication[s] = (uint8_t)qn_sh_replication(shard_edges(build, s, s + 1), last - first);
    for (uint64_t v = first; v < last; v++)
      for (uint64_t e = rows[v]; e < rows[v + 1] && e < num_edges; e++)
        arrays->destination_offsets[e] = (uint16_t)(v - first);
  }
}

static enum qn_status write_shards(struct build *build, struct qn_writer *writer,
                                   struct qn_error *error) {
  const struct qn_csr *out = &build->graph->out;
  uint64_t *parameters = qn_writer_info(writer)->parameters;
  struct qn_shards_arrays *arrays = &build->arrays;
  parameters[QN_SH_NUM_SHARDS] = build->num_shards;
  parameters[QN_SH_NUM_PAGES] = build->num_pages;
  parameters[QN_SH_MAX_SHARD_VERTICES] = build->max_shard_vertices;
  parameters[QN_SH_SHARED_BYTES] = build->shared_bytes;
  parameters[QN_SH_PAGE_BYTES] = build->page_bytes;
  enum qn_status status = qn_shards_write_shards(writer, arrays, error);
  if (status)
    return status;
  copy_array(arrays->vertex_offsets, build->vertex_offsets, 4 * (build->num_shards + 1));
  copy_array(arrays->page_shards, build->page_shards, 4 * (build->num_pages + 1));
  fill_shards(build);
  if (arrays->out_row_offsets) {
    copy_array(arrays->out_row_offsets, out->row_offsets, 8 * (out->num_vertices + 1));
    copy_array(arrays->out_destinations, out->column_indices, 4 * out->num_edges);
  }
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------------ */

static enum qn_status choose_limits(struct build *build, const struct qn_shards_options *options,
                                    struct qn_error *error) {
  if (options->shard_vertices > QN_SH_MAX_VERTICES)
    return qn_fail(error, QN_USAGE,
                   "shards of %" PRIu64 " vertices, %" PRIu64
                   " more than 16-bit offsets can tell apart: use --shard-vertices 65536 or less",
                   options->shard_vertices, options->shard_vertices - QN_SH_MAX_VERTICES);
  build->max_shard_vertices =
      options->shard_vertices ? options->shard_vertices : QN_SH_MAX_VERTICES;
  if (options->shard_vertices)
    return QN_OK;
  build->shared_bytes = options->shared_bytes ? options->shared_bytes : QN_SH_DEFAULT_SHARED_BYTES;
  uint64_t least = QN_SH_MAX_REPLICATION * QN_SH_VALUE_BYTES;
  if (build->shared_bytes < least)
    return qn_fail(error, QN_USAGE,
                   "%" PRIu64 " bytes of shared memory, %" PRIu64
                   " less than one vertex with %d replicas of %d bytes takes: use "
                   "--shared-memory %" PRIu64 " or more",
                   build->shared_bytes, least - build->shared_bytes, QN_SH_MAX_REPLICATION,
                   QN_SH_VALUE_BYTES, least);
  return QN_OK;
}

static json_t *used_options(const struct build *build) {
  json_t *used = json_object();
  if (build->shared_bytes)
    json_object_set_new(used, "shared_memory", json_integer((json_int_t)build->shared_bytes));
  else
    json_object_set_new(used, "shard_vertices",
                        json_integer((json_int_t)build->max_shard_vertices));
  json_object_set_new(used, "page_bytes", json_integer((json_int_t)build->page_bytes));
  return used;
}

enum qn_status qn_shards_build(struct qn_source *source, const void *untyped_options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error) {
  const struct qn_shards_options *options = untyped_options;
  struct build build = {.graph = &source->graph};
  enum qn_status status = choose_limits(&build, options, error);
  if (!status)
    status = write_in_edges(&build, writer, error);
  if (!status)
    status = cut_shards(&build, error);
  if (!status)
    status = choose_page_bytes(&build, options->page_bytes, error);
  if (!status)
    status = cut_pages(&build, error);
  if (!status)
    status = write_shards(&build, writer, error);
  if (!status)
    *used = used_options(&build);
  qn_free(build.page_shards);
  qn_free(build.vertex_offsets);
  return status;
}
