#include "converters/graph/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/graph/weight_limit.h"
#include "support/memory.h"

struct contraction {
  const struct qn_csr *csr;
  const uint32_t *group; /* [V] */
  bool undirected, is_real;
  uint64_t num_groups;
  uint32_t *numbers;     /* [num_groups] of the quotient's vertices, by group */
  uint32_t *old_of_new;  /* [num_groups] the vertex that each is called after */
  uint64_t *bounds;      /* [num_groups + 1] of each quotient vertex's in `members` */
  uint32_t *members;     /* [vertices in groups] */
  uint64_t *row_offsets; /* [num_groups + 1] */
  bool wide;             /* a sum is more than u32 holds, or negative */
  bool leaves;           /* a sum leaves its type */
};

union sum {
  int64_t whole;
  double real;
};

/* One row of the quotient at a time, of a thread. */
struct row {
  union sum *sums;    /* [num_groups] */
  uint8_t *is_marked; /* [num_groups] */
  uint32_t *found;    /* [num_groups] */
  uint64_t count;
};

/* ---- Vertices ------------------------------------------------------------------ */

/* Of each group the first vertex in original order, and these in the order of vertices. */
static enum qn_status number_groups(struct contraction *contraction, const struct qn_ids *ids,
                                    struct qn_error *error) {
  const uint64_t num_vertices = contraction->csr->num_vertices;
  uint32_t *order = NULL, *first = NULL;
  enum qn_status status = qn_ids_original_order(ids, &order, error);
  if (!status)
    status = qn_pages_alloc(&first, contraction->num_groups, sizeof *first, "groups", error);
  if (!status) {
    memset(first, 0xff, contraction->num_groups * sizeof *first);
    for (uint64_t i = 0; i < num_vertices; i++) {
      const uint32_t v = order ? order[i] : (uint32_t)i, group = contraction->group[v];
      if (group != QN_NO_GROUP && first[group] == UINT32_MAX)
        first[group] = v;
    }
    uint64_t next = 0;
    for (uint64_t v = 0; v < num_vertices; v++) {
      const uint32_t group = contraction->group[v];
      if (group == QN_NO_GROUP || first[group] != v)
        continue;
      contraction->old_of_new[next] = (uint32_t)v;
      contraction->numbers[group] = (uint32_t)next++;
    }
  }
  qn_pages_free(order, num_vertices, sizeof *order);
  qn_pages_free(first, contraction->num_groups, sizeof *first);
  return status;
}

static void list_members(struct contraction *contraction, uint64_t num_members) {
  uint64_t *bounds = contraction->bounds;
  const uint64_t num_vertices = contraction->csr->num_vertices;
  for (uint64_t v = 0; v < num_vertices; v++)
    if (contraction->group[v] != QN_NO_GROUP)
      bounds[contraction->numbers[contraction->group[v]] + 1]++;
  for (uint64_t i = 0; i < contraction->num_groups; i++)
    bounds[i + 1] += bounds[i];
  for (uint64_t v = num_vertices; v-- > 0;) /* backwards: bounds[i + 1] becomes the begin of i */
    if (contraction->group[v] != QN_NO_GROUP)
      contraction->members[--bounds[contraction->numbers[contraction->group[v]] + 1]] = (uint32_t)v;
  for (uint64_t i = 0; i < contraction->num_groups; i++)
    bounds[i] = bounds[i + 1];
  bounds[contraction->num_groups] = num_members;
}

/* ---- Rows ---------------------------------------------------------------------- */

static void add_edge(struct contraction *contraction, struct row *row, uint32_t to, uint64_t edge) {
  const struct qn_weights *weights = &contraction->csr->weights;
  const uint64_t bits = weights->type == QN_WEIGHT_NONE
                            ? 1
                            : qn_weight_load(weights->data, qn_weight_bytes(weights->type), edge);
  union sum *sum = &row->sums[to];
  if (!row->is_marked[to]) {
    row->is_marked[to] = 1;
    row->found[row->count++] = to;
    sum->whole = 0; /* as a real number, too */
  }
  if (contraction->is_real)
    sum->real += qn_weight_real(weights->type, bits);
  else if (__builtin_add_overflow(sum->whole,
                                  weights->type == QN_WEIGHT_I64 ? (int64_t)bits : (uint32_t)bits,
                                  &sum->whole))
    contraction->leaves = true;
}

