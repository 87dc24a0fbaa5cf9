#include "kernels/ranks/nccl.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/device/probe.h"
#include "support/memory.h"
#include "support/ranks/talk.h"

/* What nccl.h has of it, in NCCL 2.14 and any later NCCL 2. */
struct unique_id {
  char bytes[128];
};
struct config { /* of 2.14: what later ones have behind it is left as it is by default */
  size_t size;
  unsigned magic, version;
  int blocking;
};
enum { BYTES = 0 /* ncclInt8 */, CUDA_ERROR = 1, IN_PROGRESS = 7 };

/* Nanoseconds between questions how far NCCL has come. */
#define REST 200000

static struct {
  int (*get_id)(struct unique_id *id);
  int (*init)(void **communicator, int num_ranks, struct unique_id id, int rank,
              struct config *config);
  int (*broadcast)(const void *from, void *to, size_t count, int type, int root, void *communicator,
                   void *stream);
  int (*group_start)(void);
  int (*group_end)(void);
  int (*result)(void *communicator, int *result);
  int (*abort)(void *communicator);
  int (*destroy)(void *communicator);
  const char *(*error_text)(int result);
} nccl;
static void *communicator;

static bool find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol;
}

bool qn_nccl_load(void) {
  void *library = nccl.get_id ? NULL : dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nccl.get_id;
  if (find(library, "ncclCommInitRankConfig", &nccl.init) &&
      find(library, "ncclBroadcast", &nccl.broadcast) &&
      find(library, "ncclGroupStart", &nccl.group_start) &&
      find(library, "ncclGroupEnd", &nccl.group_end) &&
      find(library, "ncclCommGetAsyncError", &nccl.result) &&
      find(library, "ncclCommAbort", &nccl.abort) &&
      find(library, "ncclCommDestroy", &nccl.destroy) &&
      find(library, "ncclGetErrorString", &nccl.error_text) &&
      find(library, "ncclGetUniqueId", &nccl.get_id))
    return true;
  nccl.get_id = NULL;
  dlclose(library);
  return false;
}

/* Nothing that NCCL is asked for waits for other ranks: it is asked until it has an answer. */
static int result_now(int result) {
  if (result == IN_PROGRESS && nccl.result(communicator, &result))
    result = IN_PROGRESS + 1; /* it cannot even tell */
  return result;
}

/* A group that has begun ends, whatever comes between. */
static int broadcast_all(char *all, const uint64_t *offsets, unsigned num_ranks) {
  int result = nccl.group_start();
  if (result)
    return result;
  for (unsigned rank = 0; !result && rank < num_ranks; rank++) {
    char *part = all + offsets[rank];
    const uint64_t bytes = offsets[rank + 1] - offsets[rank];
    if (bytes > 0)
      result = nccl.broadcast(part, part, bytes, BYTES, (int)rank, communicator, NULL);
    result = result == IN_PROGRESS ? 0 : result;
  }
  const int ended = nccl.group_end();
  return result ? result : ended;
}

/* Of ranks that wait for one that failed, too. */
static void give_up(void) {
  if (communicator)
    nccl.abort(communicator);
  communicator = NULL;
}

/* ---- Beginning, on all ranks or on none ---------------------------------------- */

/* What came out on all ranks: an error if there is one on any, else that some go on. */
static enum qn_status agree(const struct qn_collective *ranks, int *result,
                            struct qn_error *error) {
  uint64_t most[2] = {*result == IN_PROGRESS ? 0 : (uint64_t)*result, *result == IN_PROGRESS};
  enum qn_status status = ranks->combine(most, 2, QN_COMBINE_MOST, error);
  *result = most[0] ? (int)most[0] : most[1] ? IN_PROGRESS : 0;
  return status;
}

/* Has this rank done what it was asked for, and the device, too? */
static int done_now(int result) {
  bool ready;
  result = result_now(result);
  if (result)
    return result;
  if (qn_cuda_probe_ready(&ready, NULL))
    return CUDA_ERROR;
  return ready ? 0 : IN_PROGRESS;
}

/* `*result` becomes that of all. */
static enum qn_status wait_for_all(const struct qn_collective *ranks, int *result,
                                   struct qn_error *error) {
  int own = *result;
  for (;; nanosleep(&(struct timespec){.tv_nsec = REST}, NULL)) {
    *result = own = done_now(own);
    enum qn_status status = agree(ranks, result, error);
    if (status || *result != IN_PROGRESS)
      return status;
  }
}

/* NCCL connects when it is first used: `bytes`, one of each rank, are told for that. */
static enum qn_status begin(const struct qn_collective *ranks, void *bytes, const uint64_t *offsets,
                            int *result, struct qn_error *error) {
  struct unique_id id = {{0}};
  struct config config = {.size = sizeof config, .magic = 0xcafebeef, .version = 21400};
  *result = !bytes ? CUDA_ERROR : ranks->rank == 0 ? nccl.get_id(&id) : 0;
  enum qn_status status = agree(ranks, result, error);
  if (!status && !*result)
    status = qn_talk_tell(ranks, 0, &id, sizeof id, error);
  if (status || *result)
    return status;
  *result = nccl.init(&communicator, (int)ranks->num_ranks, id, (int)ranks->rank, &config);
  status = wait_for_all(ranks, result, error);
  if (status || *result)
    return status;
  *result = broadcast_all(bytes, offsets, ranks->num_ranks);
  return wait_for_all(ranks, result, error);
}

enum qn_status qn_nccl_begin(const struct qn_collective *ranks, const char **failure,
                             struct qn_error *error) {
  void *bytes = NULL;
  uint64_t *offsets;
  int result = 0;
  *failure = NULL;
  enum qn_status status =
      qn_alloc(&offsets, (uint64_t)ranks->num_ranks + 1, sizeof *offsets, "first bytes", error);
  status = ranks->agree(status);
  for (unsigned rank = 0; !status && rank <= ranks->num_ranks; rank++)
    offsets[rank] = rank;
  if (!status) {
    (void)qn_cuda_probe_create(&bytes, ranks->num_ranks, NULL); /* without, none begins */
    status = begin(ranks, bytes, offsets, &result, error);
  }
  if (status || result)
    give_up();
  *failure = result ? nccl.error_text(result) : NULL;
  qn_cuda_probe_destroy(bytes);
  qn_free(offsets);
  return status;
}

/* ---- Afterwards ----------------------------------------------------------------- */

enum qn_status qn_nccl_gather(void *all, const uint64_t *offsets, unsigned num_ranks,
                              struct qn_error *error) {
  int result = broadcast_all(all, offsets, num_ranks);
  while ((result = result_now(result)) == IN_PROGRESS)
    nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
  if (!result)
    return QN_OK;
  give_up();
  return qn_fail(error, QN_DEVICE, "NCCL, telling messages: %s", nccl.error_text(result));
}

void qn_nccl_end(void) {
  if (communicator)
    nccl.destroy(communicator);
  communicator = NULL;
}
