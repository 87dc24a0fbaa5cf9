/* Paths by hops: levels of breadth-first search from both ends, always of the end whose next level
 * has fewer edges. Searches first meet in vertices that are on both last levels, and in all such
 * vertices of shortest paths. */
#include "kernels/cpu/paths/path.h"
#include "support/context.h"
#include "support/memory.h"

/* Levels count from 1; 0 is a vertex that the search has not come to. */
struct place {
  uint32_t from_source, to_target;
  uint32_t parent; /* if it came from the source, or is on a shortest path */
};

/* The search from one end. */
struct search {
  const struct qn_csr *csr;
  uint32_t *queue;     /* [V] vertices by level */
  uint64_t first, end; /* in the queue, of the last level */
  uint32_t level;      /* the last one */
};

struct work {
  const struct qn_path_ends *ends;
  struct place *places; /* [V] */
  struct search forward, backward;
  bool has_met;
};

static uint64_t last_level_edges(const struct search *search) {
  uint64_t edges = 0;
  for (uint64_t i = search->first; i < search->end; i++)
    edges +=
        search->csr->row_offsets[search->queue[i] + 1] - search->csr->row_offsets[search->queue[i]];
  return edges;
}

static bool is_before(const struct work *work, uint32_t u, uint32_t v) {
  return qn_path_position(work->ends, u) < qn_path_position(work->ends, v);
}

static void come_forward(struct work *work, uint32_t from, uint32_t to) {
  struct search *search = &work->forward;
  struct place *place = &work->places[to];
  if (!place->from_source) {
    place->from_source = search->level;
    place->parent = from;
    search->queue[search->end++] = to;
    work->has_met |= place->to_target > 0;
  } else if (place->from_source == search->level && is_before(work, from, place->parent)) {
    place->parent = from;
  }
}

static void come_backward(struct work *work, uint32_t to) {
  struct search *search = &work->backward;
  struct place *place = &work->places[to];
  if (place->to_target)
    return;
  place->to_target = search->level;
  search->queue[search->end++] = to;
  work->has_met |= place->from_source > 0;
}

/* The next level, whole: of its vertices the parents are those that are first. */
static void expand(struct work *work, struct search *search) {
  const uint64_t first = search->first, end = search->end;
  search->first = end;
  search->level++;
  for (uint64_t i = first; i < end; i++) {
    const uint32_t v = search->queue[i];
    for (uint64_t edge = search->csr->row_offsets[v]; edge < search->csr->row_offsets[v + 1];
         edge++)
      if (search == &work->forward)
        come_forward(work, v, search->csr->column_indices[edge]);
      else
        come_backward(work, search->csr->column_indices[edge]);
  }
}

static void begin(struct search *search, uint32_t vertex, uint32_t *level) {
  *level = search->level = 1;
  search->queue[search->end++] = vertex;
}

static enum qn_status approach(struct work *work, struct qn_error *error) {
  struct search *forward = &work->forward, *backward = &work->backward;
  const struct qn_path_ends *ends = work->ends;
  enum qn_status status = QN_OK;
  begin(forward, ends->source, &work->places[ends->source].from_source);
  begin(backward, ends->target, &work->places[ends->target].to_target);
  work->places[ends->source].parent = ends->source;
  work->has_met = ends->source == ends->target;
  while (!status && !work->has_met && forward->first < forward->end &&
         backward->first < backward->end) {
    const bool from_target =
        backward->csr && last_level_edges(backward) < last_level_edges(forward);
    expand(work, from_target ? backward : forward);
    status = qn_context_check(error);
  }
  return status;
}

/* From level to level nearer to the target, each vertex looks for its parent among those on
 * shortest paths: on the first of these levels they are where both searches came, on the others
 * those that have a parent. */
static void find_parents(struct work *work) {
  const struct search *backward = &work->backward;
  for (uint64_t i = backward->end; i-- > 0;) {
    const uint32_t v = backward->queue[i];
    struct place *place = &work->places[v];
    bool has_parent = false;
    if (place->to_target == backward->level || place->from_source)
      continue;
    for (uint64_t edge = backward->csr->row_offsets[v]; edge < backward->csr->row_offsets[v + 1];
         edge++) {
      const uint32_t u = backward->csr->column_indices[edge];
      if (work->places[u].from_source && work->places[u].to_target == place->to_target + 1 &&
          (!has_parent || is_before(work, u, place->parent))) {
        place->parent = u;
        has_parent = true;
      }
    }
    if (has_parent)
      place->from_source = work->forward.level + backward->level - place->to_target;
  }
}

static enum qn_status walk_back(const struct work *work, struct qn_path *path,
                                struct qn_error *error) {
  const uint64_t hops = (uint64_t)work->forward.level + work->backward.level - 2;
  enum qn_status status = qn_path_create(path, hops + 1, error);
  uint32_t v = work->ends->target;
  for (uint64_t i = hops + 1; !status && i-- > 0; v = work->places[v].parent) {
    path->vertices[i] = v;
    path->distances[i] = i;
  }
  return status;
}

enum qn_status qn_path_by_hops(const struct qn_path_ends *ends, struct qn_path *path,
                               struct qn_error *error) {
  const uint64_t num_vertices = ends->out->num_vertices;
  struct work work = {.ends = ends, .forward.csr = ends->out, .backward.csr = ends->in};
  enum qn_status status =
      qn_pages_alloc(&work.places, num_vertices, sizeof *work.places, "places of a search", error);
  if (!status)
    status = qn_pages_alloc(&work.forward.queue, num_vertices, sizeof *work.forward.queue,
                            "a queue", error);
  if (!status)
    status = qn_pages_alloc(&work.backward.queue, num_vertices, sizeof *work.backward.queue,
                            "a queue", error);
  if (!status)
    status = approach(&work, error);
  if (!status && work.has_met) {
    find_parents(&work);
    status = walk_back(&work, path, error);
  }
  qn_pages_free(work.places, num_vertices, sizeof *work.places);
  qn_pages_free(work.forward.queue, num_vertices, sizeof *work.forward.queue);
  qn_pages_free(work.backward.queue, num_vertices, sizeof *work.backward.queue);
  return status;
}
