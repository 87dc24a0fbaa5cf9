#include "runtime/sets/nccl.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

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
enum { BYTES = 0 /* ncclInt8 */, IN_PROGRESS = 7 };

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

static int result_at_last(int result) {
  while ((result = result_now(result)) == IN_PROGRESS)
    nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
  return result;
}

static enum qn_status checked(int result, const char *what, struct qn_error *error) {
  return result ? qn_fail(error, QN_DEVICE, "NCCL, %s: %s", what, nccl.error_text(result)) : QN_OK;
}

/* What came out on all ranks: an error if there is one on any, else that some go on. */
static enum qn_status agree(const struct qn_collective *ranks, int *result,
                            struct qn_error *error) {
  uint64_t most[2] = {*result == IN_PROGRESS ? 0 : (uint64_t)*result, *result == IN_PROGRESS};
  enum qn_status status = ranks->combine(most, 2, QN_COMBINE_MOST, error);
  *result = most[0] ? (int)most[0] : most[1] ? IN_PROGRESS : 0;
  return status;
}

static enum qn_status begin(const struct qn_collective *ranks, int *result,
                            struct qn_error *error) {
  struct unique_id id = {{0}};
  struct config config = {.size = sizeof config, .magic = 0xcafebeef, .version = 21400};
  *result = ranks->rank == 0 ? nccl.get_id(&id) : 0;
  enum qn_status status = agree(ranks, result, error);
  if (!status && !*result)
    status = qn_talk_tell(ranks, 0, &id, sizeof id, error);
  if (status || *result)
    return status;
  int own = nccl.init(&communicator, (int)ranks->num_ranks, id, (int)ranks->rank, &config);
  for (;; nanosleep(&(struct timespec){.tv_nsec = REST}, NULL)) {
    *result = own = result_now(own);
    status = agree(ranks, result, error);
    if (status || *result != IN_PROGRESS)
      return status;
  }
}

enum qn_status qn_nccl_begin(const struct qn_collective *ranks, const char **failure,
                             struct qn_error *error) {
  int result;
  enum qn_status status = begin(ranks, &result, error);
  *failure = result ? nccl.error_text(result) : NULL;
  if (!status && !result)
    return QN_OK;
  if (communicator) /* of ranks that wait for the one that failed, too */
    nccl.abort(communicator);
  communicator = NULL;
  return status;
}

enum qn_status qn_nccl_gather(void *all, const uint64_t *offsets, unsigned num_ranks,
                              struct qn_error *error) {
  enum qn_status status = checked(nccl.group_start(), "a group", error);
  for (unsigned rank = 0; !status && rank < num_ranks; rank++) {
    char *part = (char *)all + offsets[rank];
    const uint64_t bytes = offsets[rank + 1] - offsets[rank];
    if (bytes == 0)
      continue;
    const int result = nccl.broadcast(part, part, bytes, BYTES, (int)rank, communicator, NULL);
    status = checked(result == IN_PROGRESS ? 0 : result, "telling messages", error);
  }
  return status ? status : checked(result_at_last(nccl.group_end()), "telling messages", error);
}

void qn_nccl_end(void) {
  if (communicator)
    nccl.destroy(communicator);
  communicator = NULL;
}
