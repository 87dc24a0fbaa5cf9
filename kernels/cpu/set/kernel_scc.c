/* Strongly connected components on a set, whose rows may hold edges of either direction: components
 * stay the same when all edges are turned round.
 *
 * A kernel of its own for the reason that kernels/cpu/csr/kernel_scc.c tells, after which it goes:
 *
 *   trim      a vertex without edges on one side is alone; all parts are walked until hardly
 *             anything is found
 *   the core  what a vertex of many edges reaches and is reached by; both searches walk the parts
 *             together, and a part again if they have come to vertices of its rows or columns
 *   the rest  what is left after another trim is gathered, and searched by Tarjan
 *             (kernels/tarjan.h)
 *
 * Where the core is so long that too many walks would be needed it is left to the rest. */
#include "kernels/cpu/loop/labels.h"
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "kernels/tarjan.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/used_files.h"

extern const struct qn_kernel qn_kernel_scc_set_cpu;

#define NOT_YET QN_NO_COMPONENT

/* Trimming ends when a walk finds less than one in so many of what is left. */
#define FEW_TRIMMED 64
/* Searches of the core end after so many walks over all parts. */
#define MOST_WALKS 128

/* Marks of a vertex. */
enum {
  HAS_ROW = 1,    /* edges to others that are left, in its row */
  HAS_COLUMN = 2, /* ... in its column */
  FROM_ROW = 4,   /* the pivot's rows lead to it */
  FROM_COLUMN = 8 /* the pivot's columns lead to it */
};

struct work {
  const struct qn_set_view *view;
  uint64_t num_vertices;
  uint32_t *component; /* [V] a vertex of it, or NOT_YET */
  uint8_t *marks;      /* [V] */
};

static bool is_left(const struct work *work, uint64_t v) {
  return work->component[v] == NOT_YET;
}

static uint8_t marks_of(const struct work *work, uint64_t v) {
  return __atomic_load_n(&work->marks[v], __ATOMIC_RELAXED);
}

/* False if it has them already. */
static bool mark(const struct work *work, uint64_t v, uint8_t marks) {
  if ((marks_of(work, v) & marks) == marks)
    return false;
  return (__atomic_fetch_or(&work->marks[v], marks, __ATOMIC_RELAXED) & marks) != marks;
}

/* ---- Trim ---------------------------------------------------------------------------------- */

static void find_edges(const struct work *work, const struct qn_part_rows *part) {
  const struct qn_csr *csr = part->csr;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = part->begin; v < part->end; v++) {
    const uint64_t row = v - part->begin;
    if (!is_left(work, v))
      continue;
    for (uint64_t edge = csr->row_offsets[row]; edge < csr->row_offsets[row + 1]; edge++) {
      const uint64_t u = part->columns_begin + csr->column_indices[edge];
      if (u != v && is_left(work, u)) {
        mark(work, v, HAS_ROW);
        mark(work, u, HAS_COLUMN);
      }
    }
  }
}

/* Vertices without edges on one side are components; how many there are, and are left. */
static uint64_t remove_lone(const struct work *work, uint64_t *num_left) {
  uint64_t removed = 0, left = 0;
#pragma omp parallel for schedule(static) reduction(+ : removed, left)
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    if (!is_left(work, v))
      continue;
    if (work->marks[v] == (HAS_ROW | HAS_COLUMN)) {
      left++;
    } else {
      work->component[v] = (uint32_t)v;
      removed++;
    }
  }
  *num_left = left;
  return removed;
}

static void clear_marks(const struct work *work) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->marks[v] = 0;
}

static enum qn_status trim(const struct work *work, uint64_t *num_left, struct qn_error *error) {
  const struct qn_set_view *view = work->view;
  enum qn_status status = QN_OK;
  uint64_t removed;
  do {
    clear_marks(work);
    for (uint64_t i = 0; !status && i < view->num_parts; i++) {
      status = qn_part_enter(view, i, error);
      if (!status)
        find_edges(work, &view->parts[i]);
      qn_part_leave(view, i);
    }
    removed = status ? 0 : remove_lone(work, num_left);
  } while (removed > *num_left / FEW_TRIMMED);
  return status;
}

/* ---- The core ------------------------------------------------------------------------------ */

/* Of the vertices that are left the one that is a column in most rows; there is one. */
static uint32_t find_pivot(const struct work *work) {
  uint64_t best = 0;
  uint32_t pivot = NOT_YET;
  for (uint64_t v = 0; v < work->num_vertices; v++) {
    const uint64_t edges = qn_degree_of(&work->view->out_degrees, v);
    if (is_left(work, v) && (pivot == NOT_YET || edges > best)) {
      best = edges;
      pivot = (uint32_t)v;
    }
  }
  return pivot;
}

/* What a walk over a part has found. */
struct found {
  uint64_t in_rows, in_columns; /* vertices that were marked */
};

