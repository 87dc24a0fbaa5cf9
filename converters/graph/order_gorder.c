/* Gorder: always the vertex that has most in common with the last few comes next. Priorities change
 * by one at a time, so vertices wait in a list for each. A priority that falls leaves its vertex
 * where it is until its turn seems to have come. */
#include "converters/graph/order.h"

#include <math.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/transpose.h>

#define WINDOW 5
/* Higher priorities share the last list. */
#define NUM_LISTS ((uint32_t)1 << 16)
#define NOBODY UINT32_MAX
#define PLACED UINT32_MAX /* as a list */
#define TELL_VERTICES 1024

struct waiting {
  uint64_t num_vertices;
  uint32_t *priorities;      /* [V] */
  uint32_t *lists;           /* [V] where a vertex waits: its priority, or more; PLACED */
  uint32_t *before, *behind; /* [V] in its list */
  uint32_t first[NUM_LISTS];
  uint32_t top; /* no list above has anybody */
};

struct gorder {
  const struct qn_csr *out, *in;
  uint64_t num_vertices;
  uint64_t most_siblings; /* vertices with more out-edges relate nobody */
  struct waiting *waiting;
};

/* ---- Who waits ---------------------------------------------------------------- */

static void leave(struct waiting *waiting, uint32_t v) {
  const uint32_t before = waiting->before[v], behind = waiting->behind[v];
  if (before == NOBODY)
    waiting->first[waiting->lists[v]] = behind;
  else
    waiting->behind[before] = behind;
  if (behind != NOBODY)
    waiting->before[behind] = before;
}

static void join(struct waiting *waiting, uint32_t v, uint32_t list) {
  const uint32_t behind = waiting->first[list];
  waiting->lists[v] = list;
  waiting->before[v] = NOBODY;
  waiting->behind[v] = behind;
  if (behind != NOBODY)
    waiting->before[behind] = v;
  waiting->first[list] = v;
  waiting->top = list > waiting->top ? list : waiting->top;
}

static uint32_t list_of(const struct waiting *waiting, uint32_t v) {
  const uint32_t priority = waiting->priorities[v];
  return priority < NUM_LISTS ? priority : NUM_LISTS - 1;
}

/* `change` is 1 or UINT32_MAX, which is -1. */
static void change_priority(struct waiting *waiting, uint32_t v, uint32_t change) {
  if (v >= waiting->num_vertices) /* the file is being overwritten */
    return;
  waiting->priorities[v] += change;
  if (change != 1 || waiting->lists[v] == PLACED)
    return;
  const uint32_t list = list_of(waiting, v);
  if (list <= waiting->lists[v])
    return;
  leave(waiting, v);
  join(waiting, v, list);
}

/* The one whose turn it is leaves; there is one. */
static uint32_t take_best(struct waiting *waiting) {
  for (;;) {
    while (waiting->first[waiting->top] == NOBODY)
      waiting->top--;
    const uint32_t v = waiting->first[waiting->top], list = list_of(waiting, v);
    leave(waiting, v);
    if (list >= waiting->top) {
      waiting->lists[v] = PLACED;
      return v;
    }
    join(waiting, v, list);
  }
}

/* All wait with priority 0: first who has most in-edges, then by number. */
static void line_up(const struct gorder *gorder) {
  struct waiting *waiting = gorder->waiting;
  const uint64_t *offsets = gorder->in->row_offsets;
  for (uint32_t list = 0; list < NUM_LISTS; list++)
    waiting->first[list] = NOBODY;
  waiting->top = 0;
  for (uint64_t v = gorder->num_vertices; v-- > 0;) {
    const uint64_t degree = offsets[v + 1] - offsets[v];
    waiting->behind[v] = NOBODY;
    join(waiting, (uint32_t)v, degree < NUM_LISTS ? (uint32_t)degree : NUM_LISTS - 1);
  }
  /* Joined in front, what is last in line goes first. */
  uint32_t line = NOBODY;
  for (uint32_t list = 0; list < NUM_LISTS; list++) {
    uint32_t last = waiting->first[list];
    while (last != NOBODY && waiting->behind[last] != NOBODY)
      last = waiting->behind[last];
    if (last == NOBODY)
      continue;
    waiting->behind[last] = line;
    if (line != NOBODY)
      waiting->before[line] = last;
    line = waiting->first[list];
    waiting->first[list] = NOBODY;
  }
  waiting->first[0] = line;
  waiting->top = 0;
  for (uint64_t v = 0; v < gorder->num_vertices; v++)
    waiting->lists[v] = 0;
}

