#include "converters/graph/subgraph.h"

#include <string.h>

#include "support/memory.h"
#include <quern/transpose.h>

/* The in-edges of a directed graph: its own, or made in `transposed`, which is to be unmapped. */
static enum qn_status find_in_edges(const struct qn_graph *graph, struct qn_graph *transposed,
                                    const struct qn_csr **in, struct qn_error *error) {
  *in = graph->has_transpose ? &graph->in : &transposed->out;
  return graph->has_transpose ? QN_OK : qn_graph_create_transpose(&graph->out, transposed, error);
}

/* ---- Egonets ---------------------------------------------------------------- */

/* A search that keeps those it found in a list, of which [begin, end) are the last level. */
struct ego_search {
  uint32_t *found; /* [V] */
  uint64_t begin, end;
  uint32_t *group;
};

static void find_neighbours(struct ego_search *search, const struct qn_csr *csr, uint32_t vertex) {
  for (uint64_t e = csr->row_offsets[vertex]; e < csr->row_offsets[vertex + 1]; e++) {
    uint32_t other = csr->column_indices[e];
    if (search->group[other] != QN_NO_GROUP)
      continue;
    search->group[other] = 0;
    search->found[search->end++] = other;
  }
}

static void search_hops(struct ego_search *search, const struct qn_csr *out,
                        const struct qn_csr *in, uint64_t hops) {
  for (uint64_t hop = 0; hop < hops && search->begin < search->end; hop++) {
    uint64_t end = search->end;
    for (; search->begin < end; search->begin++) {
      if (out)
        find_neighbours(search, out, search->found[search->begin]);
      if (in)
        find_neighbours(search, in, search->found[search->begin]);
    }
  }
}

enum qn_status qn_mark_egonet(const struct qn_graph *graph, uint32_t center, uint64_t hops,
                              enum qn_along along, struct qn_vertex_groups *groups,
                              struct qn_error *error) {
  struct ego_search search = {.end = 1, .group = groups->of};
  struct qn_graph transposed = {0};
  const struct qn_csr *in = NULL;
  bool wants_in = along != QN_ALONG_OUT && graph->directedness != QN_UNDIRECTED;
  enum qn_status status = qn_pages_alloc(&search.found, groups->num_vertices, sizeof *search.found,
                                         "vertices of the egonet", error);
  if (!status && wants_in)
    status = find_in_edges(graph, &transposed, &in, error);
  if (!status) {
    search.found[0] = center;
    search.group[center] = 0;
    search_hops(&search, along == QN_ALONG_IN && wants_in ? NULL : &graph->out, in, hops);
    groups->num_named = search.end;
    groups->num_groups = 1;
  }
  qn_graph_unmap(&transposed);
  qn_pages_free(search.found, groups->num_vertices, sizeof *search.found);
  return status;
}

/* ---- Cores ------------------------------------------------------------------ */

struct peeling {
  const struct qn_csr *out, *in; /* in: NULL for an undirected graph */
  uint64_t core;
  uint64_t *degrees; /* [V] edge ends at vertices that are left */
  uint32_t *removed; /* [count] */
  uint64_t count;
  uint32_t *group;
};

/* An edge of a directed graph counts at both its ends, a loop once. */
static uint64_t degree_of(const struct peeling *peeling, uint64_t v) {
  const struct qn_csr *out = peeling->out, *in = peeling->in;
  uint64_t degree = out->row_offsets[v + 1] - out->row_offsets[v];
  if (!in)
    return degree;
  degree += in->row_offsets[v + 1] - in->row_offsets[v];
  for (uint64_t e = out->row_offsets[v]; e < out->row_offsets[v + 1]; e++)
    degree -= out->column_indices[e] == v;
  return degree;
}

static void lower_row(struct peeling *peeling, const struct qn_csr *csr, uint32_t v) {
  for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
    const uint32_t other = csr->column_indices[e];
    if (peeling->group[other] == QN_NO_GROUP || --peeling->degrees[other] >= peeling->core)
      continue;
    peeling->group[other] = QN_NO_GROUP;
    peeling->removed[peeling->count++] = other;
  }
}

/* Take out whoever has too few edges, and then those whom that leaves too few. */
static void peel(struct peeling *peeling) {
  for (uint64_t v = 0; v < peeling->out->num_vertices; v++) {
    peeling->degrees[v] = degree_of(peeling, v);
    peeling->group[v] = peeling->degrees[v] < peeling->core ? QN_NO_GROUP : 0;
    if (peeling->degrees[v] < peeling->core)
      peeling->removed[peeling->count++] = (uint32_t)v;
  }
  for (uint64_t i = 0; i < peeling->count; i++) {
    lower_row(peeling, peeling->out, peeling->removed[i]);
    if (peeling->in)
      lower_row(peeling, peeling->in, peeling->removed[i]);
  }
}

enum qn_status qn_mark_core(const struct qn_graph *graph, uint64_t core,
                            struct qn_vertex_groups *groups, struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  struct peeling peeling = {.out = &graph->out, .core = core, .group = groups->of};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED)
    status = find_in_edges(graph, &transposed, &peeling.in, error);
  if (!status)
    status =
        qn_pages_alloc(&peeling.degrees, num_vertices, sizeof *peeling.degrees, "degrees", error);
  if (!status)
    status = qn_pages_alloc(&peeling.removed, num_vertices, sizeof *peeling.removed,
                            "removed vertices", error);
  if (!status) {
    peel(&peeling);
    groups->num_named = num_vertices - peeling.count;
    groups->num_groups = groups->num_named > 0;
  }
  qn_pages_free(peeling.degrees, num_vertices, sizeof *peeling.degrees);
  qn_pages_free(peeling.removed, num_vertices, sizeof *peeling.removed);
  qn_graph_unmap(&transposed);
  return status;
}

