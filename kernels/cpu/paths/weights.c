/* Paths by weights: Dijkstra's algorithm (1959) from both ends, always from the end that has looked
 * at fewer edges, until no vertex that neither has settled can be on a shortest path. Then the
 * search from the source goes on, past vertices that the other has settled, and of these only past
 * those on shortest paths.
 *
 * Vertices are settled by distance, and those as far by the number of edges of no length since the
 * last nearer vertex; the parent is, of the vertices that lead to the least of both, the first in
 * original order.
 *
 * Real distances depend on where adding up begins. What the search from the target says is taken
 * for a little less than it is, so that no path is lost; the search from the source decides. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "formats/graph/weight_limit.h"
#include "kernels/cpu/paths/path.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/arrays/reserve.h"

#define NOT_REACHED UINT64_MAX
/* Rounding changes a sum of n numbers by less than n * 2^-53 of it; several sums are compared. */
#define ROUNDING 0x1p-49
/* How many edges ahead places are asked for. */
#define AHEAD 16

/* A vertex to settle. A distance is a whole number, or the bits of a real one: those of numbers
 * that are not negative have their order. */
struct entry {
  uint64_t distance;
  uint32_t steps; /* edges of no length since a nearer vertex; 0 from the target */
  uint32_t vertex;
};

/* Distances are stored as complements: pages that nobody has touched are not reached. */
struct place {
  uint64_t from_source, to_target;
  uint32_t steps, parent; /* from the source */
};

/* The search from one end. */
struct search {
  const struct qn_csr *csr;
  struct entry *heap;
  uint64_t count, capacity;
  uint64_t num_edges; /* that it has looked at */
};

struct work {
  const struct qn_path_ends *ends;
  bool is_real;
  struct place *places; /* [V] */
  struct search forward, backward;
  uint64_t shortest;   /* path known so far */
  uint64_t limit;      /* longer paths are of no interest */
  uint64_t settled_to; /* nearer vertices to the target are settled from it */
  bool has_overflow;   /* was there a sum that leaves 64 bits? */
};

/* ---- The heap --------------------------------------------------------------------- */

static bool comes_before(const struct entry *a, const struct entry *b) {
  return a->distance < b->distance || (a->distance == b->distance && a->steps < b->steps);
}

static void sift_up(struct entry *heap, uint64_t place) {
  const struct entry entry = heap[place];
  for (; place > 0 && comes_before(&entry, &heap[(place - 1) / 2]); place = (place - 1) / 2)
    heap[place] = heap[(place - 1) / 2];
  heap[place] = entry;
}

