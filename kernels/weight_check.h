/* Weights that a program cannot work with are refused before it begins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program says of weights. */
struct qn_weight_demand {
  const char *program; /* its name */
  bool non_negative;
  bool sums;     /* along paths, whose edges are fewer than vertices: no sum may leave 64 bits */
  bool all_meet; /* or, in doubles, of those that arrive at a vertex */
};

/* Refuse what is negative (NaN, too), or too large to be added, where the program says so. */
enum qn_status qn_weights_suit(const struct qn_weight_demand *demand,
                               const struct qn_weights *weights, uint64_t num_edges,
                               uint64_t num_vertices, struct qn_error *error);

struct qn_weight_limit;
/* The same for layouts that keep weights otherwise: the limit, and what is said of an edge whose
 * weight, of these bits, is not within it. */
struct qn_weight_limit qn_weight_limit_for(const struct qn_weight_demand *demand,
                                           uint64_t num_vertices);
enum qn_status qn_weight_refuse(const struct qn_weight_demand *demand, enum qn_weight_type type,
                                uint64_t bits, uint64_t edge, uint64_t num_vertices,
                                struct qn_error *error);

#ifdef __cplusplus
}
#endif
