#include "kernels/cpu/set/bands.h"

#include "support/memory.h"
#include "support/search.h"
#include "support/temp_file.h"
#include "support/used_files.h"

/* Edges of a band where memory is not limited: 128 MB in both directions. */
#define BAND_EDGES ((uint64_t)1 << 24)

/* ---- Which there are ---------------------------------------------------------------------- */

static uint64_t most_edges(void) {
  const uint64_t limit = qn_memory_limit();
  return limit ? limit / (8 * sizeof(uint32_t)) : BAND_EDGES;
}

enum qn_status qn_bands_create(const struct qn_set_view *view, struct qn_bands *bands,
                               struct qn_error *error) {
  const uint64_t most = most_edges();
  uint64_t num_edges = 0;
  *bands = (struct qn_bands){.view = view};
  enum qn_status status = qn_alloc_zeroed(&bands->bounds, view->num_parts + 1,
                                          sizeof *bands->bounds, "bands of a set", error);
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    if (part->begins_row && (i == 0 || num_edges > most)) {
      bands->bounds[bands->num_bands++] = part->begin;
      num_edges = 0;
    }
    num_edges += part->num_edges;
    bands->bounds[bands->num_bands] = part->end;
  }
  return status;
}

static void forget(struct qn_csr *csr) {
  qn_pages_free((void *)csr->row_offsets, csr->num_vertices + 1, sizeof *csr->row_offsets);
  qn_pages_free((void *)csr->column_indices, csr->num_edges, sizeof *csr->column_indices);
  *csr = (struct qn_csr){0};
}

void qn_bands_destroy(struct qn_bands *bands) {
  forget(&bands->made.rows);
  forget(&bands->made.columns);
  qn_free(bands->bounds);
  *bands = (struct qn_bands){0};
}

/* ---- Gathering ---------------------------------------------------------------------------- */

/* Where edges of some vertices go. */
struct gathering {
  uint64_t begin, end;
  uint64_t *offsets; /* [end - begin + 1] lengths while edges are counted; then where the next edge
                        of each row goes, which in the end is where the row ends */
  uint32_t *edges;   /* NULL: they are counted */
  uint64_t num_edges;
  bool is_same; /* no more edges were found than counted */
};

/* A row's edges; of a file that is being overwritten no more than it has. */
static uint64_t edges_before(const struct qn_csr *csr, uint64_t row) {
  return csr->row_offsets[row] < csr->num_edges ? csr->row_offsets[row] : csr->num_edges;
}

static void gather_rows(const struct qn_part_rows *part, struct gathering *to) {
  const struct qn_csr *csr = part->csr;
  bool is_same = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : is_same)
  for (uint64_t row = 0; row < part->end - part->begin; row++) {
    uint64_t *place = &to->offsets[part->begin - to->begin + row];
    const uint64_t first = edges_before(csr, row), last = edges_before(csr, row + 1);
    if (to->edges)
      for (uint64_t edge = first; edge < last && (is_same = *place < to->num_edges); edge++)
        to->edges[(*place)++] = (uint32_t)part->columns_begin + csr->column_indices[edge];
    else if (last > first)
      *place += last - first;
  }
  to->is_same = to->is_same && is_same;
}

static void gather_columns(const struct qn_part_rows *part, struct gathering *to) {
  const struct qn_csr *csr = part->csr;
  const uint64_t base = part->columns_begin;
  const bool takes_all = base >= to->begin && part->columns_end <= to->end;
  bool is_same = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : is_same)
  for (uint64_t row = 0; row < part->end - part->begin; row++) {
    uint64_t edge = edges_before(csr, row), last = edges_before(csr, row + 1);
    if (!takes_all) {
      edge = qn_lower_bound_u32(csr->column_indices, edge, last,
                                to->begin > base ? to->begin - base : 0);
      last = qn_lower_bound_u32(csr->column_indices, edge, last, to->end - base);
    }
    for (; edge < last; edge++) {
      const uint64_t own = base + csr->column_indices[edge] - to->begin;
      if (own >= to->end - to->begin)
        continue; /* of a file that is being overwritten */
      const uint64_t place = __atomic_fetch_add(&to->offsets[own], 1, __ATOMIC_RELAXED);
      if (to->edges && place < to->num_edges)
        to->edges[place] = (uint32_t)(part->begin + row);
      else if (to->edges)
        is_same = false;
    }
  }
  to->is_same = to->is_same && is_same;
}

static bool has_rows_of(const struct qn_part_rows *part, const struct gathering *to) {
  return part->begin >= to->begin && part->end <= to->end;
}

static bool has_columns_of(const struct qn_part_rows *part, const struct gathering *to) {
  return part->columns_begin < to->end && part->columns_end > to->begin;
}

static enum qn_status gather_parts(const struct qn_set_view *view, bool of_columns,
                                   struct gathering *to, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    if (of_columns ? !has_columns_of(part, to) : !has_rows_of(part, to))
      continue;
    status = qn_part_enter(view, i, error);
    if (!status && of_columns)
      gather_columns(part, to);
    else if (!status)
      gather_rows(part, to);
    qn_part_leave(view, i);
  }
  return status;
}

/* Lengths become where rows begin. */
static void add_up(struct gathering *to) {
  uint64_t sum = 0;
  for (uint64_t row = 0; row < to->end - to->begin; row++) {
    const uint64_t length = to->offsets[row];
    to->offsets[row] = sum;
    sum += length;
  }
  to->offsets[to->end - to->begin] = to->num_edges = sum;
}

/* Ends of rows become where they begin. */
static bool step_back(struct gathering *to) {
  uint64_t before = 0;
  bool is_same = to->is_same;
  for (uint64_t row = 0; row < to->end - to->begin; row++) {
    const uint64_t end = to->offsets[row];
    is_same = is_same && end >= before && end <= to->num_edges;
    to->offsets[row] = before;
    before = end;
  }
  return is_same && before == to->num_edges;
}

static enum qn_status gather(const struct qn_set_view *view, bool of_columns, uint64_t begin,
                             uint64_t end, struct qn_csr *csr, struct qn_error *error) {
  struct gathering to = {.begin = begin, .end = end, .is_same = true};
  enum qn_status status =
      qn_pages_alloc(&to.offsets, end - begin + 1, sizeof *to.offsets, "rows of a band", error);
  if (status)
    return status;
  *csr = (struct qn_csr){.num_vertices = end - begin, .row_offsets = to.offsets};
  status = gather_parts(view, of_columns, &to, error);
  if (status)
    return status;
  add_up(&to);
  status = qn_pages_alloc(&to.edges, to.num_edges, sizeof *to.edges, "edges of a band", error);
  if (status)
    return status;
  csr->column_indices = to.edges;
  csr->num_edges = to.num_edges;
  status = gather_parts(view, of_columns, &to, error);
  return status || step_back(&to) ? status : qn_input_changed(error);
}

enum qn_status qn_bands_take(struct qn_bands *bands, uint64_t index, struct qn_error *error) {
  struct qn_band *made = &bands->made;
  const uint64_t begin = bands->bounds[index], end = bands->bounds[index + 1];
  if (made->rows.row_offsets && made->begin == begin && made->end == end)
    return QN_OK;
  forget(&made->rows);
  forget(&made->columns);
  made->begin = begin;
  made->end = end;
  enum qn_status status = gather(bands->view, false, begin, end, &made->rows, error);
  if (!status && !bands->view->has_out_rows)
    status = gather(bands->view, true, begin, end, &made->columns, error);
  if (status)
    made->end = begin; /* it is not whole */
  return status;
}
