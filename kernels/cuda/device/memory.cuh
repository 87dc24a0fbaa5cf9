/* Device memory for kernels: everything that a run allocates hangs on one
 * struct, which knows the cap and gives all back at once. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/cuda/device/device.h"
#include "kernels/device_run.h"
#include "kernels/registry.h"
#include "kernels/store.h"
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* QN_OK, or QN_DEVICE with "WHAT failed: CUDA's words". */
enum qn_status qn_cuda_status(cudaError_t result, const char *what, struct qn_error *error);

/* After launches: whether they could start. */
static inline enum qn_status qn_cuda_launched(const char *what, struct qn_error *error) {
  return qn_cuda_status(cudaGetLastError(), what, error);
}

#define QN_CUDA_MAX_BLOCKS 64
#define QN_CUDA_STAGES 2

struct qn_row_member; /* edges/row_team.cuh */

/* Zero it before use. */
struct qn_cuda_memory {
  struct qn_cuda_device device;
  uint64_t cap;        /* bytes that may be allocated; 0: all that is free */
  uint64_t bytes;      /* allocated */
  uint64_t peak_bytes; /* the most that it ever was */
  double copy_seconds; /* spent by qn_cuda_upload and qn_cuda_download */
  uint64_t copy_bytes;
  bool exhausted;          /* an allocation failed for lack of memory */
  uint64_t uploaded_bytes; /* before the algorithm began */
  double begin;            /* when the phase began that runs */
  double prepare_seconds;
  double kernel_seconds; /* of the algorithm, as the host's clock says */
  double device_seconds; /* of the algorithm, as CUDA's events say */
  cudaEvent_t algorithm_began, algorithm_ended;
  uint64_t range; /* of the phase, for profilers */
  int num_blocks;
  void *blocks[QN_CUDA_MAX_BLOCKS];
  uint64_t block_bytes[QN_CUDA_MAX_BLOCKS]; /* 0: pinned, on the host */
  struct qn_device_report *report;          /* of the run; NULL: there is none */
  struct qn_store *store;                   /* of arrays that stay on the device; NULL: none does */
  int num_held;
  void *held[QN_CUDA_MAX_BLOCKS]; /* of the store's, in use */
  bool leaves_values;             /* the result stays on the device */
  bool reads_edges;               /* kernels read them in the host's memory */
  struct qn_row_member *member;   /* of several devices that share the run; NULL: it is alone */
  void *stages[QN_CUDA_STAGES];   /* pinned */
  cudaEvent_t stage_free[QN_CUDA_STAGES];
  cudaStream_t copy_stream;
};

/* Open device `index`; `cap` as above. */
enum qn_status qn_cuda_memory_create(struct qn_cuda_memory *memory, int index, uint64_t cap,
                                     struct qn_error *error);
/* The same for a run: with its cap, its store, and where its values are wanted. Its report is
 * emptied. */
enum qn_status qn_cuda_memory_create_for(struct qn_cuda_memory *memory,
                                         const struct qn_run_request *request, int index,
                                         struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_cuda_memory_destroy(struct qn_cuda_memory *memory);

/* Around the algorithm itself: call the first when the device has all that it needs, the second,
 * which waits for the device, when the values are final. What lies between, in the default stream,
 * is timed by CUDA events and by the host's clock. */
enum qn_status qn_cuda_algorithm_begin(struct qn_cuda_memory *memory, struct qn_error *error);
enum qn_status qn_cuda_algorithm_end(struct qn_cuda_memory *memory, struct qn_error *error);

/* What the run has used so far, and its times, for its result. */
void qn_cuda_report(const struct qn_cuda_memory *memory, struct qn_run_result *result);

/* The end of every run, whatever its `status`: report, give the memory back, and leave nothing in
 * the result of one that failed. Returns `status`. */
enum qn_status qn_cuda_run_end(struct qn_cuda_memory *memory, enum qn_status status,
                               struct qn_run_result *result);

/* What an allocation of so many bytes counts for. */
static inline uint64_t qn_cuda_rounded(uint64_t bytes) {
  return bytes < 16 ? 16 : bytes;
}

/* `count * size` bytes (at least 16, so that a pointer is never NULL), with unspecified contents,
 * aligned to 256. QN_DEVICE with the amounts if there is not enough. `*(void **)out`. */
enum qn_status qn_cuda_alloc(struct qn_cuda_memory *memory, void *out, uint64_t count,
                             uint64_t size, const char *what, struct qn_error *error);
enum qn_status qn_cuda_alloc_zeroed(struct qn_cuda_memory *memory, void *out, uint64_t count,
                                    uint64_t size, const char *what, struct qn_error *error);
/* Give one allocation back early. */
void qn_cuda_release(struct qn_cuda_memory *memory, void *block);
/* Leave one to the result, as the values of its `type`, if that is where they are wanted and it is
 * one; *left says so. */
enum qn_status qn_cuda_leave_values(struct qn_cuda_memory *memory, enum qn_result_type type,
                                    void *block, uint64_t count, struct qn_run_result *result,
                                    bool *left, struct qn_error *error);

/* Copy between the host (any memory, e.g. a mapped file) and the device, through pinned buffers
 * that all threads fill; done when it returns. */
enum qn_status qn_cuda_upload(struct qn_cuda_memory *memory, void *to, const void *from,
                              uint64_t count, uint64_t size, const char *what,
                              struct qn_error *error);
enum qn_status qn_cuda_download(struct qn_cuda_memory *memory, void *to, const void *from,
                                uint64_t count, uint64_t size, const char *what,
                                struct qn_error *error);

/* Of several devices that share a run by rows (edges/row_team.cuh), with the status so far: the
 * device is open; it has all that it needs; nobody needs its memory any more. The first one makes
 * the result. One that is alone does nothing but that. */
enum qn_status qn_row_begin(struct qn_cuda_memory *memory, enum qn_status status,
                            struct qn_error *error);
enum qn_status qn_row_prepared(struct qn_cuda_memory *memory, enum qn_status status);
enum qn_status qn_row_end(struct qn_cuda_memory *memory, enum qn_status status);
bool qn_row_makes_result(const struct qn_cuda_memory *memory);

/* Allocate and upload, or find it in the store; kernels do not write there. `extra` elements more
 * are allocated and zeroed. */
enum qn_status qn_cuda_copy_of(struct qn_cuda_memory *memory, void *out, const void *from,
                               uint64_t count, uint64_t extra, uint64_t size, const char *what,
                               struct qn_error *error);

#ifdef __cplusplus
}
#endif
