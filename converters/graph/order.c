#include "converters/graph/order.h"

#include <stdlib.h>

#include "support/memory.h"
#include <quern/transpose.h>

/* ---- Reverse Cuthill-McKee ---------------------------------------------------------------------
 */

#define NOT_REACHED UINT32_MAX

struct search {
  const struct qn_csr *out, *in; /* in: NULL for an undirected graph */
  uint64_t num_vertices;
  uint64_t *degrees; /* [V] edge ends */
  uint32_t *level;   /* [V] of the search at hand */
  uint32_t *found;   /* [V] vertices in the order in which they are found: the new order */
};

static int by_degree(const void *a, const void *b, void *user) {
  const uint64_t *degrees = user;
  const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  if (degrees[one] != degrees[other])
    return degrees[one] < degrees[other] ? -1 : 1;
  return one < other ? -1 : one > other;
}

static uint64_t add_row(struct search *search, const struct qn_csr *csr, uint32_t v, uint64_t end) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (search->level[other] != NOT_REACHED)
      continue;
    search->level[other] = search->level[v] + 1;
    search->found[end++] = other;
  }
  return end;
}

/* Find the component of `root`, as found[begin, end): the end is returned. */
static uint64_t search_from(struct search *search, uint32_t root, uint64_t begin) {
  uint64_t end = begin;
  search->level[root] = 0;
  search->found[end++] = root;
  for (uint64_t at = begin; at < end; at++) {
    const uint32_t v = search->found[at];
    const uint64_t first = end;
    end = add_row(search, search->out, v, end);
    if (search->in)
      end = add_row(search, search->in, v, end);
    qsort_r(search->found + first, end - first, sizeof *search->found, by_degree, search->degrees);
  }
  return end;
}

static void forget(struct search *search, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; i++)
    search->level[search->found[i]] = NOT_REACHED;
}

/* Of the last level a vertex of least degree. */
static uint32_t farthest(const struct search *search, uint64_t begin, uint64_t end) {
  uint32_t best = search->found[end - 1];
  const uint32_t last = search->level[best];
  for (uint64_t i = end; i-- > begin && search->level[search->found[i]] == last;)
    if (by_degree(&search->found[i], &best, search->degrees) < 0)
      best = search->found[i];
  return best;
}

/* Order the component of `root`, from a vertex that is farther from others than those before it. */
static uint64_t order_component(struct search *search, uint32_t root, uint64_t begin) {
  uint64_t end = search_from(search, root, begin);
  for (uint32_t depth = search->level[search->found[end - 1]];;) {
    const uint32_t next = farthest(search, begin, end);
    forget(search, begin, end);
    end = search_from(search, next, begin);
    const uint32_t reached = search->level[search->found[end - 1]];
    if (reached <= depth)
      return end;
    depth = reached;
  }
}

static void reverse(uint32_t *order, uint64_t count) {
  for (uint64_t i = 0; i < count / 2; i++) {
    const uint32_t kept = order[i];
    order[i] = order[count - 1 - i];
    order[count - 1 - i] = kept;
  }
}

static void count_degrees(struct search *search) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < search->num_vertices; v++) {
    search->degrees[v] = search->out->row_offsets[v + 1] - search->out->row_offsets[v];
    if (search->in)
      search->degrees[v] += search->in->row_offsets[v + 1] - search->in->row_offsets[v];
    search->level[v] = NOT_REACHED;
  }
}

/* All components, each from its vertex of least degree. */
static enum qn_status order_all(struct search *search, struct qn_error *error) {
  const struct qn_ids degrees = {
      .kind = QN_IDS_NUMBERS, .num_vertices = search->num_vertices, .numbers = search->degrees};
  uint32_t *roots = NULL;
  enum qn_status status = qn_ids_original_order(&degrees, &roots, error);
  uint64_t end = 0;
  for (uint64_t i = 0; i < search->num_vertices && !status; i++)
    if (search->level[roots ? roots[i] : i] == NOT_REACHED)
      end = order_component(search, roots ? roots[i] : (uint32_t)i, end);
  qn_pages_free(roots, search->num_vertices, sizeof *roots);
  reverse(search->found, end);
  return status;
}

enum qn_status qn_order_rcm(const struct qn_graph *graph, uint32_t *order, struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  struct search search = {.out = &graph->out, .num_vertices = num_vertices, .found = order};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED) {
    search.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status =
        qn_pages_alloc(&search.degrees, num_vertices, sizeof *search.degrees, "degrees", error);
  if (!status)
    status = qn_pages_alloc(&search.level, num_vertices, sizeof *search.level, "levels", error);
  if (!status) {
    count_degrees(&search);
    status = order_all(&search, error);
  }
  qn_pages_free(search.degrees, num_vertices, sizeof *search.degrees);
  qn_pages_free(search.level, num_vertices, sizeof *search.level);
  qn_graph_unmap(&transposed);
  return status;
}

/* ---- Groups ------------------------------------------------------------------------------------
 */

enum qn_status qn_order_groups(const struct qn_vertex_groups *groups, uint32_t *order,
                               struct qn_error *error) {
  uint64_t *places; /* of each group, and of none */
  enum qn_status status =
      qn_pages_alloc(&places, groups->num_groups + 2, sizeof *places, "places of groups", error);
  if (status)
    return status;
#define PLACE(v) places[groups->of[v] == QN_NO_GROUP ? groups->num_groups : groups->of[v]]
  for (uint64_t v = 0; v < groups->num_vertices; v++)
    (&PLACE(v))[1]++;
  for (uint64_t group = 0; group < groups->num_groups; group++)
    places[group + 1] += places[group];
  for (uint64_t v = 0; v < groups->num_vertices; v++)
    order[PLACE(v)++] = (uint32_t)v;
#undef PLACE
  qn_pages_free(places, groups->num_groups + 2, sizeof *places);
  return QN_OK;
}
