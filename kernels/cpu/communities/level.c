#include "kernels/cpu/communities/level.h"

#include <math.h>
#include <omp.h>

#include "formats/graph/weight_value.h"
#include "kernels/work_division/chunks.h"
#include "support/memory.h"
#include "support/threads.h"

/* ---- The first level ---------------------------------------------------------------------------
 */

static enum qn_status check_weights(const struct qn_csr *csr, double *largest,
                                    struct qn_error *error) {
  uint64_t bad = 0;
  double most = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad) reduction(max : most)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++) {
    const double weight = qn_weight_value(&csr->weights, edge);
    bad += !(weight >= 0);
    most = weight > most ? weight : most;
  }
  *largest = most;
  if (bad)
    return qn_fail(error, QN_UNSUPPORTED,
                   "communities by modularity need weights that are not negative; %llu are",
                   (unsigned long long)bad);
  return most < INFINITY
             ? QN_OK
             : qn_fail(error, QN_INVALID, "communities by modularity need weights that are finite");
}

/* Modularity has no unit, but its terms are products of sums of weights, which must be numbers, and
 * chance has to say where they differ by less than 0.01 (refine.c). So real weights are multiplied
 * by the power of two that makes the largest about 1; whole ones stay as they are. */
static double unit_of(const struct qn_csr *csr, double largest) {
  const bool are_real = csr->weights.type == QN_WEIGHT_F32 || csr->weights.type == QN_WEIGHT_F64;
  return !are_real || largest == 0 ? 1 : ldexp(1, ilogb(largest) < -1022 ? 1022 : -ilogb(largest));
}

static enum qn_status copy_weights(const struct qn_csr *csr, double *weights,
                                   struct qn_error *error) {
  double largest;
  enum qn_status status = check_weights(csr, &largest, error);
  if (status)
    return status;
  const double unit = unit_of(csr, largest);
#pragma omp parallel for schedule(static)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
    weights[edge] = qn_weight_value(&csr->weights, edge) * unit;
  return QN_OK;
}

static void sum_degrees(struct qn_level *level) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < level->num_vertices; v++) {
    double sum = 0;
    for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++)
      sum += qn_level_weight(level, entry) * (level->neighbors[entry] == v ? 2 : 1);
    level->degrees[v] = sum;
  }
  level->total = 0;
  for (uint64_t v = 0; v < level->num_vertices; v++)
    level->total += level->degrees[v];
}

enum qn_status qn_level_create(const struct qn_graph *graph, struct qn_level *level,
                               struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  double *weights = NULL;
  *level = (struct qn_level){.num_vertices = (uint32_t)csr->num_vertices,
                             .begins = csr->row_offsets,
                             .ends = csr->row_offsets + 1,
                             .neighbors = csr->column_indices,
                             .room = csr->num_edges};
  enum qn_status status = qn_pages_alloc(&level->degrees, level->num_vertices,
                                         sizeof *level->degrees, "weighted degrees", error);
  if (!status && csr->weights.type != QN_WEIGHT_NONE) {
    status = qn_pages_alloc(&weights, csr->num_edges, sizeof *weights, "weights", error);
    level->weights = weights;
    if (!status)
      status = copy_weights(csr, weights, error);
  }
  if (status)
    qn_level_destroy(level);
  else
    sum_degrees(level);
  return status;
}

void qn_level_destroy(struct qn_level *level) {
  if (level->owns_arrays) {
    qn_pages_free((void *)level->begins, level->num_vertices, sizeof *level->begins);
    qn_pages_free((void *)level->ends, level->num_vertices, sizeof *level->ends);
    qn_pages_free((void *)level->neighbors, level->room, sizeof *level->neighbors);
  }
  qn_pages_free((void *)level->weights, level->room, sizeof *level->weights);
  qn_pages_free(level->degrees, level->num_vertices, sizeof *level->degrees);
  *level = (struct qn_level){0};
}

/* ---- Aggregation -------------------------------------------------------------------------------
 */

