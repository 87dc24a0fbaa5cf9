#include "kernels/work_division/edge_partitions_index.h"

#include <string.h>

#include "support/memory.h"

#define PARALLEL_VERTICES ((uint64_t)1 << 16) /* less is not worth waking other threads */

static void find_rows(struct qn_ep_index *index) {
  const struct qn_edge_partitions *layout = index->layout;
  const uint32_t *sources = layout->sources;
  uint64_t *row_offsets = index->row_offsets;
#pragma omp parallel for schedule(static)
  for (uint64_t e = 0; e < layout->num_edges; e++)
    if (e == 0 || sources[e] != sources[e - 1])
      row_offsets[qn_ep_locate(index, sources[e]).dense] = e;
#pragma omp parallel for schedule(static)
  for (uint64_t v = layout->num_sources; v <= layout->num_vertices; v++)
    row_offsets[v] = layout->num_edges;
}

static void find_heads(struct qn_ep_index *index) {
  uint32_t head = 0;
  for (uint64_t p = 0; p < index->layout->num_partitions; p++) {
    if (qn_ep_num_sources(index->layout, p) > 0)
      head = (uint32_t)p;
    index->heads[p] = head;
  }
}

static void cut_tasks(struct qn_ep_index *index) {
  const struct qn_edge_partitions *layout = index->layout;
  uint64_t partition = 0, last = layout->num_partitions - 1;
  for (uint64_t i = 0; i < index->num_tasks; i++) {
    uint64_t begin = i * QN_EP_TASK_EDGES, left = layout->num_edges - begin;
    uint64_t end = begin + (left < QN_EP_TASK_EDGES ? left : QN_EP_TASK_EDGES);
    struct qn_ep_task *task = &index->tasks[i];
    while (partition < last && layout->edge_offsets[partition + 1] <= begin)
      partition++;
    task->first_partition = (uint32_t)partition;
    while (partition < last && layout->edge_offsets[partition + 1] < end)
      partition++;
    task->last_partition = (uint32_t)partition;
    task->edge_begin = begin;
    task->edge_end = end;
    task->first_row = qn_ep_locate(index, layout->sources[begin]).dense;
    task->last_row = qn_ep_locate(index, layout->sources[end - 1]).dense;
  }
}

enum qn_status qn_ep_index_create(struct qn_ep_index *index,
                                  const struct qn_edge_partitions *layout, struct qn_error *error) {
  uint64_t num_tasks =
      layout->num_edges / QN_EP_TASK_EDGES + (layout->num_edges % QN_EP_TASK_EDGES != 0);
  *index = (struct qn_ep_index){
      .layout = layout, .divider = qn_ep_divider(layout->range_size), .num_tasks = num_tasks};
  enum qn_status status = qn_pages_alloc(&index->row_offsets, layout->num_vertices + 1,
                                         sizeof *index->row_offsets, "row offsets", error);
  if (!status)
    status = qn_alloc(&index->heads, layout->num_partitions, sizeof *index->heads,
                      "heads of partitions", error);
  if (!status)
    status = qn_alloc(&index->tasks, num_tasks, sizeof *index->tasks, "tasks", error);
  if (status) {
    qn_ep_index_destroy(index);
    return status;
  }
  find_rows(index);
  find_heads(index);
  cut_tasks(index);
  return QN_OK;
}

void qn_ep_index_destroy(struct qn_ep_index *index) {
  if (index->layout)
    qn_pages_free(index->row_offsets, index->layout->num_vertices + 1, sizeof *index->row_offsets);
  qn_free(index->heads);
  qn_free(index->tasks);
  *index = (struct qn_ep_index){0};
}

/* Is a bit of [begin, end) set? */
static bool any_bit(const uint64_t *bits, uint64_t begin, uint64_t end) {
  if (begin >= end)
    return false;
  uint64_t first = begin / 64, last = (end - 1) / 64;
  uint64_t head = ~(uint64_t)0 << (begin % 64), tail = ~(uint64_t)0 >> (63 - (end - 1) % 64);
  if (first == last)
    return (bits[first] & head & tail) != 0;
  if ((bits[first] & head) || (bits[last] & tail))
    return true;
  for (uint64_t word = first + 1; word < last; word++)
    if (bits[word])
      return true;
  return false;
}

void qn_ep_flag_partitions(const struct qn_ep_index *index, const uint64_t *bits, uint8_t *flags) {
  const struct qn_edge_partitions *layout = index->layout;
#pragma omp parallel for schedule(static) if (layout->num_sources > PARALLEL_VERTICES)
  for (uint64_t p = 0; p < layout->num_partitions; p++) {
    uint64_t begin = qn_ep_first_dense(layout, p);
    flags[p] = any_bit(bits, begin, begin + qn_ep_num_sources(layout, p));
  }
}
