#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "converters/graph/order.h"
#include "support/memory.h"
#include "support/progress.h"

/* A part has about so many vertices. */
#define PART_VERTICES 64

/* METIS's interface, the same since version 5.0 (its manual, section 5), but for the width of its
 * integers, which whoever builds it chooses. */
enum { METIS_DONE = 1, METIS_NO_MEMORY = -3, METIS_OPTIONS = 40 };
typedef int set_defaults_function(void *options);
typedef int partition_function(void *num_vertices, void *num_constraints, void *offsets,
                               void *neighbors, void *vertex_weights, void *vertex_sizes,
                               void *edge_weights, void *num_parts, void *part_weights,
                               void *imbalance, void *options, void *cut, void *parts);

struct metis {
  void *library;
  partition_function *partition;
  unsigned bytes; /* of an integer */
};

/* ---- The library -------------------------------------------------------------- */

/* METIS writes -1 into each of its options. */
static unsigned find_width(set_defaults_function *set_defaults) {
  uint32_t options[2 * METIS_OPTIONS] = {0};
  set_defaults(options);
  if (options[0] != UINT32_MAX || options[METIS_OPTIONS - 1] != UINT32_MAX)
    return 0;
  return options[METIS_OPTIONS] == UINT32_MAX ? 8 : 4;
}

static void metis_close(struct metis *metis) {
  if (metis->library)
    dlclose(metis->library);
}

static enum qn_status metis_open(struct metis *metis, struct qn_error *error) {
  set_defaults_function *set_defaults = NULL;
  *metis = (struct metis){.library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL)};
  if (!metis->library)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--relabel metis needs METIS 5 (Debian's package libmetis5): %s", dlerror());
  void *symbol = dlsym(metis->library, "METIS_SetDefaultOptions");
  memcpy(&set_defaults, &symbol, sizeof symbol);
  symbol = dlsym(metis->library, "METIS_PartGraphRecursive");
  memcpy(&metis->partition, &symbol, sizeof symbol);
  metis->bytes = set_defaults ? find_width(set_defaults) : 0;
  if (metis->bytes && metis->partition)
    return QN_OK;
  metis_close(metis);
  return qn_fail(error, QN_UNSUPPORTED, "libmetis.so.5 is not METIS 5");
}

/* ---- The graph ---------------------------------------------------------------- */

/* Integers as METIS has them. */
struct numbers {
  void *at;
  uint64_t count;
  unsigned bytes;
};

static enum qn_status numbers_create(struct numbers *numbers, uint64_t count, unsigned bytes,
                                     struct qn_error *error) {
  *numbers = (struct numbers){.count = count, .bytes = bytes};
  return qn_pages_alloc(&numbers->at, count, bytes, "the graph for METIS", error);
}

static void numbers_destroy(struct numbers *numbers) {
  qn_pages_free(numbers->at, numbers->count, numbers->bytes);
}

static void set_number(const struct numbers *numbers, uint64_t place, uint64_t value) {
  if (numbers->bytes == 4)
    ((uint32_t *)numbers->at)[place] = (uint32_t)value;
  else
    ((uint64_t *)numbers->at)[place] = value;
}

static uint64_t get_number(const struct numbers *numbers, uint64_t place) {
  return numbers->bytes == 4 ? ((const uint32_t *)numbers->at)[place]
                             : ((const uint64_t *)numbers->at)[place];
}

struct adjacency {
  struct numbers offsets, neighbors; /* of both directions, no loops */
};

/* For both ends of each edge once: a directed graph's, or each direction of an undirected one's. */
static void count_ends(const struct qn_graph *graph, uint64_t *counts) {
  const struct qn_csr *out = &graph->out;
  const bool turns = graph->directedness != QN_UNDIRECTED;
  for (uint64_t v = 0; v < out->num_vertices; v++)
    for (uint64_t edge = out->row_offsets[v]; edge < out->row_offsets[v + 1]; edge++) {
      const uint32_t other = out->column_indices[edge];
      if (other == v)
        continue;
      counts[v]++;
      if (turns)
        counts[other]++;
    }
}

/* `places` are where rows begin, and become where they end. A file that is overwritten meanwhile
 * may have more ends than were counted. */
static void fill_neighbors(const struct qn_graph *graph, uint64_t *places,
                           const struct numbers *neighbors) {
  const struct qn_csr *out = &graph->out;
  const bool turns = graph->directedness != QN_UNDIRECTED;
  for (uint64_t v = 0; v < out->num_vertices; v++)
    for (uint64_t edge = out->row_offsets[v]; edge < out->row_offsets[v + 1]; edge++) {
      const uint32_t other = out->column_indices[edge];
      if (other == v || other >= out->num_vertices || places[v] >= neighbors->count ||
          places[other] >= neighbors->count)
        continue;
      set_number(neighbors, places[v]++, other);
      if (turns)
        set_number(neighbors, places[other]++, v);
    }
}

