/* A result in short, as JSON. */
#pragma once

#include <jansson.h>

#include "kernels/registry.h"
#include "results/labels.h"

/* The object "result" of quern-run --json, a new reference:
 *
 *   a path                   {"hops", "length", "path": [ids]}
 *   several columns          {"columns": [what each of them is]}
 *   a count                  {"triangles": n}
 *   levels (bfs, ...)        {"reached": vertices with a value, "levels": [vertices with value 0,
 * 1, ...]} components (cc)          {"count": components, "largest": vertices of the largest} other
 * values             {"reached": vertices with a value, "min", "max", "sum"} rankings (pagerank,
 * ...) also "top": [{"id", "value"}], largest first, ties in original order
 *
 * `top` is how many of those; for a ranking 10 if it is negative, else 0. Where it is given, every
 * kind of values gets "top". */
enum qn_status qn_summary_create(const struct qn_labels *labels,
                                 const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, int64_t top, json_t **out,
                                 struct qn_error *error);