static void sift_down(struct entry *heap, uint64_t count) {
  const struct entry entry = heap[0];
  uint64_t place = 0;
  for (uint64_t child = 1; child < count; child = 2 * place + 1) {
    child += child + 1 < count && comes_before(&heap[child + 1], &heap[child]);
    if (!comes_before(&heap[child], &entry))
      break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = entry;
}

static enum qn_status put(struct search *search, const struct entry *entry,
                          struct qn_error *error) {
  enum qn_status status = qn_reserve(&search->heap, &search->capacity, search->count + 1,
                                     sizeof *search->heap, "waiting vertices", error);
  if (status)
    return status;
  search->heap[search->count++] = *entry;
  sift_up(search->heap, search->count - 1);
  return QN_OK;
}

static struct entry take(struct search *search) {
  const struct entry least = search->heap[0];
  search->heap[0] = search->heap[--search->count];
  if (search->count > 1)
    sift_down(search->heap, search->count);
  return least;
}

/* ---- Distances -------------------------------------------------------------------- */

static double real_of(uint64_t bits) {
  double real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

static uint64_t bits_of(double real) {
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

/* NOT_REACHED if the sum cannot be said. */
static uint64_t sum_of(const struct work *work, uint64_t a, uint64_t b) {
  uint64_t sum;
  if (work->is_real)
    return isfinite(real_of(a) + real_of(b)) ? bits_of(real_of(a) + real_of(b)) : NOT_REACHED;
  return __builtin_add_overflow(a, b, &sum) ? NOT_REACHED : sum;
}

/* Along a path; NOT_REACHED if an end of it is not, or the sum cannot be said. */
static uint64_t add(struct work *work, uint64_t a, uint64_t b) {
  if (a == NOT_REACHED || b == NOT_REACHED)
    return NOT_REACHED;
  const uint64_t sum = sum_of(work, a, b);
  work->has_overflow |= sum == NOT_REACHED;
  return sum;
}

static uint64_t length(const struct work *work, const struct search *search, uint64_t edge) {
  const struct qn_weights *weights = &search->csr->weights;
  const uint64_t bits = qn_weight_load(weights->data, qn_weight_bytes(weights->type), edge);
  return work->is_real ? bits_of(qn_weight_real(weights->type, bits)) : bits;
}

static uint64_t from_source(const struct work *work, uint32_t v) {
  return ~work->places[v].from_source;
}

static uint64_t to_target(const struct work *work, uint32_t v) {
  return ~work->places[v].to_target;
}

static void ask_ahead(const struct work *work, const struct search *search, uint64_t edge) {
  if (edge + AHEAD < search->csr->num_edges)
    __builtin_prefetch(&work->places[search->csr->column_indices[edge + AHEAD]], 1);
}

/* A path leads through a vertex that both searches have come to. */
static void note_path(struct work *work, uint32_t v) {
  const uint64_t through = add(work, from_source(work, v), to_target(work, v));
  if (through >= work->shortest)
    return;
  work->shortest = work->limit = through;
  if (work->is_real)
    work->limit = bits_of(
        fmin(real_of(through) * (1 + (double)work->forward.csr->num_vertices * ROUNDING), DBL_MAX));
}

/* Is what lies so far from one end, and is not settled from the other, on no shortest path? */
static bool is_too_far(struct work *work, uint64_t distance, const struct search *other) {
  return other->count > 0 && add(work, distance, other->heap[0].distance) > work->limit;
}

/* ---- From the target -------------------------------------------------------------- */

static enum qn_status relax_backward(struct work *work, const struct entry *from, uint64_t edge,
                                     struct qn_error *error) {
  struct search *search = &work->backward;
  const struct entry to = {.vertex = search->csr->column_indices[edge],
                           .distance = add(work, from->distance, length(work, search, edge))};
  if (to.distance >= to_target(work, to.vertex) || to.distance > work->limit)
    return QN_OK;
  work->places[to.vertex].to_target = ~to.distance;
  note_path(work, to.vertex);
  return is_too_far(work, to.distance, &work->forward) ? QN_OK : put(search, &to, error);
}

static enum qn_status settle_backward(struct work *work, struct qn_error *error) {
  struct search *search = &work->backward;
  const struct entry least = take(search);
  const uint64_t *rows = search->csr->row_offsets;
  enum qn_status status = QN_OK;
  if (least.distance > to_target(work, least.vertex))
    return QN_OK;
  search->num_edges += rows[least.vertex + 1] - rows[least.vertex];
  for (uint64_t edge = rows[least.vertex]; !status && edge < rows[least.vertex + 1]; edge++) {
    ask_ahead(work, search, edge);
    status = relax_backward(work, &least, edge, error);
  }
  return status;
}

/* ---- From the source -------------------------------------------------------------- */

/* May a shortest path lead through a vertex so far from the source? While the searches approach
 * each other, through all that are not too far; then only through those settled from the target. */
static bool may_lead(struct work *work, uint64_t distance, uint32_t v) {
  if (distance > work->limit)
    return false;
  if (work->settled_to == 0)
    return !work->backward.count || to_target(work, v) < work->backward.heap[0].distance ||
           !is_too_far(work, distance, &work->backward);
  return to_target(work, v) < work->settled_to &&
         add(work, distance, to_target(work, v)) <= work->limit;
}

static enum qn_status relax_forward(struct work *work, const struct entry *from, uint64_t edge,
                                    struct qn_error *error) {
  struct search *search = &work->forward;
  struct entry to = {.vertex = search->csr->column_indices[edge],
                     .distance = add(work, from->distance, length(work, search, edge))};
  struct place *place = &work->places[to.vertex];
  const struct entry known = {~place->from_source, place->steps, to.vertex};
  to.steps = to.distance == from->distance ? from->steps + 1 : 0;
  if (to.distance == NOT_REACHED || comes_before(&known, &to) ||
      !may_lead(work, to.distance, to.vertex))
    return QN_OK;
  if (!comes_before(&to, &known)) {
    if (place->parent != to.vertex &&
        qn_path_position(work->ends, from->vertex) < qn_path_position(work->ends, place->parent))
      place->parent = from->vertex;
    return QN_OK;
  }
  *place = (struct place){~to.distance, place->to_target, to.steps, from->vertex};
  if (work->settled_to == 0)
    note_path(work, to.vertex);
  return put(search, &to, error);
}

static enum qn_status settle_forward(struct work *work, struct qn_error *error) {
  struct search *search = &work->forward;
  const struct entry least = take(search);
  const struct entry known = {from_source(work, least.vertex), work->places[least.vertex].steps, 0};
  const uint64_t *rows = search->csr->row_offsets;
  enum qn_status status = QN_OK;
  if (comes_before(&known, &least) || !may_lead(work, least.distance, least.vertex))
    return QN_OK;
  search->num_edges += rows[least.vertex + 1] - rows[least.vertex];
  for (uint64_t edge = rows[least.vertex]; !status && edge < rows[least.vertex + 1]; edge++) {
    ask_ahead(work, search, edge);
    status = relax_forward(work, &least, edge, error);
  }
  return status;
}

/* ---- Both ------------------------------------------------------------------------- */

static enum qn_status begin(struct work *work, struct qn_error *error) {
  const struct entry source = {.vertex = work->ends->source},
                     target = {.vertex = work->ends->target};
  work->places[source.vertex].from_source = ~(uint64_t)0;
  work->places[source.vertex].parent = source.vertex;
  enum qn_status status = put(&work->forward, &source, error);
  if (!status && work->ends->in) {
    work->places[target.vertex].to_target = ~(uint64_t)0;
    note_path(work, target.vertex);
    status = put(&work->backward, &target, error);
  }
  return status;
}

/* Until all vertices that a shortest path may lead through are settled from one end. Not only those
 * of one path: vertices as far as the least that wait may be on others, by edges of no length. */
static enum qn_status approach(struct work *work, struct qn_error *error) {
  struct search *forward = &work->forward, *backward = &work->backward;
  enum qn_status status = QN_OK;
  for (uint64_t looks = 1; !status && forward->count && backward->count; looks++) {
    const uint64_t both = sum_of(work, forward->heap[0].distance, backward->heap[0].distance);
    if (work->shortest != NOT_REACHED && both > work->limit)
      break;
    status = forward->num_edges <= backward->num_edges ? settle_forward(work, error)
                                                       : settle_backward(work, error);
    if (!status && looks % 65536 == 0)
      status = qn_context_check(error);
  }
  work->settled_to = backward->count ? backward->heap[0].distance : NOT_REACHED;
  return status;
}

/* Until the target is settled, or all that can be reached. */
static enum qn_status finish(struct work *work, struct qn_error *error) {
  struct search *forward = &work->forward;
  enum qn_status status = QN_OK;
  for (uint64_t looks = 1;
       !status && forward->count && forward->heap[0].vertex != work->ends->target; looks++) {
    status = settle_forward(work, error);
    if (!status && looks % 65536 == 0)
      status = qn_context_check(error);
  }
  return status;
}

static enum qn_status walk_back(const struct work *work, struct qn_path *path,
                                struct qn_error *error) {
  uint64_t count = 1;
  for (uint32_t v = work->ends->target; work->places[v].parent != v; v = work->places[v].parent)
    count++;
  enum qn_status status = qn_path_create(path, count, error);
  uint32_t v = work->ends->target;
  for (uint64_t i = count; !status && i-- > 0; v = work->places[v].parent) {
    path->vertices[i] = v;
    path->distances[i] = from_source(work, v);
  }
  return status;
}

/* No sum of 64 bits leads to the target: is there a path at all? */
static enum qn_status refuse_long_paths(const struct work *work, struct qn_error *error) {
  struct qn_path path = {0};
  enum qn_status status = qn_path_by_hops(work->ends, &path, error);
  if (!status && path.num_vertices > 0)
    status = qn_fail(error, QN_UNSUPPORTED,
                     "the sum of the weights along a path leaves 64 bits; quern-import "
                     "--weights=f64 makes them real");
  qn_pages_free(path.vertices, path.num_vertices, sizeof *path.vertices);
  qn_pages_free(path.distances, path.num_vertices, sizeof *path.distances);
  return status;
}

static enum qn_status search(struct work *work, struct qn_path *path, struct qn_error *error) {
  const bool has_both = work->ends->in;
  enum qn_status status = begin(work, error);
  if (!status && has_both)
    status = approach(work, error);
  const bool has_met = work->shortest != NOT_REACHED;
  if (!status && (has_met || !has_both))
    status = finish(work, error);
  if (status)
    return status;
  if (from_source(work, work->ends->target) != NOT_REACHED)
    return walk_back(work, path, error);
  if (has_met)
    return qn_fail(error, QN_INVALID,
                   "the graph's in-edges are not its out-edges reversed, as quern-verify reports");
  return work->has_overflow ? refuse_long_paths(work, error) : QN_OK;
}

enum qn_status qn_path_by_weights(const struct qn_path_ends *ends, struct qn_path *path,
                                  struct qn_error *error) {
  const uint64_t num_vertices = ends->out->num_vertices;
  const enum qn_weight_type type = ends->out->weights.type;
  struct work work = {.ends = ends,
                      .is_real = type == QN_WEIGHT_F32 || type == QN_WEIGHT_F64,
                      .forward.csr = ends->out,
                      .backward.csr = ends->in,
                      .shortest = NOT_REACHED,
                      .limit = NOT_REACHED - 1};
  enum qn_status status =
      qn_pages_alloc(&work.places, num_vertices, sizeof *work.places, "places of a search", error);
  if (!status)
    status = search(&work, path, error);
  qn_pages_free(work.places, num_vertices, sizeof *work.places);
  qn_free(work.forward.heap);
  qn_free(work.backward.heap);
  return status;
}
