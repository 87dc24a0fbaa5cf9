#include "converters/build/build_estimate.h"

#include "converters/edges/spill.h"
#include "support/threads.h"

/* Rates of one thread and of a disk, on the slow side: estimates are better too long. */
static const double DIVIDED_PER_SECOND = 60e6, SORTED_PER_SECOND = 40e6;
static const double DISK_BYTES_PER_SECOND = 500e6;

static uint64_t times(uint64_t count, double factor) {
  double product = (double)count * factor;
  return product < 9e18 ? (uint64_t)product : (uint64_t)9000000000000000000u;
}

/* Bytes an edge of the list takes, of sorting records, and of the output. */
struct edge_bytes {
  double list, record, output;
};

struct qn_work_estimate qn_build_estimate(const struct qn_build *build,
                                          const struct qn_expected_edges *edges) {
  struct qn_work_estimate estimate = {.unknown = edges->unknown};
  uint64_t threads = qn_threads();
  estimate.least = QN_SPILL_FIXED_BYTES + threads * (QN_SPILL_THREAD_BYTES + qn_divider_bytes(4)) +
                   QN_SPILL_LEAST_EDGES * (edges->most_weight_bytes ? 52 : 26);
  if (edges->unknown)
    return estimate;
  bool kept = build->weights != QN_WEIGHTS_NONE;
  unsigned weight = kept ? edges->weight_bytes : 0, most = kept ? edges->most_weight_bytes : 0;
  double copies = build->undirected ? 2 : 1;
  struct edge_bytes bytes = {.list = 8 + weight,
                             .record = weight == 8 ? 16
                                       : weight    ? 12
                                                   : 6,
                             .output = 4 + weight};
  uint64_t stored = times(edges->num_edges, copies);
  bool in_edges = build->transpose && !build->undirected;
  estimate.usual =
      times(edges->num_edges,
            (bytes.list > copies * bytes.record ? bytes.list : copies * bytes.record) * 1.2);
  /* Ids of 64 bits, which are sorted to find out which there are. */
  double worst_list = most ? 16 + most : edges->given_vertices ? 8 : 16;
  double worst_ids = edges->given_vertices ? 0 : 32;
  estimate.most = ((uint64_t)32 << 20) +
                  times(edges->most_edges, worst_list + worst_ids + copies * (most ? 16 : 8) * 1.3 +
                                               (in_edges ? 4 + most : 0));
  /* The lists of blocks of edges on disk. */
  estimate.least += times(stored, 40.0 / 4000);
  estimate.temporary = times(stored, 8 + weight);
  if (in_edges)
    estimate.temporary += times(stored, 4 + weight);
  estimate.mapped = edges->file_bytes;
  estimate.output =
      times(stored, bytes.output * (in_edges ? 2 : 1)) +
      times(edges->num_vertices, (in_edges ? 16 : 8) + (edges->given_vertices ? 0 : 8));
  estimate.seconds = edges->seconds_to_read +
                     (double)stored *
                         (1 / DIVIDED_PER_SECOND + (in_edges ? 2 : 1) / SORTED_PER_SECOND) /
                         (double)threads +
                     (double)(estimate.temporary + estimate.output) / DISK_BYTES_PER_SECOND;
  return estimate;
}
