/* The kernels of this build.
 *
 *   const struct qn_kernel *kernel = qn_kernel_find("bfs", QN_LAYOUT_GRAPH, QN_CPU, weight_type);
 *   struct qn_run_request request = qn_run_request_for(kernel, view);
 *   request.inputs.sources = &source, request.inputs.num_sources = 1;
 *   struct qn_run_result result;
 *   if (kernel->run(&request, &result, &error)) ...
 *   qn_run_result_destroy(&result);
 *
 * Most kernels are a program (kernels/programs) compiled with an engine; the
 * build writes their list. Those that are an algorithm of their own are
 * kernels/cpu/kernel_*.c and kernels/cuda/kernel_*.cu. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/programs/algorithm.h"
#include "kernels/run_state.h"
#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every kernel of this build that users name, ended by NULL. */
const struct qn_kernel *const *qn_kernels(void);
/* Every kernel that follows another algorithm, ended by NULL. */
const struct qn_kernel *const *qn_derived_kernels(void);

/* Every algorithm that users name, by purpose and name, ended by NULL. */
const struct qn_algorithm *const *qn_algorithms(void);
/* The one that a user calls so, by its name or an alias; NULL if this build has none. */
const struct qn_algorithm *qn_algorithm_find(const char *name);

/* The argument of a parameter that the request's algorithm has. */
struct qn_argument qn_argument(const struct qn_run_request *request, const char *name);
/* All arguments are the defaults. */
struct qn_arguments qn_arguments_default(const struct qn_algorithm *algorithm);
/* Arguments of a request, and what engines take of them: the most iterations, tolerance, delta. */
void qn_request_take(struct qn_run_request *request, const struct qn_arguments *arguments);
/* One of them, as its number. */
void qn_request_set(struct qn_run_request *request, const char *name, double value);

/* "Paths and distances", ...: a heading. */
const char *qn_purpose_name(enum qn_purpose purpose);

/* The kernel of an algorithm, by its own name, but for those that stand in for it; NULL if this
 * build has none. */
const struct qn_kernel *qn_kernel_find(const char *algorithm, enum qn_layout layout,
                                       enum qn_processor processor,
                                       enum qn_weight_type weight_type);

/* The kernel that stands in for one on directed graphs, or where there are several sources
 * (QN_KERNEL_MULTI_SOURCE); NULL if none does. */
const struct qn_kernel *qn_stand_in_find(const struct qn_kernel *kernel);
const struct qn_kernel *qn_multi_source_find(const struct qn_kernel *kernel);
/* The one by which several devices share it (QN_KERNEL_SHARES_ROWS); NULL if there is none. */
const struct qn_kernel *qn_sharing_find(const struct qn_kernel *kernel);

/* The one that takes its place for sets cut by columns (QN_KERNEL_BLOCKS); NULL if none does. */
const struct qn_kernel *qn_blocks_find(const struct qn_kernel *kernel);

/* The kernel that follows an algorithm; NULL if this build has none. */
const struct qn_kernel *qn_derived_find(const char *algorithm, enum qn_layout layout,
                                        enum qn_processor processor,
                                        enum qn_weight_type weight_type);

/* A request with the defaults of the kernel's algorithm, no source, and no device. */
struct qn_run_request qn_run_request_for(const struct qn_kernel *kernel, const void *view);

/* Give the values back; a zeroed result is allowed. */
void qn_run_result_destroy(struct qn_run_result *result);

/* How many values stand in a row of them: columns, or steps of a walk. */
static inline uint32_t qn_result_width(const struct qn_run_result *result) {
  return result->shape == QN_SHAPE_COLUMNS ? result->columns.count
         : result->shape == QN_SHAPE_WALKS ? result->walks.length
                                           : 1;
}

/* "cpu", "cuda", "both". */
const char *qn_processor_name(enum qn_processor processor);
/* Bytes of one value. */
uint32_t qn_result_bytes(enum qn_result_type type);

#ifdef __cplusplus
}
#endif