static int by_number(const void *a, const void *b) {
  const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  return one < other ? -1 : one > other;
}

/* An undirected edge within a group lies in the rows of both its ends; a loop in one. */
static void sum_row(struct contraction *contraction, struct row *row, uint64_t from) {
  const struct qn_csr *csr = contraction->csr;
  row->count = 0;
  for (uint64_t i = contraction->bounds[from]; i < contraction->bounds[from + 1]; i++) {
    const uint32_t v = contraction->members[i];
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
      const uint32_t other = csr->column_indices[edge], group = contraction->group[other];
      if (group == QN_NO_GROUP)
        continue;
      const uint32_t to = contraction->numbers[group];
      if (contraction->undirected && to == from && other < v)
        continue;
      add_edge(contraction, row, to, edge);
    }
  }
  qsort(row->found, row->count, sizeof *row->found, by_number);
  for (uint64_t i = 0; i < row->count; i++)
    row->is_marked[row->found[i]] = 0;
}

static void check_sums(struct contraction *contraction, const struct row *row) {
  for (uint64_t i = 0; i < row->count; i++) {
    const union sum *sum = &row->sums[row->found[i]];
    if (contraction->is_real)
      contraction->leaves |= !isfinite(sum->real);
    else
      contraction->wide |= sum->whole < 0 || sum->whole > UINT32_MAX;
  }
}

static void put_row(const struct contraction *contraction, const struct row *row,
                    const struct qn_graph_arrays *arrays, uint64_t from) {
  uint64_t place = arrays->row_offsets[from];
  const uint64_t last = arrays->row_offsets[from + 1];
  for (uint64_t i = 0; i < row->count && place < last; i++, place++) {
    const union sum *sum = &row->sums[row->found[i]];
    const uint32_t narrow = (uint32_t)sum->whole;
    arrays->column_indices[place] = row->found[i];
    if (contraction->is_real || contraction->wide)
      memcpy((char *)arrays->weights + 8 * place, sum, 8);
    else
      memcpy((char *)arrays->weights + 4 * place, &narrow, 4);
  }
}

/* Once to count rows, and once, with `arrays`, to fill them. */
static enum qn_status walk_rows(struct contraction *contraction,
                                const struct qn_graph_arrays *arrays, struct qn_error *error) {
  const uint64_t num_groups = contraction->num_groups;
  struct row row = {0};
  enum qn_status status =
      qn_pages_alloc(&row.sums, num_groups, sizeof *row.sums, "sums of weights", error);
  if (!status)
    status = qn_pages_alloc(&row.is_marked, num_groups, 1, "marks", error);
  if (!status)
    status = qn_pages_alloc(&row.found, num_groups, sizeof *row.found, "neighbours", error);
  for (uint64_t from = 0; !status && from < num_groups; from++) {
    sum_row(contraction, &row, from);
    if (arrays) {
      put_row(contraction, &row, arrays, from);
    } else {
      check_sums(contraction, &row);
      contraction->row_offsets[from + 1] = contraction->row_offsets[from] + row.count;
    }
  }
  qn_pages_free(row.sums, num_groups, sizeof *row.sums);
  qn_pages_free(row.is_marked, num_groups, 1);
  qn_pages_free(row.found, num_groups, sizeof *row.found);
  return status;
}

/* The sum of real weights depends on their order: both entries of an undirected edge have that of
 * the row that comes first. */
static void mirror_sums(const struct contraction *contraction,
                        const struct qn_graph_arrays *arrays) {
  const uint64_t *offsets = arrays->row_offsets;
  const uint32_t *columns = arrays->column_indices;
  double *sums = arrays->weights;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t to = 0; to < contraction->num_groups; to++)
    for (uint64_t place = offsets[to]; place < offsets[to + 1] && columns[place] < to; place++) {
      const uint64_t from = columns[place], first = offsets[from];
      const uint32_t key = (uint32_t)to;
      const uint32_t *mirrored =
          bsearch(&key, columns + first, offsets[from + 1] - first, sizeof *columns, by_number);
      if (mirrored) /* or the input has changed meanwhile */
        sums[place] = sums[mirrored - columns];
    }
}

/* ---- The whole ----------------------------------------------------------------- */

