#include "converters/graph/tree_check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "formats/graph/weight_limit.h"
#include "formats/vertices/parents_file.h"
#include "support/memory.h"
#include "support/search.h"

/* In place of levels: of vertices not looked at yet or without a parent, of those from which no
 * parents lead to the root, and of those on the path that is being walked. */
#define NO_LEVEL UINT32_MAX
#define ASTRAY (UINT32_MAX - 1)
#define WALKED (UINT32_MAX - 2)

struct tree {
  const struct qn_csr *out;
  const uint32_t *parents;
  const struct qn_tree_values *values; /* NULL: not said */
  bool weighted;                       /* lengths are the weights */
  uint32_t *levels;                    /* [V] edges from the root */
  uint32_t *by_level;                  /* [num_reached] vertices of the tree, level after level */
  uint64_t *distances; /* [V] whole numbers, or the bits of doubles, which order the same */
  struct qn_tree_report *report;
};

static void note(struct qn_tree_fault *fault, uint32_t vertex, uint32_t other) {
  if (fault->count == 0 || vertex < fault->vertex) {
    fault->vertex = vertex;
    fault->other = other;
  }
  fault->count++;
}

/* Faults that threads have found, together. */
static void add_faults(struct qn_tree_fault *sum, const struct qn_tree_fault *more) {
  if (more->count > 0 && (sum->count == 0 || more->vertex < sum->vertex)) {
    sum->vertex = more->vertex;
    sum->other = more->other;
  }
  sum->count += more->count;
}

/* ---- Rule 1 --------------------------------------------------------------- */

static void find_root(struct tree *tree) {
  struct qn_tree_report *report = tree->report;
  report->root = UINT32_MAX;
  for (uint64_t v = 0; v < tree->out->num_vertices; v++) {
    report->num_reached += tree->parents[v] != QN_NO_PARENT;
    if (tree->parents[v] != v)
      continue;
    if (report->num_roots++ == 0)
      report->root = (uint32_t)v;
    else
      note(&report->faults[1], (uint32_t)v, (uint32_t)v);
  }
  if (report->num_roots == 0)
    note(&report->faults[1], 0, 0);
}

/* The levels of a vertex and of all above it that have none yet: up until one is known, and from
 * below once more. */
static void find_level(struct tree *tree, uint32_t vertex) {
  uint32_t *levels = tree->levels, above = vertex, steps = 0;
  for (; levels[above] == NO_LEVEL && tree->parents[above] != QN_NO_PARENT; steps++) {
    levels[above] = WALKED;
    above = tree->parents[above];
  }
  bool leads_to_root = levels[above] < WALKED;
  uint32_t level = leads_to_root ? levels[above] + steps : ASTRAY;
  for (uint32_t v = vertex; levels[v] == WALKED; v = tree->parents[v]) {
    levels[v] = level;
    level -= leads_to_root;
    if (!leads_to_root)
      note(&tree->report->faults[1], v, tree->parents[v]);
  }
}

static void find_levels(struct tree *tree) {
  uint64_t num_vertices = tree->out->num_vertices;
  struct qn_tree_report *report = tree->report;
  memset(tree->levels, 0xff, num_vertices * sizeof *tree->levels);
  if (report->root != UINT32_MAX)
    tree->levels[report->root] = 0;
  for (uint64_t v = 0; v < num_vertices; v++) {
    if (tree->parents[v] != QN_NO_PARENT && tree->levels[v] == NO_LEVEL && tree->parents[v] != v)
      find_level(tree, (uint32_t)v);
    if (tree->levels[v] < WALKED && tree->levels[v] > report->depth)
      report->depth = tree->levels[v];
  }
}

/* ---- Rule 5 --------------------------------------------------------------- */

/* The first edge from `parent` to `vertex`; false if there is none. */
static bool find_edge(const struct tree *tree, uint32_t parent, uint32_t vertex, uint64_t *edge) {
  const struct qn_csr *out = tree->out;
  uint64_t end = out->row_offsets[(uint64_t)parent + 1];
  *edge = qn_lower_bound_u32(out->column_indices, out->row_offsets[parent], end, vertex);
  return *edge < end && out->column_indices[*edge] == vertex;
}

