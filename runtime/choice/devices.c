#include "runtime/choice/devices.h"

#include <string.h>

#include "kernels/rates.h"

/* What programs with active vertices take for a vertex: value, message and accumulator. */
#define SEARCH_VERTEX_BYTES 16
/* Several must be expected to gain this much, so that they do not lose. */
#define LEAST_GAIN 1.05

/* How many times as fast as one H100 two of them are at R-MAT 23, with all memory and with 700 MiB
 * each. */
struct speedup {
  const char *algorithm;
  double rows[2], packed[2]; /* [streams] */
  /* [streams][strategy is scalability] */
  double pages[2][2], partitions[2][2];
};
static const struct speedup walks = {
    NULL, {1.67, 1.90}, {1.67, 1.70}, {{1.81, 1.77}, {2.28, 0.99}}, {{1.80, 1.00}, {1.13, 1.00}}};
static const struct speedup searches[] = {
    {"cc", {0.30, 1.27}, {0.30, 0.30}, {{0.99, 1.11}, {1.24, 0.85}}, {{1.68, 1.30}, {0.93, 0.87}}},
    {"sssp",
     {0.57, 1.43},
     {0.90, 0.60},
     {{1.29, 0.63}, {1.92, 0.80}},
     {{1.94, 1.32}, {1.70, 0.80}}},
    {NULL, /* bfs, and the rest */
     {0.30, 1.70},
     {0.30, 0.30},
     {{0.29, 0.50}, {1.60, 0.50}},
     {{0.30, 0.50}, {1.60, 0.50}}}};

/* Two say what part of the work they do not share (Amdahl, 1967), whatever keeps them from it; if
 * they lose, more lose more. */
static double speedup_of(const struct qn_kernel *kernel, bool streams, enum qn_strategy strategy,
                         unsigned num_devices) {
  const struct speedup *row = kernel->traits & QN_KERNEL_ALL_ACTIVE ? &walks : searches;
  while (row->algorithm && strcmp(row->algorithm, kernel->algorithm->name) != 0)
    row++;
  const bool scales = strategy == QN_SCALABILITY;
  const double two = kernel->layout == QN_LAYOUT_SLOTTED_PAGES ? row->pages[streams][scales]
                     : kernel->layout == QN_LAYOUT_EDGE_PARTITIONS
                         ? row->partitions[streams][scales]
                     : kernel->layout == QN_LAYOUT_PACKED ? row->packed[streams]
                                                          : row->rows[streams];
  const double unshared = 2 / two - 1;
  return 1 / (unshared + (1 - unshared) / num_devices);
}

/* Of kernels of their own on plain rows nobody has, but for cc. */
static bool is_measured(const struct qn_kernel *kernel) {
  return kernel->layout == QN_LAYOUT_SLOTTED_PAGES || kernel->layout == QN_LAYOUT_EDGE_PARTITIONS ||
         kernel->layout == QN_LAYOUT_PACKED ||
         kernel->traits & (QN_KERNEL_SHARES_ROWS | QN_KERNEL_ONE_WALK);
}

/* How often the topology passes by where it is streamed. */
static double passes(const struct qn_kernel *kernel, double walks_all) {
  return kernel->traits & QN_KERNEL_ONE_WALK     ? 1
         : kernel->traits & QN_KERNEL_ALL_ACTIVE ? walks_all
                                                 : 10;
}

struct qn_sharing qn_sharing_weigh(const struct qn_workload *workload,
                                   const struct qn_kernel *kernel, const struct qn_kernel *alone,
                                   enum qn_strategy strategy, unsigned num_devices,
                                   uint64_t usable) {
  const struct qn_device_rates *rates = &qn_device_rates;
  const double vertices = (double)workload->info->num_vertices, room = (double)usable;
  const double edges = (double)workload->info->num_edges;
  const double topology = qn_workload_bytes(workload, kernel),
               walks_all = qn_workload_walks(workload, kernel);
  const double iterations = passes(kernel, walks_all);
  const double attributes =
      vertices *
      (kernel->traits & QN_KERNEL_ALL_ACTIVE ? QN_MOST_VERTEX_BYTES : SEARCH_VERTEX_BYTES);
  struct qn_sharing sharing = {.streams = topology + attributes > room};
  if (!is_measured(kernel))
    return sharing;
  if (attributes > room ||
      (sharing.streams && topology / num_devices + QN_LEAST_VERTEX_BYTES * vertices <= room))
    return sharing;
  sharing.weighed = true;
  const double work = walks_all * edges * qn_device_edge_seconds(kernel);
  const double walk = sharing.streams ? topology / rates->transfers : 0;
  sharing.one = work + passes(alone, walks_all) * walk;
  sharing.all =
      (work + iterations * walk) / speedup_of(kernel, sharing.streams, strategy, num_devices) +
      iterations * rates->meetings;
  sharing.alone = sharing.all * LEAST_GAIN > sharing.one;
  return sharing;
}

json_t *qn_sharing_json(const struct qn_sharing *sharing, unsigned num_devices) {
  if (!sharing->weighed)
    return NULL;
  return json_pack("{s:i, s:b, s:f, s:f}", "taken", sharing->alone ? 1 : (int)num_devices,
                   "streams", sharing->streams, "one_seconds", sharing->one, "all_seconds",
                   sharing->all);
}