/* Both searches go one step, or several, along the edges of a part. */
static struct found search_part(const struct work *work, const struct qn_part_rows *part) {
  const struct qn_csr *csr = part->csr;
  uint64_t in_rows = 0, in_columns = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : in_rows, in_columns)
  for (uint64_t v = part->begin; v < part->end; v++) {
    const uint64_t row = v - part->begin;
    if (!is_left(work, v))
      continue;
    const bool spreads = marks_of(work, v) & FROM_ROW;
    bool looks = !(marks_of(work, v) & FROM_COLUMN);
    for (uint64_t edge = csr->row_offsets[row];
         (spreads || looks) && edge < csr->row_offsets[row + 1]; edge++) {
      const uint64_t u = part->columns_begin + csr->column_indices[edge];
      if (!is_left(work, u))
        continue;
      if (spreads)
        in_columns += mark(work, u, FROM_ROW);
      if (looks && marks_of(work, u) & FROM_COLUMN) {
        in_rows += mark(work, v, FROM_COLUMN);
        looks = false;
      }
    }
  }
  return (struct found){in_rows, in_columns};
}

/* Has a search come, since a part was walked, to where it goes on from? Vertices of rows are those
 * of other parts' columns: what is found is told to all parts that have some of them. */
static void tell_parts(const struct qn_set_view *view, uint64_t begin, uint64_t end,
                       uint8_t *is_due) {
  for (uint64_t i = 0; i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    if ((part->begin < end && part->end > begin) ||
        (part->columns_begin < end && part->columns_end > begin))
      is_due[i] = 1;
  }
}

/* Until nothing more is found; `*is_whole` is false if that would take too long. */
static enum qn_status search(const struct work *work, uint8_t *is_due, bool *is_whole,
                             struct qn_error *error) {
  const struct qn_set_view *view = work->view;
  enum qn_status status = QN_OK;
  bool goes_on = true;
  for (uint64_t walk = 0; !status && goes_on && walk < MOST_WALKS; walk++) {
    goes_on = false;
    for (uint64_t i = 0; !status && i < view->num_parts; i++) {
      const struct qn_part_rows *part = &view->parts[i];
      if (!is_due[i])
        continue;
      is_due[i] = 0;
      status = qn_part_enter(view, i, error);
      const struct found found = status ? (struct found){0} : search_part(work, part);
      qn_part_leave(view, i);
      if (found.in_rows)
        tell_parts(view, part->begin, part->end, is_due);
      if (found.in_columns)
        tell_parts(view, part->columns_begin, part->columns_end, is_due);
      goes_on = goes_on || found.in_rows || found.in_columns;
    }
  }
  *is_whole = !goes_on;
  return status;
}

static enum qn_status find_core(const struct work *work, struct qn_error *error) {
  const uint32_t pivot = find_pivot(work);
  uint8_t *is_due;
  bool is_whole = false;
  enum qn_status status = qn_alloc_zeroed(&is_due, work->view->num_parts, 1, "parts", error);
  if (status)
    return status;
  clear_marks(work);
  mark(work, pivot, FROM_ROW | FROM_COLUMN);
  tell_parts(work->view, pivot, (uint64_t)pivot + 1, is_due);
  status = search(work, is_due, &is_whole, error);
  qn_free(is_due);
  if (status || !is_whole)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (work->marks[v] == (FROM_ROW | FROM_COLUMN))
      work->component[v] = pivot;
  return QN_OK;
}

/* ---- The rest ------------------------------------------------------------------------------ */

/* A graph of the vertices that are left. */
struct rest {
  struct qn_csr rows;  /* by new number */
  uint32_t *numbers;   /* [V] the new ones */
  uint32_t *vertices;  /* [rows.num_vertices] by new number */
  uint32_t *component; /* [rows.num_vertices] */
};

static void number_rest(const struct work *work, struct rest *rest) {
  uint32_t next = 0;
  for (uint64_t v = 0; v < work->num_vertices; v++)
    if (is_left(work, v)) {
      rest->numbers[v] = next;
      rest->vertices[next] = (uint32_t)v;
      rest->component[next++] = NOT_YET;
    }
}

/* Count the edges of a part that lead from and to what is left, or take them: offsets[row] is how
 * many there are so far, or where the next one goes. False if there is no place for one. */
static bool take_edges(const struct work *work, const struct qn_part_rows *part,
                       const struct rest *rest, uint64_t *offsets, uint32_t *edges,
                       uint64_t num_edges) {
  const struct qn_csr *csr = part->csr;
  bool has_place = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : has_place)
  for (uint64_t v = part->begin; v < part->end; v++) {
    const uint64_t row = v - part->begin;
    if (!is_left(work, v))
      continue;
    uint64_t *place = &offsets[rest->numbers[v]];
    for (uint64_t edge = csr->row_offsets[row]; edge < csr->row_offsets[row + 1]; edge++) {
      const uint64_t u = part->columns_begin + csr->column_indices[edge];
      if (!is_left(work, u))
        continue;
      if (edges && *place < num_edges)
        edges[*place] = rest->numbers[u];
      else if (edges)
        has_place = false;
      ++*place;
    }
  }
  return has_place;
}

