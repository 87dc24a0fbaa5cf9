/* Algorithms on sessions, and their results.
 *
 *   struct qn_option options[] = {{"damping", "0.9"}, {"device", "cpu"}};
 *   struct qn_result *result;
 *   if (qn_session_run(session, "pagerank", options, 2, NULL, &result, &error)) ...
 *   float *ranks = malloc(V * sizeof *ranks);
 *   if (qn_result_copy(result, 0, ranks, V * sizeof *ranks, &error)) ...
 *   qn_result_close(result); */
#ifndef QUERN_RUN_H
#define QUERN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_result;

/* Run an algorithm on a session of any layout for which there is a kernel. Options are those of
 * quern-run: "source" (an original id; repeat it for several), "damping", "tolerance",
 * "iterations", "hops", "groups", "delta", "seed", "alpha", "samples", "measure", "pairs",
 * "length", "walks", "fanouts", ..., "device" (auto|cpu|cuda[:N]|both[:N]), "devices", "strategy",
 * "device-memory", "mode", "direction", "parallelism", and those of streaming; "from" and
 * "from-generation", of a set with generations, as quern-run has them; "parents" ("yes": of
 * bfs and sssp, a second column). "checkpoint" (a folder), "every" and "resume" keep a checkpoint
 * there, from which a run that was cancelled or killed resumes; it is removed when this call has
 * the result. A result does not depend on layout, device or threads, except for the last digits of
 * sums of reals. With "auto" a CUDA device is used if the module for it is installed, there is a
 * device, the graph's values fit, and it is expected to finish before the CPU.
 *
 * With `algorithm` NULL and the option "program" (a header, as kernels/programs/README.md describes
 * it) a program of the user's own is compiled and run: by the C compiler for the CPU, or with
 * "device" cuda by nvcc. The compiled program is kept in the user's cache, under a hash of
 * everything that it was made from, and reused. QN_INVALID with its file, line and column if it
 * does not compile; QN_SYSTEM without a compiler, the engines' headers (which are installed with
 * the library) or a cache. It is code that this process runs: a program must be one that you trust.
 *
 * QN_UNSUPPORTED: no such kernel in this build, or a graph that the algorithm refuses; QN_DEVICE:
 * the device is missing or failed; QN_INTERRUPTED: cancelled, after the current iteration (tc has
 * none, and runs to its end). Close the result with qn_result_close; the session may be closed
 * before. Only one side of a fork can use a device. */
enum qn_status qn_session_run(struct qn_session *session, const char *algorithm,
                              const struct qn_option *options, uint64_t num_options,
                              const struct qn_job *job, struct qn_result **out,
                              struct qn_error *error);
/* NULL is allowed. */
void qn_result_close(struct qn_result *result);

struct qn_result_info {
  uint64_t size;         /* sizeof(struct qn_result_info), set before the call */
  const char *algorithm; /* "pagerank"; lives as long as the result, as the next three */
  const char *layout;
  const char *device;    /* "cpu", "cuda", "both" */
  const char *kernel;    /* how: "csr push/pull", ... */
  uint64_t num_vertices; /* V */
  uint64_t num_columns;  /* arrays of values; 0: it counts something */
  const char *count_of;  /* "triangles": what `count` counts; NULL: nothing */
  uint64_t count;
  uint64_t iterations;
  bool converged;          /* it ended by itself */
  double change;           /* of the last iteration, where that is what ends it */
  double prepare_seconds;  /* derived data, copies to the device */
  double run_seconds;      /* the algorithm itself; of "parents", too */
  uint32_t num_sources;    /* source vertices, chosen ones too */
  const uint32_t *sources; /* [num_sources] vertices */
};
void qn_result_info(const struct qn_result *result, struct qn_result_info *info);

struct qn_result_column {
  uint64_t size;     /* sizeof(struct qn_result_column), set before the call */
  const char *name;  /* the algorithm's, with _0, _1, ... where each source has a column; of a path
                        "vertex", then the algorithm's. Lives until the result is closed */
  enum qn_type type; /* QN_TYPE_U32, QN_TYPE_U64, QN_TYPE_F32 or QN_TYPE_F64 */
  bool is_vertex;    /* values are vertices */
  uint64_t count;    /* V: the value of vertex v is at v; of a path the number of its vertices */
  const void *data;  /* [count]; lives until the result is closed. What has no value (unreached) is
                        the largest number of an unsigned type, infinity of a real one */
};
/* Column `index`, from 0: QN_USAGE if there is none. */
enum qn_status qn_result_column(const struct qn_result *result, uint64_t index,
                                struct qn_result_column *column, struct qn_error *error);
/* The same into the caller's buffer of `bytes` bytes: count times the type's. QN_USAGE if it is too
 * small. */
enum qn_status qn_result_copy(const struct qn_result *result, uint64_t index, void *buffer,
                              uint64_t bytes, struct qn_error *error);

/* The object "result" of quern-run --json (docs/json.md): reached vertices, levels, components,
 * sums. Free it with qn_text_free. */
enum qn_status qn_result_summary(const struct qn_result *result, char **json,
                                 struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
