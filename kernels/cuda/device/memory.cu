#include "kernels/cuda/device/memory.cuh"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cuda/device/ranges.cuh"
#include "kernels/cuda/device/stages.cuh"
#include "support/checked.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/used_files.h"

enum qn_status qn_cuda_status(cudaError_t result, const char *what, struct qn_error *error) {
  if (result == cudaSuccess)
    return QN_OK;
  cudaGetLastError();
  return qn_fail(error, QN_DEVICE, "%s failed: %s (%s)", what, cudaGetErrorString(result),
                 cudaGetErrorName(result));
}

enum qn_status qn_cuda_memory_create(struct qn_cuda_memory *memory, int index, uint64_t cap,
                                     struct qn_error *error) {
  memset(memory, 0, sizeof *memory);
  memory->cap = cap;
  memory->begin = qn_seconds();
  memory->range = qn_range_start("prepare");
  return qn_cuda_open(index, &memory->device, error);
}

enum qn_status qn_cuda_memory_create_for(struct qn_cuda_memory *memory,
                                         const struct qn_run_request *request, int index,
                                         struct qn_error *error) {
  enum qn_status status = qn_cuda_memory_create(memory, index, request->device->memory, error);
  memory->report = &request->device->report;
  memset(memory->report, 0, sizeof *memory->report);
  memory->store = request->device->store;
  memory->leaves_values = request->device->leaves_values;
  memory->member = request->device->member;
  if (!status) /* what no run uses is as good as free */
    memory->device.free_bytes += qn_store_idle_bytes(memory->store, index);
  return status;
}

static void begin_phase(struct qn_cuda_memory *memory, const char *name) {
  qn_range_stop(memory->range);
  memory->range = qn_range_start(name);
}

enum qn_status qn_cuda_algorithm_begin(struct qn_cuda_memory *memory, struct qn_error *error) {
  enum qn_status status =
      qn_cuda_status(cudaEventCreate(&memory->algorithm_began), "creating a CUDA event", error);
  if (!status)
    status =
        qn_cuda_status(cudaEventCreate(&memory->algorithm_ended), "creating a CUDA event", error);
  if (!status) /* what prepared the run is not to be counted */
    status = qn_cuda_status(cudaDeviceSynchronize(), "preparing the run on the device", error);
  begin_phase(memory, "algorithm");
  memory->uploaded_bytes = memory->copy_bytes;
  memory->prepare_seconds = qn_seconds() - memory->begin;
  memory->begin = qn_seconds();
  if (!status)
    status = qn_cuda_status(cudaEventRecord(memory->algorithm_began, NULL),
                            "recording a CUDA event", error);
  return status;
}

enum qn_status qn_cuda_algorithm_end(struct qn_cuda_memory *memory, struct qn_error *error) {
  float milliseconds = 0;
  enum qn_status status = qn_cuda_status(cudaEventRecord(memory->algorithm_ended, NULL),
                                         "recording a CUDA event", error);
  if (!status)
    status = qn_cuda_status(cudaDeviceSynchronize(), "running the algorithm on the device", error);
  memory->kernel_seconds = qn_seconds() - memory->begin;
  if (!status)
    status = qn_cuda_status(
        cudaEventElapsedTime(&milliseconds, memory->algorithm_began, memory->algorithm_ended),
        "reading CUDA events", error);
  begin_phase(memory, "results");
  memory->device_seconds = 1e-3 * (double)milliseconds;
  return status;
}

void qn_cuda_report(const struct qn_cuda_memory *memory, struct qn_run_result *result) {
  struct qn_device_figures *figures = &memory->report->figures;
  snprintf(figures->name, sizeof figures->name, "%.*s", (int)sizeof figures->name - 1,
           memory->device.name);
  figures->memory_bytes = memory->peak_bytes;
  figures->copied_bytes = memory->copy_bytes;
  figures->copy_seconds = memory->copy_seconds;
  figures->uploaded_bytes = memory->uploaded_bytes;
  figures->kernel_seconds = memory->device_seconds;
  result->stats.prepare_seconds += memory->prepare_seconds;
  result->stats.kernel_seconds = memory->kernel_seconds;
}

enum qn_status qn_cuda_run_end(struct qn_cuda_memory *memory, enum qn_status status,
                               struct qn_run_result *result) {
  qn_cuda_report(memory, result);
  qn_cuda_memory_destroy(memory);
  if (status)
    memset(result, 0, sizeof *result);
  return status;
}