struct aggregation {
  const struct qn_level *fine;
  const uint32_t *group;
  uint32_t num_groups;
  uint64_t *first;   /* [groups + 1] of each group in `members` */
  uint32_t *members; /* vertices of the fine level by group, ascending within each */
  uint64_t *begins;  /* [groups] of the coarse rows, */
  uint64_t *ends;    /* which do not fill the room up to the next one */
  uint32_t *neighbors;
  double *weights;
  double *sums; /* [threads][groups] weights to other groups; zero between uses */
};

static void sort_members(struct aggregation *work) {
  const uint32_t num_vertices = work->fine->num_vertices;
  for (uint32_t v = 0; v < num_vertices; v++)
    work->first[work->group[v] + 1]++;
  for (uint32_t g = 0; g < work->num_groups; g++)
    work->first[g + 1] += work->first[g];
  for (uint32_t v = 0; v < num_vertices; v++)
    work->members[work->first[work->group[v]]++] = v;
  for (uint32_t g = work->num_groups; g > 0; g--)
    work->first[g] = work->first[g - 1];
  work->first[0] = 0;
}

/* A coarse row has an entry for each fine one at most, and for each other group at most. */
static uint64_t find_begins(struct aggregation *work) {
  uint64_t room = 0;
  for (uint32_t g = 0; g < work->num_groups; g++) {
    uint64_t entries = 0;
    for (uint64_t i = work->first[g]; i < work->first[g + 1]; i++)
      entries += work->fine->ends[work->members[i]] - work->fine->begins[work->members[i]];
    work->begins[g] = room;
    room += entries < work->num_groups ? entries : work->num_groups;
  }
  return room;
}

/* Edges within the group are left to its degree. */
static void add_member(struct aggregation *work, uint32_t g, uint32_t member, double *sums,
                       uint64_t *end) {
  const struct qn_level *fine = work->fine;
  for (uint64_t entry = fine->begins[member]; entry < fine->ends[member]; entry++) {
    const uint32_t other = work->group[fine->neighbors[entry]];
    const double weight = qn_level_weight(fine, entry);
    if (other == g || weight == 0)
      continue;
    if (sums[other] == 0)
      work->neighbors[(*end)++] = other;
    sums[other] += weight;
  }
}

static void make_row(struct aggregation *work, uint32_t g, double *sums) {
  uint64_t end = work->begins[g];
  for (uint64_t i = work->first[g]; i < work->first[g + 1]; i++)
    add_member(work, g, work->members[i], sums, &end);
  for (uint64_t entry = work->begins[g]; entry < end; entry++) {
    work->weights[entry] = sums[work->neighbors[entry]];
    sums[work->neighbors[entry]] = 0;
  }
  work->ends[g] = end;
}

static enum qn_status make_rows(struct aggregation *work, struct qn_level *coarse,
                                struct qn_error *error) {
  coarse->room = find_begins(work);
  enum qn_status status = qn_pages_alloc(&work->neighbors, coarse->room, sizeof *work->neighbors,
                                         "edges between communities", error);
  coarse->neighbors = work->neighbors;
  if (!status)
    status = qn_pages_alloc(&work->weights, coarse->room, sizeof *work->weights,
                            "edges between communities", error);
  coarse->weights = work->weights;
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 64) if (work->num_groups > QN_SWEEP_VERTICES)
  for (uint32_t g = 0; g < work->num_groups; g++) {
    make_row(work, g, work->sums + (uint64_t)omp_get_thread_num() * work->num_groups);
    for (uint64_t i = work->first[g]; i < work->first[g + 1]; i++)
      coarse->degrees[g] += work->fine->degrees[work->members[i]];
  }
  return QN_OK;
}

