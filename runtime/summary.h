/* What a run found, in short: as JSON, and as text for people. */
#ifndef QN_RUNTIME_SUMMARY_H
#define QN_RUNTIME_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "runtime/run.h"

#ifdef __cplusplus
extern "C" {
#endif

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
enum qn_status qn_summary_create(const struct qn_run_input *input, const struct qn_run *run,
                                 int64_t top, json_t **out, struct qn_error *error);

/* Print an object made by qn_summary_create, in lines. */
void qn_summary_print(const json_t *summary, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