void qn_cuda_memory_destroy(struct qn_cuda_memory *memory) {
  while (memory->num_held > 0)
    qn_store_give_back(memory->store, memory->held[--memory->num_held]);
  while (memory->num_blocks > 0)
    qn_cuda_release(memory, memory->blocks[memory->num_blocks - 1]);
  for (int i = 0; i < QN_CUDA_STAGES; i++) {
    if (memory->stage_free[i])
      cudaEventDestroy(memory->stage_free[i]);
    qn_stage_give_back(memory->stages[i]);
  }
  if (memory->copy_stream)
    cudaStreamDestroy(memory->copy_stream);
  if (memory->algorithm_began)
    cudaEventDestroy(memory->algorithm_began);
  if (memory->algorithm_ended)
    cudaEventDestroy(memory->algorithm_ended);
  qn_range_stop(memory->range);
  memset(memory, 0, sizeof *memory);
}

static enum qn_status not_enough(const struct qn_cuda_memory *memory, const char *what,
                                 uint64_t bytes, struct qn_error *error) {
  char wanted[32], used[32], usable[32], total[32];
  uint64_t limit = qn_cuda_usable_bytes(&memory->device, memory->cap);
  qn_size_text(bytes, wanted, sizeof wanted);
  qn_size_text(memory->bytes, used, sizeof used);
  qn_size_text(limit, usable, sizeof usable);
  qn_size_text(memory->device.total_bytes, total, sizeof total);
  return qn_fail(error, QN_DEVICE,
                 "not enough device memory: %s for %s beside %s in use, but %s of the %s of %s %s; "
                 "allow more with --device-memory, use a larger device, or --device cpu",
                 wanted, what, used, usable, total, memory->device.name,
                 memory->cap && memory->cap == limit ? "may be used (--device-memory)"
                                                     : "are free");
}

/* May the run use so many bytes more? */
static enum qn_status stay_below_cap(struct qn_cuda_memory *memory, const char *what,
                                     uint64_t bytes, struct qn_error *error) {
  if (!memory->cap || (bytes <= memory->cap && memory->bytes <= memory->cap - bytes))
    return QN_OK;
  memory->exhausted = true;
  return not_enough(memory, what, bytes, error);
}

static void count_bytes(struct qn_cuda_memory *memory, uint64_t bytes) {
  memory->bytes += bytes;
  memory->peak_bytes = memory->bytes > memory->peak_bytes ? memory->bytes : memory->peak_bytes;
}

/* Device memory, from what the store keeps of it without need if there is no other. */
static cudaError_t allocate(const struct qn_cuda_memory *memory, void **block, uint64_t bytes) {
  const int device = memory->device.index;
  if (memory->cap &&
      qn_store_idle_bytes(memory->store, device) > memory->cap - memory->bytes - bytes)
    qn_store_make_room(memory->store, device);
  cudaError_t result = cudaMalloc(block, bytes);
  if (result != cudaErrorMemoryAllocation || !qn_store_make_room(memory->store, device))
    return result;
  cudaGetLastError();
  return cudaMalloc(block, bytes);
}

enum qn_status qn_cuda_alloc(struct qn_cuda_memory *memory, void *out, uint64_t count,
                             uint64_t size, const char *what, struct qn_error *error) {
  uint64_t bytes;
  void *block = NULL;
  *(void **)out = NULL;
  if (!qn_mul_u64(count, size, &bytes) || bytes > SIZE_MAX / 2)
    return qn_fail_memory(error, what, UINT64_MAX);
  bytes = qn_cuda_rounded(bytes);
  if (memory->num_blocks == QN_CUDA_MAX_BLOCKS)
    return qn_fail(error, QN_DEVICE, "too many allocations on the device, at %s", what);
  enum qn_status status = stay_below_cap(memory, what, bytes, error);
  if (status)
    return status;
  cudaError_t result = allocate(memory, &block, bytes);
  if (result == cudaErrorMemoryAllocation) {
    size_t free_bytes = 0, total_bytes = 0;
    cudaGetLastError();
    memory->exhausted =
        cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes < bytes;
    return not_enough(memory, what, bytes, error);
  }
  if (result != cudaSuccess)
    return qn_cuda_status(result, "allocating device memory", error);
  memory->block_bytes[memory->num_blocks] = bytes;
  memory->blocks[memory->num_blocks++] = block;
  count_bytes(memory, bytes);
  *(void **)out = block;
  return QN_OK;
}

