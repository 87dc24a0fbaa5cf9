/* The lists of degree_lists.cuh, made by the host (kernels/cpu/triangles/orientation.h) where the
 * device has no room to orient all edges at once: 4 bytes an edge of the lists instead of 17 an
 * edge of the rows, and less where they are read in the host's memory. Vertices are numbered by
 * falling degree; a list has neighbours of smaller number. */
#pragma once

#include <algorithm>
#include <omp.h>

#include "kernels/cpu/triangles/orientation.h"
#include "kernels/cuda/edges/degree_lists.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"

namespace {

/* Entries ascend, and ways become bits, one for each direction. `both` has room for the list. */
inline void order_list(const struct qn_orientation *edges, uint64_t c, uint64_t *both) {
  uint32_t *list = edges->earlier + edges->offsets[c];
  const uint64_t count = edges->counts[c];
  if (!edges->ways) {
    std::sort(list, list + count);
    return;
  }
  uint8_t *ways = edges->ways + edges->offsets[c];
  for (uint64_t i = 0; i < count; i++)
    both[i] = (uint64_t)list[i] << 32 | (ways[i] == 2 ? 3 : 1);
  std::sort(both, both + count);
  for (uint64_t i = 0; i < count; i++) {
    list[i] = (uint32_t)(both[i] >> 32);
    ways[i] = (uint8_t)both[i];
  }
}

/* Lists as kernels look at them: ascending, one behind the other. */
inline enum qn_status host_lists_order(struct qn_orientation *edges, struct qn_error *error) {
  uint64_t longest = 0, *both = NULL;
  qn_orientation_close_gaps(edges);
  for (uint64_t c = 0; edges->ways && c < edges->num_vertices; c++)
    longest = edges->counts[c] > longest ? edges->counts[c] : longest;
  enum qn_status status =
      qn_pages_alloc(&both, qn_threads() * longest, sizeof *both, "oriented edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t c = 0; c < edges->num_vertices; c++)
    order_list(edges, c, both + (uint64_t)omp_get_thread_num() * longest);
  qn_pages_free(both, qn_threads() * longest, sizeof *both);
  return QN_OK;
}

/* Make lists in a zeroed `edges`, ordered: `orient(edges, error)` is how. First it is seen whether
 * the device has room for `own_bytes`, which are of vertices. */
template <class Orient>
enum qn_status host_lists_create(const struct qn_run_request *request, const char *algorithm,
                                 uint64_t own_bytes, struct qn_cuda_memory *memory, Orient orient,
                                 struct qn_orientation *edges, struct qn_error *error) {
  enum qn_status status = qn_run_fit_or_read(memory, request, algorithm, own_bytes, 0, 0, error);
  if (!status)
    status = orient(edges, error);
  return status ? status : host_lists_order(edges, error);
}

/* Offsets on the device, and entries there or, with `read`, where kernels read edges. */
inline enum qn_status host_lists_bring(struct qn_cuda_memory *memory, uint64_t num_vertices,
                                       const uint64_t *offsets, const uint32_t *entries, bool read,
                                       struct tc_lists *lists, struct qn_error *error) {
  const uint64_t count = offsets[num_vertices];
  lists->num_vertices = num_vertices;
  enum qn_status status = qn_cuda_copy_of(memory, &lists->offsets, offsets, num_vertices + 1, 0,
                                          sizeof *offsets, "lists", error);
  if (status)
    return status;
  return read ? qn_run_edges_of(memory, &lists->entries, entries, count, sizeof *entries,
                                "list entries", error)
              : qn_cuda_copy_of(memory, &lists->entries, entries, count, 0, sizeof *entries,
                                "list entries", error);
}

} /* namespace */
