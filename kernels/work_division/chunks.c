#include "kernels/work_division/chunks.h"

#include <stdbool.h>

#include "support/memory.h"

enum qn_status qn_sum_create(struct qn_sum *sum, uint64_t num_parts, struct qn_error *error) {
  sum->num_parts = num_parts;
  return qn_alloc_zeroed(&sum->parts, num_parts, sizeof *sum->parts, "partial sums", error);
}

void qn_sum_destroy(struct qn_sum *sum) {
  qn_free(sum->parts);
  *sum = (struct qn_sum){0};
}

double qn_sum_total(const struct qn_sum *sum) {
  double total = 0;
  for (uint64_t part = 0; part < sum->num_parts; part++)
    total += sum->parts[part];
  return total;
}

/* The first row before which at least `cost` edges and rows lie. */
static uint64_t row_at_cost(const uint64_t *row_offsets, uint64_t num_rows, uint64_t cost) {
  uint64_t low = 0, high = num_rows;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (row_offsets[middle] + middle < cost)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Several chunks end behind the same row: there lies what is longer than they are. */
static void find_hubs(struct qn_row_chunks *chunks, const uint64_t *row_offsets,
                      uint64_t most_hubs) {
  for (uint64_t chunk = 1; chunk < chunks->num_chunks; chunk++) {
    const uint32_t end = chunks->bounds[chunk], row = end - 1;
    if (end == 0 || end != chunks->bounds[chunk - 1] ||
        row_offsets[end] - row_offsets[row] <= QN_HUB_EDGES)
      continue;
    const bool is_known = chunks->num_hubs > 0 && chunks->hubs[chunks->num_hubs - 1] == row;
    if (!is_known && chunks->num_hubs < most_hubs)
      chunks->hubs[chunks->num_hubs++] = row;
  }
}

enum qn_status qn_row_chunks_create(struct qn_row_chunks *chunks, const uint64_t *row_offsets,
                                    uint64_t num_rows, struct qn_error *error) {
  *chunks = (struct qn_row_chunks){0};
  const uint64_t num_edges = row_offsets[num_rows], most_hubs = num_edges / QN_HUB_EDGES;
  const uint64_t num_chunks = qn_row_chunks_of(num_rows, num_edges);
  enum qn_status status =
      qn_alloc(&chunks->bounds, num_chunks + 1, sizeof *chunks->bounds, "chunks of rows", error);
  if (!status)
    status = qn_alloc(&chunks->hubs, most_hubs, sizeof *chunks->hubs, "list of hubs", error);
  if (status) {
    qn_row_chunks_destroy(chunks);
    return status;
  }
  chunks->num_chunks = num_chunks;
#pragma omp parallel for schedule(static)
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++)
    chunks->bounds[chunk] = (uint32_t)row_at_cost(row_offsets, num_rows, chunk * QN_CHUNK_EDGES);
  chunks->bounds[num_chunks] = (uint32_t)num_rows;
  find_hubs(chunks, row_offsets, most_hubs);
  return QN_OK;
}

void qn_row_chunks_destroy(struct qn_row_chunks *chunks) {
  qn_free(chunks->bounds);
  qn_free(chunks->hubs);
  *chunks = (struct qn_row_chunks){0};
}
