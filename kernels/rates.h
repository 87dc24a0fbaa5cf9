/* What processors take for algorithms, as measured: how long a run may last is told from a graph's
 * edges before it has begun. */
#pragma once

#include "kernels/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A CUDA device, until it walks edges. */
struct qn_device_rates {
  double start;     /* seconds: driver and context, and their end */
  double copies;    /* bytes/s that a mapped file is brought there */
  double transfers; /* bytes/s where the graph is streamed */
  double iteration; /* seconds of one that does next to nothing */
  double meetings;  /* the same, of several devices */
  double kernels;   /* of the time that edges are said to take */
};
extern struct qn_device_rates qn_device_rates;

/* Seconds of one thread, and of a device, for an edge: of the whole run, or an iteration of what
 * walks all edges in each. */
double qn_cpu_edge_seconds(const struct qn_kernel *kernel);
double qn_device_edge_seconds(const struct qn_kernel *kernel);

/* What a device is brought of it. */
double qn_device_edge_bytes(const struct qn_kernel *kernel, enum qn_weight_type type);

#ifdef __cplusplus
}
#endif
