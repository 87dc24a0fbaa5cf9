/* Several devices that share a kernel of its own (kernel_*.cu) by rows. Rows are cut where every
 * device has about as many edges, and a device holds the edges of its rows alone: to it all others
 * are empty rows. What vertices have lies on all devices, as if each were alone; what one finds out
 * of its rows the others copy from its memory.
 *
 * A member is a host thread with a device, and runs the whole kernel. Where a kernel shares
 * something it says so by the functions below, which do nothing for one that is alone (a NULL
 * member), and which all members call equally often and in the same order: what is decided between
 * two calls is decided by what all have. Whoever fails ends its run, and tells at the end of it,
 * which the others hear where they meet next; then nobody meets any more. */
#pragma once

#include "kernels/cuda/device/device_team.cuh"
#include "kernels/cuda/device/memory.cuh"
#include "kernels/registry.h"
#include "kernels/run_state.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_row_team;

struct qn_row_member {
  struct qn_row_team *team;
  unsigned index;
  struct qn_run_request request; /* the run's, on this device alone */
  struct qn_device_run device;
  struct qn_checkpointing checkpointing; /* of members that only go on from a state */
  struct qn_run_result result;           /* the first member's is the run's */
  const void *told;
  uint64_t merged_bytes;
  struct qn_stream_figures moved; /* by one that streams its rows, which says so */
  enum qn_status parted;          /* what ended the run for all */
};

/* A kernel's run, on one device. */
typedef enum qn_status (*qn_row_run)(const struct qn_run_request *request,
                                     struct qn_run_result *result, struct qn_error *error);

/* The run on the request's device or devices, by each of these. `walks_back`: it walks in-edges,
 * too, which are made once for all if the graph lacks them. */
enum qn_status qn_run_by_rows(const struct qn_run_request *request, bool walks_back, qn_row_run run,
                              struct qn_run_result *result, struct qn_error *error);

/* ---- What a member has -------------------------------------------------------------------------
 */

/* Its rows; all `num_rows` of one that is alone. */
void qn_row_range(const struct qn_row_member *member, uint64_t num_rows, uint64_t *begin,
                  uint64_t *end);

/* Of `bytes` of all edges that the run walks, those of its rows. */
uint64_t qn_row_bytes(const struct qn_row_member *member, uint64_t bytes);

/* What the run is told to take for vertices and for edges, for the plan that is told. */
void qn_row_plan(struct qn_cuda_memory *memory, uint64_t vertex_bytes, uint64_t edge_bytes);

/* ---- What members do together ------------------------------------------------------------------
 */

/* All meet; the first failure among their statuses. */
enum qn_status qn_row_agree(struct qn_row_member *member, enum qn_status status);

/* All meet, and *count becomes the sum of theirs. */
enum qn_status qn_row_sum(struct qn_row_member *member, enum qn_status status, uint64_t *count);

/* All meet, and say where something of theirs lies: until they meet again the others may look at
 * it, and copy what device memory it names. This waits for the member's device before. */
enum qn_status qn_row_tell(struct qn_row_member *member, enum qn_status status, const void *what,
                           struct qn_error *error);
unsigned qn_row_members(const struct qn_row_member *member);
const void *qn_row_told(const struct qn_row_member *member, unsigned by);

/* Copy from another's memory, `bytes` at `from` in that of `by`. */
enum qn_status qn_row_copy(struct qn_cuda_memory *memory, void *to, unsigned by, const void *from,
                           uint64_t bytes, struct qn_error *error);

/* What each member has moved, [qn_row_members], as it was when they met. */
void qn_row_moved(const struct qn_row_member *member, struct qn_stream_figures *moved);

/* Every member has its rows' elements of an array [V] of `size` bytes each: now all have all. */
enum qn_status qn_row_gather(struct qn_cuda_memory *memory, void *array, uint64_t size,
                             struct qn_error *error);

/* The first member has an array of `bytes`: now all have it. */
enum qn_status qn_row_spread(struct qn_cuda_memory *memory, void *array, uint64_t bytes,
                             struct qn_error *error);

#ifdef __cplusplus
}
#endif