enum qn_status qn_cuda_alloc_zeroed(struct qn_cuda_memory *memory, void *out, uint64_t count,
                                    uint64_t size, const char *what, struct qn_error *error) {
  enum qn_status status = qn_cuda_alloc(memory, out, count, size, what, error);
  if (status)
    return status;
  uint64_t bytes = memory->block_bytes[memory->num_blocks - 1];
  return qn_cuda_status(cudaMemset(*(void **)out, 0, bytes), "clearing device memory", error);
}

/* The place of a block in the memory that owns it; -1: it does not. */
static int place_of(const struct qn_cuda_memory *memory, const void *block) {
  for (int i = 0; i < memory->num_blocks; i++)
    if (memory->blocks[i] == block)
      return i;
  return -1;
}

/* The memory does not own a block any more; did it? */
static bool disown(struct qn_cuda_memory *memory, const void *block) {
  const int place = place_of(memory, block);
  if (place < 0)
    return false;
  memory->bytes -= memory->block_bytes[place];
  memory->num_blocks--;
  memory->blocks[place] = memory->blocks[memory->num_blocks];
  memory->block_bytes[place] = memory->block_bytes[memory->num_blocks];
  return true;
}

void qn_cuda_release(struct qn_cuda_memory *memory, void *block) {
  const int place = place_of(memory, block);
  const bool is_pinned = place >= 0 && memory->block_bytes[place] == 0;
  if (disown(memory, block))
    is_pinned ? cudaFreeHost(block) : cudaFree(block);
}

enum qn_status qn_cuda_leave_values(struct qn_cuda_memory *memory, enum qn_result_type type,
                                    void *block, uint64_t count, struct qn_run_result *result,
                                    bool *left, struct qn_error *error) {
  *left = false;
  if (!memory->leaves_values)
    return QN_OK;
  enum qn_status status =
      qn_cuda_status(cudaDeviceSynchronize(), "running the algorithm on the device", error);
  if (status || !disown(memory, block))
    return status;
  result->type = type;
  result->num_values = count;
  memory->report->values = {memory->device.index, count * qn_result_bytes(type), block};
  *left = true;
  return QN_OK;
}

/* The pinned buffers, made when the first large copy wants them. */
static enum qn_status make_stages(struct qn_cuda_memory *memory, struct qn_error *error) {
  if (memory->copy_stream)
    return QN_OK;
  enum qn_status status = QN_OK;
  for (int i = 0; i < QN_CUDA_STAGES && !status; i++) {
    status = qn_cuda_status(qn_stage_take(&memory->stages[i]), "allocating pinned memory", error);
    if (!status)
      status =
          qn_cuda_status(cudaEventCreateWithFlags(&memory->stage_free[i], cudaEventDisableTiming),
                         "creating a CUDA event", error);
  }
  if (!status)
    status = qn_cuda_status(cudaStreamCreateWithFlags(&memory->copy_stream, cudaStreamNonBlocking),
                            "creating a CUDA stream", error);
  return status;
}

/* One thread copies some 10 GB/s, which is less than the bus can carry. */
static void copy_in_parallel(void *to, const void *from, uint64_t bytes) {
  const uint64_t most = (bytes >> 18) + 1, parts = most < qn_threads() ? most : qn_threads();
#pragma omp parallel for schedule(static)
  for (uint64_t part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(bytes, parts, part, &begin, &end);
    memcpy((char *)to + begin, (const char *)from + begin, end - begin);
  }
}

/* All stages together are so many slots. */
#define NUM_SLOTS 16
#define PIECE_BYTES (QN_CUDA_STAGES * QN_STAGE_BYTES / NUM_SLOTS)

/* What threads bring to the device, each as fast as it can: pieces that are taken in turn go
 * through slots of its own. */
struct upload {
  struct qn_cuda_memory *memory;
  char *to;
  const char *from;
  uint64_t bytes;
  int file; /* that holds them, from `offset` on; -1: none */
  uint64_t offset;
  unsigned num_lanes; /* slots are dealt to them by turns */
  uint64_t next;      /* piece that nobody has taken, atomic */
  bool failed;        /* atomic */
  cudaEvent_t slot_free[NUM_SLOTS];
};

/* A mapping's pages would be mapped for this alone. If a file is read short it was cut, and the
 * mapping faults. */