static void check_edges(struct tree *tree) {
#pragma omp parallel
  {
    struct qn_tree_fault fault = {0};
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < tree->out->num_vertices; v++) {
      uint32_t parent = tree->parents[v];
      uint64_t edge;
      if (parent != QN_NO_PARENT && parent != v && !find_edge(tree, parent, (uint32_t)v, &edge))
        note(&fault, (uint32_t)v, parent);
    }
#pragma omp critical
    add_faults(&tree->report->faults[5], &fault);
  }
}

/* ---- Distances ------------------------------------------------------------ */

/* What an edge makes of a distance. */
static uint64_t add_length(const struct tree *tree, uint64_t distance, uint64_t edge) {
  const struct qn_weights *weights = &tree->out->weights;
  if (!tree->weighted)
    return distance + 1;
  uint64_t bits = qn_weight_load(weights->data, qn_weight_bytes(weights->type), edge);
  if (weights->type == QN_WEIGHT_U32 || weights->type == QN_WEIGHT_I64)
    return distance + bits;
  double sum;
  memcpy(&sum, &distance, sizeof sum);
  sum += qn_weight_real(weights->type, bits);
  memcpy(&distance, &sum, sizeof sum);
  return distance;
}

/* Along the shortest of parallel edges, which lie together. */
static uint64_t distance_along(const struct tree *tree, uint32_t parent, uint32_t vertex) {
  uint64_t end = tree->out->row_offsets[(uint64_t)parent + 1], least = UINT64_MAX, edge;
  for (find_edge(tree, parent, vertex, &edge);
       edge < end && tree->out->column_indices[edge] == vertex; edge++) {
    uint64_t distance = add_length(tree, tree->distances[parent], edge);
    least = distance < least ? distance : least;
  }
  return least;
}

/* Vertices of the tree, ordered by level. */
static enum qn_status order_by_level(struct tree *tree, struct qn_error *error) {
  uint64_t num_levels = tree->report->depth + 1, place = 0, *begins;
  enum qn_status status = qn_alloc_zeroed(&begins, num_levels, sizeof *begins, "levels", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < tree->out->num_vertices; v++)
    if (tree->levels[v] < WALKED)
      begins[tree->levels[v]]++;
  for (uint64_t level = 0; level < num_levels; level++) {
    uint64_t count = begins[level];
    begins[level] = place;
    place += count;
  }
  for (uint64_t v = 0; v < tree->out->num_vertices; v++)
    if (tree->levels[v] < WALKED)
      tree->by_level[begins[tree->levels[v]]++] = (uint32_t)v;
  qn_free(begins);
  return QN_OK;
}

static void find_distances(struct tree *tree) {
  tree->distances[tree->report->root] = 0;
  for (uint64_t i = 1; i < tree->report->num_reached; i++) {
    uint32_t v = tree->by_level[i];
    tree->distances[v] =
        tree->weighted ? distance_along(tree, tree->parents[v], v) : tree->levels[v];
  }
}

/* ---- Rule 2 --------------------------------------------------------------- */

static bool is_real(const struct tree *tree) {
  const enum qn_weight_type type = tree->out->weights.type;
  return tree->weighted && type != QN_WEIGHT_U32 && type != QN_WEIGHT_I64;
}

/* Is it what the search says of the vertex? `distance` as in tree->distances. */
static bool is_value(const struct tree *tree, uint64_t vertex, uint64_t distance) {
  const struct qn_tree_values *values = tree->values;
  const bool is_reached = tree->parents[vertex] != QN_NO_PARENT;
  if (values->u32)
    return values->u32[vertex] == (is_reached ? distance : UINT32_MAX);
  if (values->u64)
    return values->u64[vertex] == (is_reached ? distance : UINT64_MAX);
  double real = (double)distance;
  if (is_real(tree))
    memcpy(&real, &distance, sizeof real);
  return values->f64[vertex] == (is_reached ? real : (double)INFINITY);
}

static void check_values(const struct tree *tree) {
#pragma omp parallel
  {
    struct qn_tree_fault fault = {0};
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < tree->out->num_vertices; v++)
      if (!is_value(tree, v, tree->distances[v]))
        note(&fault, (uint32_t)v, tree->parents[v]);
#pragma omp critical
    add_faults(&tree->report->faults[2], &fault);
  }
}

