/* Vertices are dense numbers here, by which the edges lie in rows; those of the graph come last. */
#include "kernels/cpu/edge_partitions/oriented.h"

#include "kernels/cpu/triangles/decoded.h"
#include "kernels/work_division/edge_partitions_index.h"

static uint64_t band_end(const void *rows, uint64_t dense) {
  (void)rows;
  return dense + 1024;
}

static uint64_t edges_before(const void *rows, uint64_t dense) {
  return ((const struct qn_ep_index *)rows)->row_offsets[dense];
}

static bool decode(const void *rows, uint64_t begin, uint64_t end, uint64_t num_edges,
                   uint64_t *offsets, uint32_t *columns) {
  const struct qn_ep_index *index = rows;
  const uint64_t first = index->row_offsets[begin];
  const uint32_t *destinations = index->layout->destinations + first;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (uint64_t row = 0; row < end - begin; row++)
      offsets[row] = index->row_offsets[begin + row] - first;
#pragma omp for schedule(static)
    for (uint64_t edge = 0; edge < num_edges; edge++)
      columns[edge] = qn_ep_locate(index, destinations[edge]).dense;
  }
  return true;
}

static const struct qn_decoder decoder = {band_end, edges_before, decode};

enum qn_status qn_edge_partitions_orient(const void *view, bool wants_ways,
                                         struct qn_orientation *edges, struct qn_error *error) {
  const struct qn_edge_partitions *layout = view;
  struct qn_ep_index index;
  enum qn_status status = qn_ep_index_create(&index, layout, error);
  if (!status)
    status =
        qn_orientation_of_decoded(&decoder, layout->num_vertices, &index, NULL,
                                  layout->directedness != QN_UNDIRECTED, wants_ways, edges, error);
  for (uint64_t c = 0; !status && c < layout->num_vertices; c++)
    edges->old_vertex[c] = layout->new_to_old[edges->old_vertex[c]];
  qn_ep_index_destroy(&index);
  return status;
}
