#include "runtime/sets/nccl.h"

#include <dlfcn.h>
#include <string.h>

#include "support/ranks/talk.h"

/* What nccl.h has of it, in any NCCL 2. */
struct unique_id {
  char bytes[128];
};
enum { BYTES = 0 }; /* ncclInt8 */

static struct {
  int (*get_id)(struct unique_id *id);
  int (*init)(void **communicator, int num_ranks, struct unique_id id, int rank);
  int (*broadcast)(const void *from, void *to, size_t count, int type, int root, void *communicator,
                   void *stream);
  int (*group_start)(void);
  int (*group_end)(void);
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
  if (find(library, "ncclCommInitRank", &nccl.init) &&
      find(library, "ncclBroadcast", &nccl.broadcast) &&
      find(library, "ncclGroupStart", &nccl.group_start) &&
      find(library, "ncclGroupEnd", &nccl.group_end) &&
      find(library, "ncclCommDestroy", &nccl.destroy) &&
      find(library, "ncclGetErrorString", &nccl.error_text) &&
      find(library, "ncclGetUniqueId", &nccl.get_id))
    return true;
  nccl.get_id = NULL;
  dlclose(library);
  return false;
}

static enum qn_status checked(int result, const char *what, struct qn_error *error) {
  return result ? qn_fail(error, QN_DEVICE, "NCCL, %s: %s", what, nccl.error_text(result)) : QN_OK;
}

enum qn_status qn_nccl_begin(const struct qn_collective *ranks, struct qn_error *error) {
  struct unique_id id = {{0}};
  enum qn_status status =
      ranks->rank == 0 ? checked(nccl.get_id(&id), "getting an id", error) : QN_OK;
  if (!status)
    status = qn_talk_tell(ranks, 0, &id, sizeof id, error);
  return status ? status
                : checked(nccl.init(&communicator, (int)ranks->num_ranks, id, (int)ranks->rank),
                          "beginning", error);
}

enum qn_status qn_nccl_gather(void *all, const uint64_t *offsets, unsigned num_ranks,
                              struct qn_error *error) {
  enum qn_status status = checked(nccl.group_start(), "a group", error);
  for (unsigned rank = 0; !status && rank < num_ranks; rank++) {
    char *part = (char *)all + offsets[rank];
    if (offsets[rank] < offsets[rank + 1])
      status = checked(nccl.broadcast(part, part, offsets[rank + 1] - offsets[rank], BYTES,
                                      (int)rank, communicator, NULL),
                       "telling messages", error);
  }
  return status ? status : checked(nccl.group_end(), "telling messages", error);
}

void qn_nccl_end(void) {
  if (communicator)
    nccl.destroy(communicator);
  communicator = NULL;
}