/* ---- Rules 3 and 4 -------------------------------------------------------- */

static void check_row(const struct tree *tree, uint32_t u, struct qn_tree_fault *far,
                      struct qn_tree_fault *missing) {
  const struct qn_csr *out = tree->out;
  for (uint64_t edge = out->row_offsets[u]; edge < out->row_offsets[(uint64_t)u + 1]; edge++) {
    uint32_t v = out->column_indices[edge];
    if (tree->parents[v] == QN_NO_PARENT)
      note(missing, u, v);
    else if (tree->distances[v] > add_length(tree, tree->distances[u], edge))
      note(far, u, v);
  }
}

static void check_rows(struct tree *tree) {
#pragma omp parallel
  {
    struct qn_tree_fault far = {0}, missing = {0};
#pragma omp for schedule(dynamic, 1024)
    for (uint64_t u = 0; u < tree->out->num_vertices; u++)
      if (tree->parents[u] != QN_NO_PARENT)
        check_row(tree, (uint32_t)u, &far, &missing);
#pragma omp critical
    {
      add_faults(&tree->report->faults[3], &far);
      add_faults(&tree->report->faults[4], &missing);
    }
  }
}

/* ---- The check ------------------------------------------------------------ */

static enum qn_status check_weights(const struct tree *tree, struct qn_error *error) {
  const struct qn_weights *weights = &tree->out->weights;
  uint64_t most = tree->out->num_vertices ? tree->out->num_vertices : 1, bits;
  const struct qn_weight_limit limit = {(UINT64_MAX - 1) / most, DBL_MAX / (double)most, 0};
  char text[QN_WEIGHT_TEXT];
  if (!tree->weighted || weights->type == QN_WEIGHT_U32)
    return QN_OK;
  for (uint64_t edge = 0; edge < tree->out->num_edges; edge++) {
    bits = qn_weight_load(weights->data, qn_weight_bytes(weights->type), edge);
    if (!qn_weight_is_within(weights->type, bits, &limit))
      return qn_fail(error, QN_INVALID,
                     "shortest paths need weights that are not negative, and whose sums 64 bits "
                     "hold, but that of edge %llu is %s",
                     (unsigned long long)edge, qn_weight_text(weights->type, bits, text));
  }
  return QN_OK;
}

static enum qn_status check_lengths(struct tree *tree, struct qn_error *error) {
  if (!qn_tree_is_right(tree->report))
    return QN_OK;
  enum qn_status status = order_by_level(tree, error);
  if (status)
    return status;
  find_distances(tree);
  if (tree->values)
    check_values(tree);
  check_rows(tree);
  return QN_OK;
}

enum qn_status qn_tree_check(const struct qn_graph *graph, const uint32_t *parents,
                             const struct qn_tree_values *values, bool weighted,
                             struct qn_tree_report *report, struct qn_error *error) {
  struct tree tree = {.out = &graph->out,
                      .parents = parents,
                      .values = values,
                      .weighted = weighted && graph->out.weights.type != QN_WEIGHT_NONE,
                      .report = report};
  uint64_t num_vertices = graph->out.num_vertices;
  *report = (struct qn_tree_report){0};
  enum qn_status status = check_weights(&tree, error);
  if (!status)
    status = qn_pages_alloc(&tree.levels, num_vertices, sizeof *tree.levels, "levels", error);
  if (!status)
    status = qn_pages_alloc(&tree.by_level, num_vertices, sizeof *tree.by_level, "levels", error);
  if (!status)
    status =
        qn_pages_alloc(&tree.distances, num_vertices, sizeof *tree.distances, "distances", error);
  if (!status) {
    find_root(&tree);
    find_levels(&tree);
    check_edges(&tree);
    status = check_lengths(&tree, error);
  }
  qn_pages_free(tree.distances, num_vertices, sizeof *tree.distances);
  qn_pages_free(tree.by_level, num_vertices, sizeof *tree.by_level);
  qn_pages_free(tree.levels, num_vertices, sizeof *tree.levels);
  return status;
}

bool qn_tree_is_right(const struct qn_tree_report *report) {
  for (int rule = 1; rule < QN_TREE_RULES; rule++)
    if (report->faults[rule].count > 0)
      return false;
  return true;
}
