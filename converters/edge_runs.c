#include "converters/edge_runs.h"

/* Stored edges that a thread counts at a time. */
#define CHUNK ((uint64_t)64 << 10)

uint64_t qn_edge_runs_skip(const struct qn_csr *csr, uint64_t row, uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t middle = begin + (end - begin) / 2;
    if (csr->column_indices[middle] < row)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

uint64_t qn_listed_edges_count(const struct qn_listed_edges *listed) {
  uint64_t count = 0, stored = listed->end - listed->begin;
  if (!listed->once)
    return stored;
#pragma omp parallel for schedule(dynamic) reduction(+ : count)
  for (uint64_t chunk = 0; chunk < (stored + CHUNK - 1) / CHUNK; chunk++) {
    uint64_t begin = listed->begin + chunk * CHUNK;
    uint64_t end = listed->end - begin < CHUNK ? listed->end : begin + CHUNK;
    struct qn_edge_runs runs = qn_edge_runs_of(listed, begin, end);
    while (qn_edge_runs_next(&runs))
      count += runs.last - runs.first;
  }
  return count;
}