/* ---- Who has what in common ---------------------------------------------------- */

/* `v` comes into the window or leaves it: its neighbours, and those with an in-neighbour like it.
 */
static void relate(const struct gorder *gorder, uint32_t v, uint32_t change) {
  const struct qn_csr *out = gorder->out, *in = gorder->in;
  for (uint64_t edge = out->row_offsets[v]; edge < out->row_offsets[v + 1]; edge++)
    change_priority(gorder->waiting, out->column_indices[edge], change);
  for (uint64_t edge = in->row_offsets[v]; edge < in->row_offsets[v + 1]; edge++) {
    const uint32_t parent = in->column_indices[edge];
    const uint64_t begin = out->row_offsets[parent], end = out->row_offsets[parent + 1];
    if (out != in)
      change_priority(gorder->waiting, parent, change);
    if (end - begin > gorder->most_siblings)
      continue;
    for (uint64_t sibling = begin; sibling < end; sibling++)
      change_priority(gorder->waiting, out->column_indices[sibling], change);
  }
}

static enum qn_status place_all(const struct gorder *gorder, uint32_t *order,
                                struct qn_error *error) {
  const uint64_t num_vertices = gorder->num_vertices;
  enum qn_status status = QN_OK;
  qn_progress_begin("ordering", "vertices", num_vertices);
  for (uint64_t i = 0; i < num_vertices && !status; i++) {
    order[i] = take_best(gorder->waiting);
    relate(gorder, order[i], 1);
    if (i >= WINDOW)
      relate(gorder, order[i - WINDOW], UINT32_MAX);
    if (i % TELL_VERTICES == 0) {
      qn_progress_add(TELL_VERTICES);
      status = qn_context_check(error);
    }
  }
  qn_progress_end();
  return status;
}

static enum qn_status waiting_create(uint64_t num_vertices, struct waiting **out,
                                     struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "lists of vertices", error);
  struct waiting *waiting = *out;
  if (status)
    return status;
  waiting->num_vertices = num_vertices;
  uint32_t **const arrays[] = {&waiting->priorities, &waiting->lists, &waiting->before,
                               &waiting->behind};
  for (unsigned i = 0; i < 4 && !status; i++)
    status =
        qn_pages_alloc(arrays[i], num_vertices, sizeof **arrays[i], "lists of vertices", error);
  return status;
}

static void waiting_destroy(struct waiting *waiting) {
  if (!waiting)
    return;
  uint32_t *const arrays[] = {waiting->priorities, waiting->lists, waiting->before,
                              waiting->behind};
  for (unsigned i = 0; i < 4; i++)
    qn_pages_free(arrays[i], waiting->num_vertices, sizeof *arrays[i]);
  qn_free(waiting);
}

enum qn_status qn_order_gorder(const struct qn_graph *graph, uint32_t *order,
                               struct qn_error *error) {
  struct gorder gorder = {.out = &graph->out,
                          .in = &graph->out,
                          .num_vertices = graph->out.num_vertices,
                          .most_siblings = (uint64_t)sqrt((double)graph->out.num_vertices)};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED) {
    gorder.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status = waiting_create(gorder.num_vertices, &gorder.waiting, error);
  if (!status) {
    line_up(&gorder);
    status = place_all(&gorder, order, error);
  }
  waiting_destroy(gorder.waiting);
  qn_graph_unmap(&transposed);
  return status;
}
