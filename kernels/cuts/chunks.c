#include "kernels/cuts/chunks.h"

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

/* In leaps of QN_HUB_EDGES, so in time of the order of E / QN_HUB_EDGES searches: rows leapt over
 * have too few edges together for one of them to be a hub. */
static enum qn_status find_hubs(struct qn_row_chunks *chunks, const uint64_t *row_offsets,
                                uint64_t num_rows, struct qn_error *error) {
  uint64_t candidates = row_offsets[num_rows] / QN_HUB_EDGES;
  enum qn_status status =
      qn_alloc(&chunks->hubs, candidates, sizeof *chunks->hubs, "list of hubs", error);
  uint64_t next = 0;
  while (!status && next < num_rows) {
    uint64_t low = next, high = num_rows;
    while (low < high) { /* the first row that ends more than QN_HUB_EDGES behind next's begin */
      uint64_t middle = low + (high - low) / 2;
      if (row_offsets[middle + 1] - row_offsets[next] <= QN_HUB_EDGES)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < num_rows && row_offsets[low + 1] - row_offsets[low] > QN_HUB_EDGES &&
        chunks->num_hubs < candidates)
      chunks->hubs[chunks->num_hubs++] = (uint32_t)low;
    next = low + 1;
  }
  return status;
}

enum qn_status qn_row_chunks_create(struct qn_row_chunks *chunks, const uint64_t *row_offsets,
                                    uint64_t num_rows, struct qn_error *error) {
  *chunks = (struct qn_row_chunks){0};
  uint64_t num_chunks = (row_offsets[num_rows] + num_rows) / QN_CHUNK_EDGES + 1;
  enum qn_status status =
      qn_alloc(&chunks->bounds, num_chunks + 1, sizeof *chunks->bounds, "chunks of rows", error);
  if (!status)
    status = find_hubs(chunks, row_offsets, num_rows, error);
  if (status) {
    qn_row_chunks_destroy(chunks);
    return status;
  }
  chunks->num_chunks = num_chunks;
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++)
    chunks->bounds[chunk] = (uint32_t)row_at_cost(row_offsets, num_rows, chunk * QN_CHUNK_EDGES);
  chunks->bounds[num_chunks] = (uint32_t)num_rows;
  return QN_OK;
}

void qn_row_chunks_destroy(struct qn_row_chunks *chunks) {
  qn_free(chunks->bounds);
  qn_free(chunks->hubs);
  *chunks = (struct qn_row_chunks){0};
}
