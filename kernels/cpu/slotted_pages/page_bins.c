#include "kernels/cpu/slotted_pages/page_bins.h"

#include "support/memory.h"

/* Edges of a batch, about: few enough for the caches, enough to pay for two barriers. */
#define BATCH_EDGES ((uint64_t)1 << 20)

/* `id_bytes` is a constant where this is called, so that the load of an id is one instruction. */
static inline void count_record(const struct qn_slotted_pages *view,
                                const struct qn_page_record *record, unsigned id_bytes,
                                unsigned shift, uint32_t *counts) {
  const uint8_t *at = record->ids;
  for (uint32_t i = 0; i < record->num_edges; i++, at += id_bytes)
    counts[qn_physical_id_vertex(view->start_vids, view->format.address,
                                 qn_load_physical_id(at, id_bytes)) >>
           shift]++;
}

static void count_task(const struct qn_slotted_pages *view, const struct qn_page_task *task,
                       unsigned shift, uint32_t *counts) {
  bool narrow = qn_page_id_bytes(view->format.address) == 4;
  for (uint64_t page = task->first_page; page < task->end_page; page++) {
    struct qn_page_part part = qn_page_part_of(view, task, page);
    for (uint32_t slot = part.slot_begin; slot < part.slot_end; slot++) {
      struct qn_page_record record = qn_page_part_record(&view->format, &part, slot);
      if (narrow)
        count_record(view, &record, 4, shift, counts);
      else
        count_record(view, &record, 6, shift, counts);
    }
  }
}

static uint64_t task_edges(const struct qn_page_bins *bins, uint64_t task) {
  uint64_t edges = 0;
  for (uint32_t bin = 0; bin < bins->num_bins; bin++)
    edges += bins->starts[task * bins->num_bins + bin];
  return edges;
}

/* Consecutive tasks, as many as BATCH_EDGES allow. */
static void cut_batches(struct qn_page_bins *bins) {
  uint64_t edges = 0;
  for (uint64_t task = 0; task < bins->num_tasks; task++) {
    uint64_t more = task_edges(bins, task);
    if (bins->num_batches == 0 || edges + more > BATCH_EDGES) {
      bins->batches[bins->num_batches++] = task;
      edges = 0;
    }
    edges += more;
    bins->capacity = edges > bins->capacity ? edges : bins->capacity;
  }
  bins->batches[bins->num_batches] = bins->num_tasks;
}

/* From counts to places: bin by bin, and in each task by task. */
static void place_batch(struct qn_page_bins *bins, uint64_t batch) {
  uint32_t place = 0;
  for (uint32_t bin = 0; bin < bins->num_bins; bin++)
    for (uint64_t task = bins->batches[batch]; task < bins->batches[batch + 1]; task++) {
      uint32_t *start = &bins->starts[task * bins->num_bins + bin];
      uint32_t count = *start;
      *start = place;
      place += count;
    }
}

/* Enough bins for the threads, but each as large as half of a core's L2 cache of 2 MiB allows: the
 * fewer there are, the better writing to them works. Not more than QN_MAX_PAGE_BINS in any case. */
static unsigned choose_shift(uint64_t num_vertices) {
  unsigned shift = 10;
  while (num_vertices >> shift >= (shift < 17 ? 64 : QN_MAX_PAGE_BINS))
    shift++;
  return shift;
}

enum qn_status qn_page_bins_create(struct qn_page_bins *bins, const struct qn_slotted_pages *view,
                                   const struct qn_page_tasks *tasks, struct qn_error *error) {
  *bins =
      (struct qn_page_bins){.shift = choose_shift(view->num_vertices), .num_tasks = tasks->count};
  bins->num_bins = (uint32_t)(view->num_vertices >> bins->shift) + 1;
  uint64_t cells = tasks->count * bins->num_bins;
  enum qn_status status =
      qn_alloc(&bins->batches, tasks->count + 1, sizeof *bins->batches, "batches of pages", error);
  if (!status)
    status = qn_pages_alloc(&bins->starts, cells, sizeof *bins->starts, "places in bins", error);
  if (!status)
    status = qn_pages_alloc(&bins->ends, cells, sizeof *bins->ends, "places in bins", error);
  if (status) {
    qn_page_bins_destroy(bins);
    return status;
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t task = 0; task < tasks->count; task++)
    count_task(view, &tasks->tasks[task], bins->shift, bins->starts + task * bins->num_bins);
  cut_batches(bins);
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t batch = 0; batch < bins->num_batches; batch++)
    place_batch(bins, batch);
  return QN_OK;
}

void qn_page_bins_destroy(struct qn_page_bins *bins) {
  uint64_t cells = bins->num_tasks * bins->num_bins;
  qn_free(bins->batches);
  qn_pages_free(bins->starts, cells, sizeof *bins->starts);
  qn_pages_free(bins->ends, cells, sizeof *bins->ends);
  *bins = (struct qn_page_bins){0};
}
