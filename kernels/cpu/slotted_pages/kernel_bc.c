/* Betweenness centrality on slotted pages (kernels/cpu/loop/brandes.h): backwards each vertex reads
 * its own record; forwards records give to their columns, but for undirected graphs.
 *
 * A kernel of its own because it has two phases. */
#include <omp.h>

#include "kernels/cpu/loop/brandes_step.h"
#include <quern/slotted_pages.h>

/* Where a thread found its last vertex: often the next one is there too. */
struct reader {
  uint64_t page;
  char others[56]; /* a cache line is one thread's */
};

struct brandes_rows {
  const struct qn_slotted_pages *pages;
  struct reader *readers; /* one a thread */
};

/* The pages [*first, *end) that have edges of a vertex. */
static void find_pages(const struct brandes_rows *rows, uint32_t v, uint64_t *first,
                       uint64_t *end) {
  const struct qn_slotted_pages *pages = rows->pages;
  uint64_t *page = &rows->readers[omp_get_thread_num()].page;
  if (v < pages->start_vids[*page] || v >= pages->start_vids[*page + 1] ||
      qn_page_is_large(pages, *page))
    *page = qn_slotted_pages_find(pages, v);
  *first = *page;
  *end = *page + 1 + (qn_page_is_large(pages, *page) ? (uint64_t)pages->lp_ranges[*page] : 0);
}

static struct qn_page_record record_of(const struct qn_slotted_pages *pages, uint64_t page,
                                       uint32_t v) {
  return qn_page_record(&pages->format, qn_page_at(pages, page), v - pages->start_vids[page]);
}

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline uint32_t column_at(const struct qn_slotted_pages *pages,
                                 const struct qn_page_record *record, uint64_t i,
                                 unsigned id_bytes) {
  return qn_physical_id_vertex(pages->start_vids, pages->format.address,
                               qn_load_physical_id(record->ids + i * id_bytes, id_bytes));
}

/* Additions need not wait for each other; their order is that of kernels/cpu/csr/brandes_row.h. */
static inline double sum_record(const struct qn_slotted_pages *pages,
                                const struct qn_page_record *record, unsigned id_bytes,
                                const double *offer) {
  const uint32_t whole = record->num_edges / 4 * 4;
  double parts[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < whole; i++)
    parts[i % 4] += offer[column_at(pages, record, i, id_bytes)];
  for (uint32_t i = whole; i < record->num_edges; i++)
    parts[0] += offer[column_at(pages, record, i, id_bytes)];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

static double brandes_sum(const struct brandes_rows *rows, const double *offer, uint32_t v) {
  const struct qn_slotted_pages *pages = rows->pages;
  uint64_t page, end;
  double sum = 0;
  find_pages(rows, v, &page, &end);
  for (; page < end; page++) {
    const struct qn_page_record record = record_of(pages, page, v);
    sum += qn_page_id_bytes(pages->format.address) == 4 ? sum_record(pages, &record, 4, offer)
                                                        : sum_record(pages, &record, 6, offer);
  }
  return sum;
}

static inline void give_record(const struct qn_slotted_pages *pages,
                               const struct qn_page_record *record, unsigned id_bytes,
                               const struct brandes_step *step, double offer, uint64_t begin,
                               uint64_t end) {
  uint64_t first = 0, last = record->num_edges;
  while (first < last && begin > 0) {
    const uint64_t middle = first + (last - first) / 2;
    if (column_at(pages, record, middle, id_bytes) < begin)
      first = middle + 1;
    else
      last = middle;
  }
  for (; first < record->num_edges; first++) {
    const uint32_t column = column_at(pages, record, first, id_bytes);
    if (column >= end)
      return;
    if (step->hops[column] == step->to)
      step->into[column] += offer;
  }
}

static void brandes_give(const struct brandes_rows *rows, const struct brandes_step *step,
                         uint32_t v, uint64_t begin, uint64_t end) {
  const struct qn_slotted_pages *pages = rows->pages;
  uint64_t page, last;
  find_pages(rows, v, &page, &last);
  for (; page < last; page++) {
    const struct qn_page_record record = record_of(pages, page, v);
    if (qn_page_id_bytes(pages->format.address) == 4)
      give_record(pages, &record, 4, step, step->offer[v], begin, end);
    else
      give_record(pages, &record, 6, step, step->offer[v], begin, end);
  }
}

#define BRANDES_GIVES
#include "kernels/cpu/loop/brandes_rows.h"

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_slotted_pages_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_slotted_pages *view = request->view;
  const double begin = qn_seconds();
  struct brandes_rows rows = {.pages = view};
  *result = (struct qn_run_result){0};
  enum qn_status status =
      qn_alloc_zeroed(&rows.readers, qn_threads(), sizeof *rows.readers, "pages of threads", error);
  if (status)
    return status;
  struct work work = {.edges = {.out = rows,
                                .in = rows,
                                .has_out = true,
                                .has_in = view->directedness == QN_UNDIRECTED},
                      .search =
                          qn_kernel_find("bfs", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, view->weight_type),
                      .view = view};
  status = brandes_run(request, view->num_vertices, &work, begin, result, error);
  qn_free(rows.readers);
  return status;
}

const struct qn_kernel qn_kernel_bc_slotted_pages_cpu =
    QN_BC_KERNEL("slotted-pages Brandes", QN_LAYOUT_SLOTTED_PAGES, QN_CPU, 0, run);
