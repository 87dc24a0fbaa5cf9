/* Many runs on one graph: a session that is placed on a device.
 *
 *   struct qn_option where = {"device", "cuda"};
 *   struct qn_placed *placed;
 *   if (qn_session_place(session, &where, 1, NULL, &placed, &error)) ...
 *   if (qn_placed_run(placed, "bfs", &source, 1, NULL, &result, &error)) ...
 *   if (qn_placed_run(placed, "pagerank", NULL, 0, NULL, &result, &error)) ...
 *   qn_placed_close(placed);
 *
 * Runs give the same results as qn_session_run, but reuse what earlier runs have prepared: the
 * container is checked, the in-edges of plain CSR are computed, and on CUDA devices the arrays of
 * earlier runs, and results, stay in device memory. Arrays that a run does not need are evicted
 * when it needs their memory. A graph that is streamed, because it does not fit, is read again by
 * each run. */
#ifndef QUERN_PLACEMENT_H
#define QUERN_PLACEMENT_H

#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/run.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_placed;

/* Place a session. Options are those of quern-run that say where: "device", "devices", "strategy",
 * "device-memory", "mode", "streams", "host-memory" and "cache-memory". The container is checked as
 * runs need it. If it is plain CSR of a directed graph without in-edges, these are computed, into
 * memory of 8 bytes a vertex and 4 an edge, and weights. Runs copy to devices what they need.
 *
 * The session may be closed before the placed graph. Several graphs may be placed, and runs may be
 * at the same time. When no call uses the placed graph any more, close it with qn_placed_close,
 * which frees its device memory; results stay valid. QN_DEVICE: there is no such device. */
enum qn_status qn_session_place(struct qn_session *session, const struct qn_option *options,
                                uint64_t num_options, const struct qn_job *job,
                                struct qn_placed **out, struct qn_error *error);
/* NULL is allowed. */
void qn_placed_close(struct qn_placed *placed);

/* As qn_session_run does, with its other options. Values that a run on one CUDA device finds stay
 * there until they are asked for on the host (qn_result_column, qn_result_copy,
 * qn_result_summary). */
enum qn_status qn_placed_run(struct qn_placed *placed, const char *algorithm,
                             const struct qn_option *options, uint64_t num_options,
                             const struct qn_job *job, struct qn_result **out,
                             struct qn_error *error);

struct qn_device_array {
  uint64_t size;      /* sizeof(struct qn_device_array), set before the call */
  const char *device; /* "cuda"; static */
  uint64_t index;     /* of the device */
  enum qn_type type;  /* as qn_result_column has it */
  uint64_t count;     /* V */
  void *data;         /* [count] in its memory; lives until the result is closed */
};
/* Column `index` of a result that is on a device. It is complete: there is nothing to wait for.
 * QN_UNSUPPORTED if the result is not on a device: it is from qn_session_run, the CPU, several
 * devices, or a kernel whose values the host had to finish. */
enum qn_status qn_result_on_device(const struct qn_result *result, uint64_t index,
                                   struct qn_device_array *array, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