static enum qn_status create(struct contraction *contraction, uint64_t num_members,
                             struct qn_error *error) {
  const uint64_t num_groups = contraction->num_groups;
  enum qn_status status = qn_pages_alloc(&contraction->numbers, num_groups,
                                         sizeof *contraction->numbers, "numbers", error);
  if (!status)
    status = qn_pages_alloc(&contraction->old_of_new, num_groups, sizeof *contraction->old_of_new,
                            "vertices", error);
  if (!status)
    status = qn_pages_alloc(&contraction->bounds, num_groups + 1, sizeof *contraction->bounds,
                            "groups", error);
  if (!status)
    status = qn_pages_alloc(&contraction->members, num_members, sizeof *contraction->members,
                            "members of groups", error);
  if (!status)
    status = qn_pages_alloc(&contraction->row_offsets, num_groups + 1,
                            sizeof *contraction->row_offsets, "row offsets", error);
  return status;
}

static void destroy(struct contraction *contraction, uint64_t num_members) {
  const uint64_t num_groups = contraction->num_groups;
  qn_pages_free(contraction->numbers, num_groups, sizeof *contraction->numbers);
  qn_pages_free(contraction->old_of_new, num_groups, sizeof *contraction->old_of_new);
  qn_pages_free(contraction->bounds, num_groups + 1, sizeof *contraction->bounds);
  qn_pages_free(contraction->members, num_members, sizeof *contraction->members);
  qn_pages_free(contraction->row_offsets, num_groups + 1, sizeof *contraction->row_offsets);
}

static enum qn_status fill(struct contraction *contraction, struct qn_subgraph *quotient,
                           struct qn_error *error) {
  const uint64_t num_groups = contraction->num_groups;
  const uint64_t num_edges = contraction->row_offsets[num_groups];
  const enum qn_weight_type type = contraction->is_real ? QN_WEIGHT_F64
                                   : contraction->wide  ? QN_WEIGHT_I64
                                                        : QN_WEIGHT_U32;
  struct qn_graph_arrays arrays;
  enum qn_status status =
      qn_graph_create(num_groups, num_edges, type, &quotient->graph, &arrays, error);
  if (status)
    return status;
  memcpy(arrays.row_offsets, contraction->row_offsets,
         (num_groups + 1) * sizeof *contraction->row_offsets);
  quotient->edges_left_out = contraction->csr->num_edges - num_edges;
  status = walk_rows(contraction, &arrays, error);
  if (!status && contraction->undirected && contraction->is_real)
    mirror_sums(contraction, &arrays);
  return status;
}

enum qn_status qn_contract(const struct qn_graph *graph, const struct qn_vertex_groups *groups,
                           struct qn_subgraph *quotient, struct qn_error *error) {
  const enum qn_weight_type type = graph->out.weights.type;
  struct contraction contraction = {.csr = &graph->out,
                                    .group = groups->of,
                                    .undirected = graph->directedness == QN_UNDIRECTED,
                                    .is_real = type == QN_WEIGHT_F32 || type == QN_WEIGHT_F64,
                                    .num_groups = groups->num_groups};
  *quotient = (struct qn_subgraph){0};
  enum qn_status status = create(&contraction, groups->num_named, error);
  if (!status)
    status = number_groups(&contraction, &graph->ids, error);
  if (!status) {
    list_members(&contraction, groups->num_named);
    status = walk_rows(&contraction, NULL, error);
  }
  if (!status && contraction.leaves)
    status = qn_fail(error, QN_UNSUPPORTED, "the sum of the weights between two groups leaves %s",
                     contraction.is_real ? "f64" : "i64");
  if (!status) {
    uint32_t *old_of_new = contraction.old_of_new;
    contraction.old_of_new = NULL;
    status = qn_relabel_subset(&graph->ids, old_of_new, groups->num_groups, &quotient->relabeling,
                               error);
  }
  if (!status)
    status = fill(&contraction, quotient, error);
  destroy(&contraction, groups->num_named);
  if (status) {
    qn_subgraph_destroy(quotient);
    return status;
  }
  struct qn_graph *made = &quotient->graph;
  made->directedness = graph->directedness;
  made->has_transpose = graph->directedness == QN_UNDIRECTED;
  made->in = made->out;
  made->ids = quotient->relabeling.ids;
  return QN_OK;
}