static enum qn_status check_width(const struct metis *metis, uint64_t num_vertices,
                                  uint64_t num_ends, struct qn_error *error) {
  const uint64_t most = metis->bytes == 4 ? INT32_MAX : INT64_MAX;
  if (num_ends <= most && num_vertices < most)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "this libmetis.so.5 counts to 2^31 - 1, and the graph has %llu edge endpoints; "
                 "--relabel llp and rcm have no such limit",
                 (unsigned long long)num_ends);
}

/* A running sum of `places`; its total. */
static uint64_t sum_up(uint64_t *places, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t v = 0; v < count; v++) {
    const uint64_t size = places[v];
    places[v] = sum;
    sum += size;
  }
  return sum;
}

static enum qn_status adjacency_create(const struct metis *metis, const struct qn_graph *graph,
                                       struct adjacency *adjacency, struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  uint64_t *places;
  enum qn_status status =
      qn_pages_alloc(&places, num_vertices + 1, sizeof *places, "places of edges", error);
  if (status)
    return status;
  count_ends(graph, places);
  const uint64_t num_ends = sum_up(places, num_vertices + 1);
  status = check_width(metis, num_vertices, num_ends, error);
  if (!status)
    status = numbers_create(&adjacency->offsets, num_vertices + 1, metis->bytes, error);
  if (!status)
    status = numbers_create(&adjacency->neighbors, num_ends, metis->bytes, error);
  if (!status) {
    for (uint64_t v = 0; v <= num_vertices; v++)
      set_number(&adjacency->offsets, v, places[v]);
    fill_neighbors(graph, places, &adjacency->neighbors);
    if (places[num_vertices] != num_ends || (num_vertices && places[num_vertices - 1] != num_ends))
      status = qn_fail(error, QN_SYSTEM, "the graph changes while it is read");
  }
  qn_pages_free(places, num_vertices + 1, sizeof *places);
  return status;
}

/* ---- The order ---------------------------------------------------------------- */

static enum qn_status partition(const struct metis *metis, const struct adjacency *adjacency,
                                uint64_t num_parts, const struct numbers *parts,
                                struct qn_error *error) {
  uint64_t wide[] = {parts->count, 1, num_parts, 0}; /* the last: edges cut */
  uint32_t narrow[] = {(uint32_t)parts->count, 1, (uint32_t)num_parts, 0};
  char *at = metis->bytes == 4 ? (char *)narrow : (char *)wide;
  qn_progress_begin("partitioning by METIS", "", 0);
  const int done = metis->partition(
      at, at + metis->bytes, adjacency->offsets.at, adjacency->neighbors.at, NULL, NULL, NULL,
      at + (size_t)2 * metis->bytes, NULL, NULL, NULL, at + (size_t)3 * metis->bytes, parts->at);
  qn_progress_end();
  if (done == METIS_DONE)
    return QN_OK;
  return done == METIS_NO_MEMORY
             ? qn_fail(error, QN_SYSTEM, "METIS has not enough memory for this graph")
             : qn_fail(error, QN_SYSTEM, "METIS fails on this graph (%d)", done);
}

static enum qn_status order_by_parts(const struct numbers *parts, uint64_t num_parts,
                                     uint32_t *order, struct qn_error *error) {
  struct qn_vertex_groups groups = {.num_vertices = parts->count, .num_groups = num_parts};
  enum qn_status status =
      qn_pages_alloc(&groups.of, parts->count, sizeof *groups.of, "parts of vertices", error);
  for (uint64_t v = 0; v < parts->count && !status; v++) {
    const uint64_t part = get_number(parts, v);
    groups.of[v] = (uint32_t)part;
    if (part >= num_parts)
      status = qn_fail(error, QN_SYSTEM, "METIS gives a part that there is not");
  }
  if (!status)
    status = qn_order_groups(&groups, order, error);
  qn_pages_free(groups.of, parts->count, sizeof *groups.of);
  return status;
}

enum qn_status qn_order_metis(const struct qn_graph *graph, uint32_t *order,
                              struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  const uint64_t num_parts = num_vertices / PART_VERTICES + 1;
  struct adjacency adjacency = {0};
  struct numbers parts = {0};
  struct metis metis;
  enum qn_status status = metis_open(&metis, error);
  if (status)
    return status;
  status = adjacency_create(&metis, graph, &adjacency, error);
  if (!status)
    status = numbers_create(&parts, num_vertices, metis.bytes, error);
  /* Else all are in part 0. */
  if (!status && num_parts > 1 && adjacency.neighbors.count > 0)
    status = partition(&metis, &adjacency, num_parts, &parts, error);
  if (!status)
    status = order_by_parts(&parts, num_parts, order, error);
  numbers_destroy(&parts);
  numbers_destroy(&adjacency.offsets);
  numbers_destroy(&adjacency.neighbors);
  metis_close(&metis);
  return status;
}