enum qn_status qn_level_aggregate(const struct qn_level *level, const uint32_t *group,
                                  uint32_t num_groups, struct qn_level *coarse,
                                  struct qn_error *error) {
  struct aggregation work = {.fine = level, .group = group, .num_groups = num_groups};
  *coarse =
      (struct qn_level){.num_vertices = num_groups, .total = level->total, .owns_arrays = true};
  enum qn_status status =
      qn_pages_alloc(&work.first, (uint64_t)num_groups + 1, sizeof *work.first, "groups", error);
  if (!status)
    status =
        qn_pages_alloc(&work.members, level->num_vertices, sizeof *work.members, "members", error);
  if (!status)
    status = qn_pages_alloc(&work.sums, (uint64_t)qn_threads() * num_groups, sizeof *work.sums,
                            "weights to communities", error);
  if (!status)
    status = qn_pages_alloc(&work.begins, num_groups, sizeof *work.begins, "rows", error);
  coarse->begins = work.begins;
  if (!status)
    status = qn_pages_alloc(&work.ends, num_groups, sizeof *work.ends, "rows", error);
  coarse->ends = work.ends;
  if (!status)
    status = qn_pages_alloc(&coarse->degrees, num_groups, sizeof *coarse->degrees,
                            "weighted degrees", error);
  if (!status) {
    sort_members(&work);
    status = make_rows(&work, coarse, error);
  }
  qn_pages_free(work.first, (uint64_t)num_groups + 1, sizeof *work.first);
  qn_pages_free(work.members, level->num_vertices, sizeof *work.members);
  qn_pages_free(work.sums, (uint64_t)qn_threads() * num_groups, sizeof *work.sums);
  if (status)
    qn_level_destroy(coarse);
  return status;
}

/* ---- Figures -----------------------------------------------------------------------------------
 */

/* Twice the weight of v's edges within its community: a loop is one edge. */
static double inside_weight(const struct qn_level *level, const uint32_t *community, uint32_t v) {
  double inside = 0;
  for (uint64_t entry = level->begins[v]; entry < level->ends[v]; entry++)
    if (community[level->neighbors[entry]] == community[v])
      inside += qn_level_weight(level, entry) * (level->neighbors[entry] == v ? 2 : 1);
  return inside;
}

/* In chunks added up in order: the same for any number of threads. */
enum qn_status qn_level_modularity(const struct qn_level *level, const uint32_t *community,
                                   double resolution, double *modularity, struct qn_error *error) {
  const uint64_t num_vertices = level->num_vertices;
  struct qn_sum inside = {0};
  double *degrees, expected = 0;
  *modularity = 0;
  enum qn_status status =
      qn_pages_alloc(&degrees, num_vertices, sizeof *degrees, "degrees of communities", error);
  if (!status)
    status = qn_sum_create(&inside, qn_sweep_chunks(num_vertices), error);
  if (!status && level->total > 0) {
#pragma omp parallel for schedule(dynamic, 1) if (inside.num_parts > 1)
    for (uint64_t chunk = 0; chunk < inside.num_parts; chunk++) {
      const uint64_t end = (chunk + 1) * QN_SWEEP_VERTICES;
      for (uint64_t v = chunk * QN_SWEEP_VERTICES; v < end && v < num_vertices; v++)
        inside.parts[chunk] += inside_weight(level, community, (uint32_t)v);
    }
    for (uint64_t v = 0; v < num_vertices; v++)
      degrees[community[v]] += level->degrees[v];
    for (uint64_t c = 0; c < num_vertices; c++)
      expected += degrees[c] / level->total * (degrees[c] / level->total);
    *modularity = qn_sum_total(&inside) / level->total - resolution * expected;
  }
  qn_pages_free(degrees, num_vertices, sizeof *degrees);
  qn_sum_destroy(&inside);
  return status;
}

uint32_t qn_labels_compact(uint32_t *labels, uint64_t count, uint32_t num_labels,
                           uint32_t *numbers) {
  uint32_t next = 0;
  for (uint32_t label = 0; label < num_labels; label++)
    numbers[label] = UINT32_MAX;
  for (uint64_t i = 0; i < count; i++) {
    if (numbers[labels[i]] == UINT32_MAX)
      numbers[labels[i]] = next++;
    labels[i] = numbers[labels[i]];
  }
  return next;
}
