/* Gorder: always the vertex that has most in common with the last few comes next. Priorities change
 * by one at a time, so vertices wait in a list for each. A priority that falls leaves its vertex
 * where it is until its turn seems to have come. Large graphs are ordered in pieces, by all threads
 * at once. */
#include "converters/graph/order.h"

#include <math.h>
#include <omp.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/transpose.h>

#define WINDOW 5
/* Higher priorities share the last list. */
#define NUM_LISTS ((uint32_t)1 << 16)
#define NOBODY UINT32_MAX
#define PLACED UINT32_MAX /* as a list */
#define TELL_VERTICES 1024
/* Vertices of a piece. */
#define PIECE ((uint64_t)1 << 20)

/* Of a piece: vertices are counted from its first. */
struct waiting {
  uint64_t first_vertex, num_vertices;
  uint32_t *priorities;      /* of each vertex */
  uint32_t *lists;           /* where it waits: its priority, or more; PLACED */
  uint32_t *before, *behind; /* in its list */
  uint32_t first[NUM_LISTS];
  uint32_t top; /* no list above has anybody */
};

struct gorder {
  const struct qn_csr *out, *in;
  uint64_t num_vertices;
  uint64_t most_siblings; /* vertices with more out-edges relate nobody */
  uint32_t *arrays[4];    /* [V] what those who wait have, for all pieces */
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

/* `change` is 1 or UINT32_MAX, which is -1. Vertices of other pieces have none. */
static void change_priority(struct waiting *waiting, uint32_t vertex, uint32_t change) {
  const uint32_t v = vertex - (uint32_t)waiting->first_vertex;
  if (v >= waiting->num_vertices)
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
static void line_up(const struct gorder *gorder, struct waiting *waiting) {
  const uint64_t *offsets = gorder->in->row_offsets + waiting->first_vertex;
  for (uint32_t list = 0; list < NUM_LISTS; list++)
    waiting->first[list] = NOBODY;
  waiting->top = 0;
  for (uint64_t v = waiting->num_vertices; v-- > 0;) {
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
  for (uint64_t v = 0; v < waiting->num_vertices; v++)
    waiting->lists[v] = 0;
}

/* ---- Who has what in common ---------------------------------------------------- */

/* `v` comes into the window or leaves it: its neighbours, and those with an in-neighbour like it.
 */
static void relate(const struct gorder *gorder, struct waiting *waiting, uint32_t v,
                   uint32_t change) {
  const struct qn_csr *out = gorder->out, *in = gorder->in;
  for (uint64_t edge = out->row_offsets[v]; edge < out->row_offsets[v + 1]; edge++)
    change_priority(waiting, out->column_indices[edge], change);
  for (uint64_t edge = in->row_offsets[v]; edge < in->row_offsets[v + 1]; edge++) {
    const uint32_t parent = in->column_indices[edge];
    const uint64_t begin = out->row_offsets[parent], end = out->row_offsets[parent + 1];
    if (out != in)
      change_priority(waiting, parent, change);
    if (end - begin > gorder->most_siblings)
      continue;
    for (uint64_t sibling = begin; sibling < end; sibling++)
      change_priority(waiting, out->column_indices[sibling], change);
  }
}

/* In the place of the piece. */
static enum qn_status place_piece(const struct gorder *gorder, struct waiting *waiting,
                                  uint32_t *order, struct qn_error *error) {
  const uint64_t first = waiting->first_vertex;
  enum qn_status status = QN_OK;
  line_up(gorder, waiting);
  for (uint64_t i = 0; i < waiting->num_vertices && !status; i++) {
    order[i] = (uint32_t)first + take_best(waiting);
    relate(gorder, waiting, order[i], 1);
    if (i >= WINDOW)
      relate(gorder, waiting, order[i - WINDOW], UINT32_MAX);
    if (i % TELL_VERTICES == 0) {
      qn_progress_add(TELL_VERTICES);
      status = qn_context_check(error);
    }
  }
  return status;
}

static void begin_piece(const struct gorder *gorder, uint64_t first, struct waiting *waiting) {
  const uint64_t left = gorder->num_vertices - first;
  waiting->first_vertex = first;
  waiting->num_vertices = left < PIECE ? left : PIECE;
  waiting->priorities = gorder->arrays[0] + first;
  waiting->lists = gorder->arrays[1] + first;
  waiting->before = gorder->arrays[2] + first;
  waiting->behind = gorder->arrays[3] + first;
}

static enum qn_status place_all(const struct gorder *gorder, struct waiting *waiting,
                                uint32_t *order, struct qn_error *error) {
  enum qn_status status = QN_OK;
  qn_progress_begin("ordering", "vertices", gorder->num_vertices);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t first = 0; first < gorder->num_vertices; first += PIECE) {
    struct waiting *mine = &waiting[omp_get_thread_num()];
    struct qn_error own_error;
    begin_piece(gorder, first, mine);
    const enum qn_status own = place_piece(gorder, mine, order + first, &own_error);
#pragma omp critical(qn_gorder_failure)
    if (own && !status) {
      status = own;
      *error = own_error;
    }
  }
  qn_progress_end();
  return status;
}

static enum qn_status order_all(struct gorder *gorder, uint32_t *order, struct qn_error *error) {
  const uint64_t num_vertices = gorder->num_vertices;
  struct waiting *waiting = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&waiting, qn_threads(), sizeof *waiting, "lists of vertices", error);
  for (unsigned i = 0; i < 4 && !status; i++)
    status = qn_pages_alloc(&gorder->arrays[i], num_vertices, sizeof *gorder->arrays[i],
                            "lists of vertices", error);
  if (!status)
    status = place_all(gorder, waiting, order, error);
  for (unsigned i = 0; i < 4; i++)
    qn_pages_free(gorder->arrays[i], num_vertices, sizeof *gorder->arrays[i]);
  qn_free(waiting);
  return status;
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
    status = order_all(&gorder, order, error);
  qn_graph_unmap(&transposed);
  return status;
}
