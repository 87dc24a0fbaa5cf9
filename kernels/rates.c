#include "kernels/rates.h"

#include <string.h>

/* R-MAT 23, 16 cores and one H200 (docs/performance.md). */
struct qn_device_rates qn_device_rates = {.start = 0.3,
                                          .copies = 29e9,
                                          .transfers = 50e9,
                                          .iteration = 20e-6,
                                          .meetings = 200e-6,
                                          .kernels = 1};

/* On plain CSR; nanoseconds of a thread, of a device. */
struct rate {
  const char *algorithm;
  double cpu, device;
};

static const struct rate rates[] = {
    {"bfs", 1.5, 0.0035}, {"cc", 2.5, 0.0033},      {"sssp", 18, 0.05},     {"bc", 14, 0.058},
    {"spmv", 6, 0.009},   {"pagerank", 3.4, 0.008}, {"tc", 120, 2},         {"lcc", 480, 8},
    {"cdlp", 220, 4},     {"leiden", 200, 4},       {"similarity", 120, 2}, {"path", 0, 0.05},
    {"sample", 0, 0.05},  {"walk", 0, 0.05}}; /* look at few edges */
/* Of others that walk all edges each time, and of the rest. */
static const struct rate walks = {NULL, 3.4, 0.008}, others = {NULL, 10, 0.05};

/* How many times as long as plain CSR's other layouts take, and their bytes an edge without its
 * weight. */
static const struct {
  double cpu_walks, cpu_searches, device, edge_bytes;
} factors[] = {[QN_LAYOUT_GRAPH] = {1, 1, 1, 4},
               [QN_LAYOUT_BLOCKED_CSR] = {1.0, 1.8, 2, 5},
               [QN_LAYOUT_EDGE_PARTITIONS] = {1.2, 2.0, 4, 8},
               [QN_LAYOUT_SLOTTED_PAGES] = {1.4, 1.8, 4, 5.2},
               [QN_LAYOUT_SHARDS] = {1.0, 2.1, 3, 8},
               [QN_LAYOUT_HYBRID] = {1.2, 2.7, 3, 5},
               [QN_LAYOUT_PACKED] = {1.2, 2.0, 3, 2}};
enum { NUM_FACTORS = sizeof factors / sizeof *factors };

static const struct rate *rate_of(const struct qn_kernel *kernel) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (strcmp(rates[i].algorithm, kernel->algorithm->name) == 0)
      return &rates[i];
  return kernel->traits & QN_KERNEL_ALL_ACTIVE ? &walks : &others;
}

static bool is_known(enum qn_layout layout) {
  return (int)layout < NUM_FACTORS && factors[layout].device > 0;
}

double qn_cpu_edge_seconds(const struct qn_kernel *kernel) {
  const bool walks_all = kernel->traits & QN_KERNEL_ALL_ACTIVE;
  const double factor = !is_known(kernel->layout) ? 1
                        : walks_all               ? factors[kernel->layout].cpu_walks
                                                  : factors[kernel->layout].cpu_searches;
  return 1e-9 * factor * rate_of(kernel)->cpu;
}

double qn_device_edge_seconds(const struct qn_kernel *kernel) {
  const double factor = is_known(kernel->layout) ? factors[kernel->layout].device : 1;
  return 1e-9 * factor * rate_of(kernel)->device * qn_device_rates.kernels;
}

double qn_device_edge_bytes(const struct qn_kernel *kernel, enum qn_weight_type type) {
  const bool has_weights =
      kernel->traits & QN_KERNEL_WEIGHTS || kernel->layout == QN_LAYOUT_SLOTTED_PAGES;
  return (is_known(kernel->layout) ? factors[kernel->layout].edge_bytes : 4) +
         (has_weights ? qn_weight_bytes(type) : 0);
}