/* ---- Subgraphs -------------------------------------------------------------- */

struct extraction {
  const struct qn_csr *whole;
  const uint32_t *group;
  bool cross;
  uint32_t *new_of_old; /* [V], of those that stay */
  const uint32_t *old_of_new;
  uint64_t num_kept;
};

static bool edge_stays(const struct extraction *extraction, uint32_t source, uint64_t edge) {
  uint32_t group = extraction->group[extraction->whole->column_indices[edge]];
  return group != QN_NO_GROUP && (!extraction->cross || group != extraction->group[source]);
}

/* Number the vertices that stay, in their order. */
static void number_vertices(struct extraction *extraction, uint32_t *old_of_new) {
  uint64_t next = 0;
  for (uint64_t v = 0; v < extraction->whole->num_vertices; v++)
    if (extraction->group[v] != QN_NO_GROUP) {
      extraction->new_of_old[v] = (uint32_t)next;
      old_of_new[next++] = (uint32_t)v;
    }
}

/* Row lengths to row offsets; returns the number of edges. */
static uint64_t count_rows(const struct extraction *extraction, uint64_t *row_offsets) {
  const uint64_t *offsets = extraction->whole->row_offsets;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < extraction->num_kept; row++) {
    uint32_t source = extraction->old_of_new[row];
    uint64_t count = 0;
    for (uint64_t e = offsets[source]; e < offsets[source + 1]; e++)
      count += edge_stays(extraction, source, e);
    row_offsets[row + 1] = count;
  }
  row_offsets[0] = 0;
  for (uint64_t row = 0; row < extraction->num_kept; row++)
    row_offsets[row + 1] += row_offsets[row];
  return row_offsets[extraction->num_kept];
}

static void fill_rows(const struct extraction *extraction, const struct qn_graph_arrays *arrays) {
  const struct qn_csr *whole = extraction->whole;
  unsigned weight_bytes = qn_weight_bytes(whole->weights.type);
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t row = 0; row < extraction->num_kept; row++) {
    uint32_t source = extraction->old_of_new[row];
    uint64_t place = arrays->row_offsets[row], last = arrays->row_offsets[row + 1];
    for (uint64_t e = whole->row_offsets[source]; e < whole->row_offsets[source + 1]; e++) {
      if (!edge_stays(extraction, source, e))
        continue;
      if (place == last) /* more than were counted: the file is being overwritten */
        break;
      arrays->column_indices[place] = extraction->new_of_old[whole->column_indices[e]];
      if (weight_bytes)
        qn_weight_copy(arrays->weights, place, whole->weights.data, e, weight_bytes);
      place++;
    }
  }
}

static enum qn_status extract(const struct qn_graph *graph, struct extraction *extraction,
                              struct qn_subgraph *subgraph, struct qn_error *error) {
  struct qn_graph_arrays arrays;
  uint64_t *row_offsets, num_kept = extraction->num_kept;
  enum qn_status status =
      qn_pages_alloc(&row_offsets, num_kept + 1, sizeof *row_offsets, "row offsets", error);
  if (status)
    return status;
  uint64_t num_edges = count_rows(extraction, row_offsets);
  status = qn_graph_create(num_kept, num_edges, graph->out.weights.type, &subgraph->graph, &arrays,
                           error);
  if (!status) {
    memcpy(arrays.row_offsets, row_offsets, (num_kept + 1) * sizeof *row_offsets);
    fill_rows(extraction, &arrays);
    subgraph->edges_left_out = graph->out.num_edges - num_edges;
  }
  qn_pages_free(row_offsets, num_kept + 1, sizeof *row_offsets);
  return status;
}

enum qn_status qn_subgraph_create(const struct qn_graph *graph,
                                  const struct qn_vertex_groups *groups, bool cross,
                                  struct qn_subgraph *subgraph, struct qn_error *error) {
  uint64_t num_vertices = graph->out.num_vertices;
  uint32_t *old_of_new = NULL;
  struct extraction extraction = {
      .whole = &graph->out, .group = groups->of, .cross = cross, .num_kept = groups->num_named};
  *subgraph = (struct qn_subgraph){0};
  enum qn_status status = qn_pages_alloc(&extraction.new_of_old, num_vertices,
                                         sizeof *extraction.new_of_old, "new numbers", error);
  if (!status)
    status =
        qn_pages_alloc(&old_of_new, groups->num_named, sizeof *old_of_new, "old numbers", error);
  if (!status) {
    number_vertices(&extraction, old_of_new);
    extraction.old_of_new = old_of_new;
    status =
        qn_relabel_subset(&graph->ids, old_of_new, groups->num_named, &subgraph->relabeling, error);
  }
  if (!status)
    status = extract(graph, &extraction, subgraph, error);
  qn_pages_free(extraction.new_of_old, num_vertices, sizeof *extraction.new_of_old);
  if (status) {
    qn_subgraph_destroy(subgraph);
    return status;
  }
  struct qn_graph *part = &subgraph->graph;
  part->directedness = graph->directedness;
  part->has_transpose = graph->directedness == QN_UNDIRECTED;
  part->in = part->out;
  part->ids = subgraph->relabeling.ids;
  return QN_OK;
}

void qn_subgraph_destroy(struct qn_subgraph *subgraph) {
  qn_graph_unmap(&subgraph->graph);
  qn_relabeling_destroy(&subgraph->relabeling);
  *subgraph = (struct qn_subgraph){0};
}
