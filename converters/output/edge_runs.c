#include "converters/output/edge_runs.h"

#include "support/memory.h"
#include "support/search.h"

/* Stored edges that a thread counts at a time. */
#define CHUNK ((uint64_t)64 << 10)

uint64_t qn_edge_runs_skip(const struct qn_csr *csr, uint64_t row, uint64_t begin, uint64_t end) {
  return qn_lower_bound_u32(csr->column_indices, begin, end, row);
}

static uint64_t num_chunks(const struct qn_listed_edges *listed) {
  return (listed->end - listed->begin + CHUNK - 1) / CHUNK;
}

static struct qn_edge_runs runs_of_chunk(const struct qn_listed_edges *listed, uint64_t chunk) {
  uint64_t begin = listed->begin + chunk * CHUNK;
  return qn_edge_runs_of(listed, begin, listed->end - begin < CHUNK ? listed->end : begin + CHUNK);
}

static uint64_t count_chunk(const struct qn_listed_edges *listed, uint64_t chunk) {
  struct qn_edge_runs runs = runs_of_chunk(listed, chunk);
  uint64_t count = 0;
  while (qn_edge_runs_next(&runs))
    count += runs.last - runs.first;
  return count;
}

uint64_t qn_listed_edges_count(const struct qn_listed_edges *listed) {
  uint64_t count = 0;
  if (!listed->once)
    return listed->end - listed->begin;
#pragma omp parallel for schedule(dynamic) reduction(+ : count)
  for (uint64_t chunk = 0; chunk < num_chunks(listed); chunk++)
    count += count_chunk(listed, chunk);
  return count;
}

/* Where in a chunk `count` edges have been listed. */
static uint64_t place_in_chunk(const struct qn_listed_edges *listed, uint64_t chunk,
                               uint64_t count) {
  struct qn_edge_runs runs = runs_of_chunk(listed, chunk);
  while (qn_edge_runs_next(&runs)) {
    if (count <= runs.last - runs.first)
      return runs.first + count;
    count -= runs.last - runs.first;
  }
  return runs.end;
}

enum qn_status qn_listed_edges_cut(const struct qn_listed_edges *listed, uint64_t num_parts,
                                   uint64_t *cuts, struct qn_error *error) {
  uint64_t chunks = num_chunks(listed), *before;
  enum qn_status status =
      qn_alloc(&before, chunks + 1, sizeof *before, "where to cut the edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic)
  for (uint64_t chunk = 0; chunk < chunks; chunk++)
    before[chunk + 1] = count_chunk(listed, chunk);
  before[0] = 0;
  for (uint64_t chunk = 0; chunk < chunks; chunk++)
    before[chunk + 1] += before[chunk];
  uint64_t total = before[chunks], chunk = 0;
  cuts[0] = listed->begin;
  for (uint64_t part = 1; part < num_parts; part++) {
    uint64_t count = (uint64_t)((unsigned __int128)total * part / num_parts);
    while (chunk < chunks && before[chunk + 1] < count)
      chunk++;
    cuts[part] = count == 0 ? listed->begin : place_in_chunk(listed, chunk, count - before[chunk]);
  }
  cuts[num_parts] = listed->end;
  qn_free(before);
  return QN_OK;
}