static enum qn_status walk_rest(const struct work *work, struct rest *rest, uint64_t *offsets,
                                uint32_t *edges, struct qn_error *error) {
  const struct qn_set_view *view = work->view;
  enum qn_status status = QN_OK;
  bool has_place = true;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    status = qn_part_enter(view, i, error);
    if (!status)
      has_place = take_edges(work, &view->parts[i], rest, offsets, edges, rest->rows.num_edges) &&
                  has_place;
    qn_part_leave(view, i);
  }
  return status || has_place ? status : qn_input_changed(error);
}

static enum qn_status gather_rest(const struct work *work, struct rest *rest,
                                  struct qn_error *error) {
  const uint64_t num_vertices = rest->rows.num_vertices;
  uint64_t *offsets, sum = 0;
  uint32_t *edges;
  enum qn_status status =
      qn_pages_alloc(&offsets, num_vertices + 1, sizeof *offsets, "rows of the rest", error);
  if (status)
    return status;
  rest->rows.row_offsets = offsets;
  status = walk_rest(work, rest, offsets + 1, NULL, error);
  if (status)
    return status;
  for (uint64_t v = 0; v < num_vertices; v++) { /* offsets[v + 1]: where row v begins */
    const uint64_t length = offsets[v + 1];
    offsets[v + 1] = sum;
    sum += length;
  }
  status = qn_pages_alloc(&edges, sum, sizeof *edges, "edges of the rest", error);
  if (status)
    return status;
  rest->rows.num_edges = sum;
  rest->rows.column_indices = edges;
  status = walk_rest(work, rest, offsets + 1, edges, error);
  for (uint64_t v = 0; !status && v < num_vertices; v++)
    if (offsets[v + 1] < offsets[v] || offsets[v + 1] > sum)
      status = qn_input_changed(error);
  return status;
}

static enum qn_status create_rest(const struct work *work, uint64_t num_left, struct rest *rest,
                                  struct qn_error *error) {
  rest->rows.num_vertices = num_left;
  enum qn_status status =
      qn_pages_alloc(&rest->numbers, work->num_vertices, sizeof *rest->numbers, "numbers", error);
  if (!status)
    status = qn_pages_alloc(&rest->vertices, num_left, sizeof *rest->vertices, "the rest", error);
  if (!status)
    status =
        qn_pages_alloc(&rest->component, num_left, sizeof *rest->component, "components", error);
  return status;
}

static void destroy_rest(const struct work *work, struct rest *rest) {
  const uint64_t num_left = rest->rows.num_vertices;
  qn_pages_free((void *)rest->rows.row_offsets, num_left + 1, sizeof(uint64_t));
  qn_pages_free((void *)rest->rows.column_indices, rest->rows.num_edges, sizeof(uint32_t));
  qn_pages_free(rest->component, num_left, sizeof *rest->component);
  qn_pages_free(rest->vertices, num_left, sizeof *rest->vertices);
  qn_pages_free(rest->numbers, work->num_vertices, sizeof *rest->numbers);
}

static enum qn_status search_rest(const struct work *work, uint64_t num_left,
                                  struct qn_error *error) {
  struct rest rest = {0};
  enum qn_status status = create_rest(work, num_left, &rest, error);
  if (!status) {
    number_rest(work, &rest);
    status = gather_rest(work, &rest, error);
  }
  if (!status)
    status = qn_tarjan(&rest.rows, rest.component, error);
  for (uint64_t v = 0; !status && v < num_left; v++)
    work->component[rest.vertices[v]] = rest.vertices[rest.component[v]];
  destroy_rest(work, &rest);
  return status;
}

/* -------------------------------------------------------------------------------------------- */

static enum qn_status find_components(const struct work *work, const uint32_t *positions,
                                      struct qn_error *error) {
  uint64_t num_left = 0;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->num_vertices; v++)
    work->component[v] = NOT_YET;
  enum qn_status status = trim(work, &num_left, error);
  if (!status && num_left)
    status = find_core(work, error);
  if (!status && num_left)
    status = trim(work, &num_left, error);
  if (!status && num_left)
    status = search_rest(work, num_left, error);
  return status ? status
                : qn_label_by_position(work->component, work->num_vertices, positions, error);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct work work = {.view = request->view};
  const uint64_t num_vertices = work.num_vertices = work.view->num_vertices;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_pages_alloc(&work.component, num_vertices, sizeof *work.component, "components", error);
  if (!status)
    status = qn_pages_alloc(&work.marks, num_vertices, sizeof *work.marks, "marks", error);
  if (!status)
    status = find_components(&work, request->positions, error);
  qn_pages_free(work.marks, num_vertices, sizeof *work.marks);
  if (status) {
    qn_pages_free(work.component, num_vertices, sizeof *work.component);
    return status;
  }
  *result = (struct qn_run_result){
      .type = QN_RESULT_U32,
      .num_values = num_vertices,
      .values = work.component,
      .stats = {.iterations = 1, .converged = true, .kernel_seconds = qn_seconds() - begin}};
  return QN_OK;
}

const struct qn_kernel qn_kernel_scc_set_cpu = QN_STANDALONE_KERNEL(
    scc, "walks over parts, trim, core, Tarjan", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_NO_FRONTIER | QN_KERNEL_ALONE | QN_KERNEL_ANY_ROWS, QN_RESULT_U32, run, 0);
