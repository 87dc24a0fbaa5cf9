/* Open MPI, for runs that several processes share: what runtime/sets/ranks.c loads. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "runtime/sets/ranks.h"
#include "support/tool.h"

/* Counts of MPI are ints. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* Errors of MPI end all ranks, with its own message: that is its default. */
static void begin(unsigned *rank, unsigned *num_ranks) {
  int level, own, all;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  *rank = (unsigned)own;
  *num_ranks = (unsigned)all;
}

static void gather_at_once(void *all, const uint64_t *offsets, unsigned num_ranks) {
  int *counts = malloc(2 * num_ranks * sizeof *counts);
  if (!counts)
    MPI_Abort(MPI_COMM_WORLD, QN_SYSTEM);
  int *places = counts + num_ranks;
  for (unsigned rank = 0; rank < num_ranks; rank++) {
    counts[rank] = (int)(offsets[rank + 1] - offsets[rank]);
    places[rank] = (int)offsets[rank];
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  free(counts);
}

static void gather(void *all, const uint64_t *offsets, unsigned num_ranks) {
  if (offsets[num_ranks] <= MOST_BYTES) {
    gather_at_once(all, offsets, num_ranks);
    return;
  }
  for (unsigned rank = 0; rank < num_ranks; rank++)
    for (uint64_t at = offsets[rank]; at < offsets[rank + 1]; at += MOST_BYTES) {
      uint64_t left = offsets[rank + 1] - at;
      MPI_Bcast((char *)all + at, (int)(left < MOST_BYTES ? left : MOST_BYTES), MPI_BYTE, (int)rank,
                MPI_COMM_WORLD);
    }
}

static unsigned least(unsigned value) {
  unsigned found;
  MPI_Allreduce(&value, &found, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
  return found;
}

static int tell(int value, unsigned from) {
  MPI_Bcast(&value, 1, MPI_INT, (int)from, MPI_COMM_WORLD);
  return value;
}

static void end(void) {
  MPI_Finalize();
}

const struct qn_mpi_module *qn_mpi_module(void);

const struct qn_mpi_module *qn_mpi_module(void) {
  static const struct qn_mpi_module module = {.version = QN_VERSION,
                                              .begin = begin,
                                              .gather = gather,
                                              .least = least,
                                              .tell = tell,
                                              .end = end};
  return &module;
}
