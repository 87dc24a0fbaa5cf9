/* A libnccl.so.2 for the emulator's devices (test_ranks.py): what kernels/ranks/nccl.c asks of
 * NCCL, by a file that the ranks map. QUERN_FAKE_NCCL_LOG: a file that gets a line for each group,
 * of how many broadcasts and bytes. QUERN_FAKE_NCCL_FAILS: "begin RANK" cannot begin, as it says
 * when it is asked again; "connect RANK" cannot connect, which all do in their first group; "id":
 * the first one gets no id. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS, UNHANDLED_CUDA_ERROR, SYSTEM_ERROR, IN_PROGRESS = 7 };
#define WINDOW ((size_t)1 << 16)

struct id {
  char path[128];
};
struct config {
  size_t size;
  unsigned magic, version;
  int blocking;
};
struct shared {
  atomic_int here, connected, turns;
  char window[WINDOW];
};
struct communicator {
  struct shared *shared;
  struct id id;
  int rank, num_ranks, asked, fails, connects, has_connected;
};
struct broadcast {
  const void *from;
  void *to;
  size_t bytes;
  int root;
};

extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

static struct broadcast group[64];
static struct communicator *grouped;
static int in_group;

static int fails_to(const char *what, int rank) {
  const char *fails = getenv("QUERN_FAKE_NCCL_FAILS");
  char text[32];
  snprintf(text, sizeof text, "%s %d", what, rank);
  return fails && strcmp(fails, text) == 0;
}

const char *ncclGetErrorString(int result) {
  return result == SYSTEM_ERROR ? "unhandled system error" : "another error";
}

int ncclGetUniqueId(struct id *id) {
  const char *fails = getenv("QUERN_FAKE_NCCL_FAILS");
  if (fails && strcmp(fails, "id") == 0)
    return SYSTEM_ERROR;
  snprintf(id->path, sizeof id->path, "/tmp/quern-nccl-%d-XXXXXX", (int)getpid());
  int file = mkstemp(id->path);
  if (file < 0 || ftruncate(file, sizeof(struct shared)) != 0)
    return SYSTEM_ERROR;
  close(file);
  return SUCCESS;
}

int ncclCommInitRankConfig(struct communicator **out, int num_ranks, struct id id, int rank,
                           struct config *config) {
  if (config->magic != 0xcafebeef || config->version < 21400 || config->blocking)
    return UNHANDLED_CUDA_ERROR;
  struct communicator *made = calloc(1, sizeof *made);
  int file = open(id.path, O_RDWR);
  *made = (struct communicator){
      .id = id, .rank = rank, .num_ranks = num_ranks, .fails = fails_to("begin", rank)};
  made->shared = mmap(NULL, sizeof *made->shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (made->shared == MAP_FAILED)
    return SYSTEM_ERROR;
  if (!made->fails && atomic_fetch_add(&made->shared->here, 1) == num_ranks - 1)
    unlink(id.path);
  *out = made;
  return IN_PROGRESS;
}

int ncclCommDestroy(struct communicator *communicator) {
  munmap(communicator->shared, sizeof *communicator->shared);
  free(communicator);
  return SUCCESS;
}

int ncclCommAbort(struct communicator *communicator) {
  unlink(communicator->id.path);
  return ncclCommDestroy(communicator);
}

/* `turns` counts up to the number of ranks for each wait. */
static void wait_for_all(struct communicator *communicator) {
  int turn = atomic_fetch_add(&communicator->shared->turns, 1);
  const int all = (turn / communicator->num_ranks + 1) * communicator->num_ranks;
  while (atomic_load(&communicator->shared->turns) < all)
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

int ncclGroupStart(void) {
  in_group = 0;
  return SUCCESS;
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                  struct communicator *communicator, void *stream) {
  (void)stream;
  if (type != 0 || in_group == 64)
    return UNHANDLED_CUDA_ERROR;
  group[in_group++] = (struct broadcast){from, to, count, root};
  grouped = communicator;
  return SUCCESS;
}

static void broadcast(const struct broadcast *one) {
  for (size_t at = 0; at < one->bytes; at += WINDOW) {
    const size_t some = one->bytes - at < WINDOW ? one->bytes - at : WINDOW;
    if (grouped->rank == one->root)
      cudaMemcpy(grouped->shared->window, (const char *)one->from + at, some, 4);
    wait_for_all(grouped);
    if (grouped->rank != one->root)
      cudaMemcpy((char *)one->to + at, grouped->shared->window, some, 4);
    wait_for_all(grouped);
  }
}

static void broadcast_all(void) {
  for (int i = 0; i < in_group; i++)
    broadcast(&group[i]);
}

/* By a thread of its own, in NCCL: here when it is asked how far that has come. */
int ncclCommGetAsyncError(struct communicator *communicator, int *result) {
  struct shared *shared = communicator->shared;
  const int arrived = atomic_load(communicator->connects ? &shared->connected : &shared->here);
  *result = SUCCESS;
  if (communicator->asked++ == 0 || (!communicator->fails && arrived < communicator->num_ranks)) {
    *result = IN_PROGRESS;
  } else if (communicator->fails) {
    *result = SYSTEM_ERROR;
  } else if (communicator->connects) {
    communicator->connects = 0;
    broadcast_all();
  }
  return SUCCESS;
}

int ncclGroupEnd(void) {
  const char *log = getenv("QUERN_FAKE_NCCL_LOG");
  FILE *file = log ? fopen(log, "a") : NULL;
  size_t bytes = 0;
  for (int i = 0; i < in_group; i++)
    bytes += group[i].bytes;
  if (file)
    fclose((fprintf(file, "%d %zu\n", in_group, bytes), file));
  if (in_group == 0)
    return SUCCESS;
  grouped->asked = 0;
  if (grouped->has_connected++) {
    broadcast_all();
    return IN_PROGRESS;
  }
  if (fails_to("connect", grouped->rank))
    return SYSTEM_ERROR;
  grouped->connects = 1;
  atomic_fetch_add(&grouped->shared->connected, 1);
  return IN_PROGRESS;
}