static void fill(const struct upload *upload, char *slot, uint64_t begin, uint64_t bytes) {
  uint64_t done = 0;
  while (upload->file >= 0 && done < bytes) {
    const ssize_t got =
        pread(upload->file, slot + done, bytes - done, (off_t)(upload->offset + begin + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += (uint64_t)got;
  }
  memcpy(slot + done, upload->from + begin + done, bytes - done);
}

static cudaError_t upload_piece(struct upload *upload, unsigned slot, uint64_t begin) {
  const struct qn_cuda_memory *memory = upload->memory;
  const uint64_t left = upload->bytes - begin, bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
  const unsigned in_stage = NUM_SLOTS / QN_CUDA_STAGES;
  char *at = (char *)memory->stages[slot / in_stage] + slot % in_stage * PIECE_BYTES;
  cudaEvent_t *free = &upload->slot_free[slot];
  cudaError_t result =
      *free ? cudaEventSynchronize(*free) : cudaEventCreateWithFlags(free, cudaEventDisableTiming);
  if (result != cudaSuccess)
    return result;
  fill(upload, at, begin, bytes);
  result =
      cudaMemcpyAsync(upload->to + begin, at, bytes, cudaMemcpyHostToDevice, memory->copy_stream);
  return result == cudaSuccess ? cudaEventRecord(*free, memory->copy_stream) : result;
}

static cudaError_t upload_lane(struct upload *upload, unsigned lane) {
  cudaError_t result = cudaSetDevice(upload->memory->device.index);
  for (unsigned slot = lane; result == cudaSuccess; slot += upload->num_lanes) {
    slot = slot < NUM_SLOTS ? slot : lane;
    const uint64_t begin = PIECE_BYTES * __atomic_fetch_add(&upload->next, 1, __ATOMIC_RELAXED);
    if (begin >= upload->bytes || __atomic_load_n(&upload->failed, __ATOMIC_RELAXED))
      break;
    result = upload_piece(upload, slot, begin);
  }
  if (result != cudaSuccess)
    __atomic_store_n(&upload->failed, true, __ATOMIC_RELAXED);
  return result;
}

static cudaError_t upload_staged(struct qn_cuda_memory *memory, char *to, const char *from,
                                 uint64_t bytes) {
  struct upload upload = {memory, to, from, bytes, -1, 0, 0, 0, false, {}};
  const uint64_t pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
  const unsigned most = pieces < NUM_SLOTS ? (unsigned)pieces : NUM_SLOTS;
  const unsigned num_lanes = qn_threads() < most ? qn_threads() : most;
  cudaError_t result = cudaSuccess;
  upload.num_lanes = num_lanes;
  if (!qn_used_file_holds(from, bytes, &upload.file, &upload.offset))
    upload.file = -1;
#pragma omp parallel for schedule(static, 1) num_threads(num_lanes)
  for (unsigned lane = 0; lane < num_lanes; lane++) {
    const cudaError_t ended = upload_lane(&upload, lane);
#pragma omp critical(qn_upload_ended)
    result = result == cudaSuccess ? ended : result;
  }
  cudaError_t ended = cudaStreamSynchronize(memory->copy_stream);
  for (unsigned slot = 0; slot < NUM_SLOTS; slot++)
    if (upload.slot_free[slot])
      cudaEventDestroy(upload.slot_free[slot]);
  return result == cudaSuccess ? ended : result;
}

/* While one buffer is emptied the next is filled: one copy ahead. */
static cudaError_t download_staged(struct qn_cuda_memory *memory, char *to, const char *from,
                                   uint64_t bytes) {
  const uint64_t turns = (bytes + QN_STAGE_BYTES - 1) / QN_STAGE_BYTES;
  cudaError_t result = cudaSuccess;
  for (uint64_t turn = 0; turn <= turns && result == cudaSuccess; turn++) {
    const int stage = (int)(turn % QN_CUDA_STAGES);
    if (turn < turns) {
      const uint64_t begin = turn * QN_STAGE_BYTES;
      const uint64_t length = bytes - begin < QN_STAGE_BYTES ? bytes - begin : QN_STAGE_BYTES;
      result = cudaMemcpyAsync(memory->stages[stage], from + begin, length, cudaMemcpyDeviceToHost,
                               memory->copy_stream);
      if (result == cudaSuccess)
        result = cudaEventRecord(memory->stage_free[stage], memory->copy_stream);
    }
    if (turn > 0 && result == cudaSuccess) {
      const uint64_t begin = (turn - 1) * QN_STAGE_BYTES;
      const uint64_t length = bytes - begin < QN_STAGE_BYTES ? bytes - begin : QN_STAGE_BYTES;
      const int before = (int)((turn - 1) % QN_CUDA_STAGES);
      result = cudaEventSynchronize(memory->stage_free[before]);
      if (result == cudaSuccess)
        copy_in_parallel(to + begin, memory->stages[before], length);
    }
  }
  cudaError_t ended = cudaStreamSynchronize(memory->copy_stream);
  return result == cudaSuccess ? ended : result;
}

/* A part of what is mapped may be pinned (stream/pins.cuh), and CUDA refuses to copy what begins
 * there and ends elsewhere. */
static enum qn_status upload_few(void *to, const void *from, uint64_t bytes, const char *what,
                                 cudaError_t *result, struct qn_error *error) {
  void *between;
  enum qn_status status = qn_alloc(&between, bytes, 1, what, error);
  if (status)
    return status;
  memcpy(between, from, bytes);
  *result = cudaMemcpy(to, between, bytes, cudaMemcpyHostToDevice);
  qn_free(between);
  return QN_OK;
}

/* Whichever way; kernels in other streams have been waited for by cudaDeviceSynchronize. */
static enum qn_status copy(struct qn_cuda_memory *memory, void *to, const void *from,
                           uint64_t count, uint64_t size, bool upload, const char *what,
                           struct qn_error *error) {
  const uint64_t bytes = count * size;
  const double begin = qn_seconds();
  enum qn_status status =
      qn_cuda_status(cudaDeviceSynchronize(), "waiting for the device before a copy", error);
  if (status || bytes == 0)
    return status;
  char action[160];
  snprintf(action, sizeof action, "copying %s %s the device", what, upload ? "to" : "from");
  cudaError_t result = cudaSuccess;
  if (bytes <= QN_STAGE_BYTES / 16 && upload) {
    status = upload_few(to, from, bytes, what, &result, error);
    if (status)
      return status;
  } else if (bytes <= QN_STAGE_BYTES / 16) {
    result = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
  } else {
    status = make_stages(memory, error);
    if (status)
      return status;
    result = upload ? upload_staged(memory, (char *)to, (const char *)from, bytes)
                    : download_staged(memory, (char *)to, (const char *)from, bytes);
  }
  memory->copy_seconds += qn_seconds() - begin;
  memory->copy_bytes += bytes;
  return qn_cuda_status(result, action, error);
}

enum qn_status qn_cuda_upload(struct qn_cuda_memory *memory, void *to, const void *from,
                              uint64_t count, uint64_t size, const char *what,
                              struct qn_error *error) {
  return copy(memory, to, from, count, size, true, what, error);
}

enum qn_status qn_cuda_download(struct qn_cuda_memory *memory, void *to, const void *from,
                                uint64_t count, uint64_t size, const char *what,
                                struct qn_error *error) {
  return copy(memory, to, from, count, size, false, what, error);
}

/* Use the store's copy. */
static bool hold(struct qn_cuda_memory *memory, const struct qn_stored *array, void *out) {
  void *copy = memory->num_held < QN_CUDA_MAX_BLOCKS ? qn_store_take(memory->store, array) : NULL;
  if (!copy)
    return false;
  memory->held[memory->num_held++] = copy;
  count_bytes(memory, qn_cuda_rounded(array->bytes + array->extra));
  *(void **)out = copy;
  return true;
}

/* Leave a copy to the store. */
static void keep(struct qn_cuda_memory *memory, const struct qn_stored *array, void *copy) {
  if (memory->num_held == QN_CUDA_MAX_BLOCKS || !qn_store_keep(memory->store, array, copy))
    return;
  disown(memory, copy);
  memory->held[memory->num_held++] = copy;
  memory->bytes += qn_cuda_rounded(array->bytes + array->extra);
}

enum qn_status qn_cuda_copy_of(struct qn_cuda_memory *memory, void *out, const void *from,
                               uint64_t count, uint64_t extra, uint64_t size, const char *what,
                               struct qn_error *error) {
  const struct qn_stored array = {memory->device.index, from, count * size, extra * size};
  if (memory->store && !stay_below_cap(memory, what, array.bytes + array.extra, NULL) &&
      hold(memory, &array, out))
    return QN_OK;
  enum qn_status status = qn_cuda_alloc(memory, out, count + extra, size, what, error);
  if (!status && extra)
    status = qn_cuda_status(cudaMemset(*(char **)out + count * size, 0, extra * size),
                            "clearing device memory", error);
  if (!status)
    status = qn_cuda_upload(memory, *(void **)out, from, count, size, what, error);
  if (!status)
    keep(memory, &array, *(void **)out);
  return status;
}
