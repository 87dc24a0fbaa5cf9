/* The processes that share a run: ranks, which a launcher of MPI started (mpirun, srun). MPI is
 * loaded when it is needed: libquern-mpi.so.0, beside the library or the tools.
 *
 * Every function but the first three is called by all ranks, in the same order. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "kernels/set_view.h"
#include "support/ranks/collective.h"

/* How ranks wait for others. */
struct qn_mpi_patience {
  double word;  /* seconds after which those who are waited for are named */
  double limit; /* seconds after which they are given up; 0: never */
  void (*say)(const unsigned *missing, unsigned count, double seconds, bool gives_up);
};

/* The module's table. Its functions know nothing of Quern: no error but that of MPI, which ends all
 * ranks, and that others have not come. */
struct qn_mpi_module {
  const char *version; /* QN_VERSION */
  void (*begin)(unsigned *rank, unsigned *num_ranks, const struct qn_mpi_patience *patience);
  /* Were others given up? Then nothing was told that should have been, and only `end_gather`, which
   * does not wait any more, and `end`, which ends all ranks, may still be called. */
  bool (*has_lost)(void);
  /* Of the ranks on this machine: the place of this one, and how many they are. */
  void (*node)(unsigned *place, unsigned *count);
  /* May what is told lie in the memory of a CUDA device? */
  bool (*takes_device_memory)(void);
  /* As qn_exchange's. */
  void (*gather)(void *all, const uint64_t *offsets, unsigned num_ranks);
  void (*begin_gather)(void *all, const uint64_t *offsets, unsigned rank, unsigned num_ranks);
  void (*made)(uint64_t end);
  void (*advance)(void);
  void (*end_gather)(void);
  /* Ranks form rows of so many; then as qn_exchange's. */
  void (*form_grid)(unsigned num_columns);
  void (*gather_column)(void *all, const uint64_t *offsets, unsigned num_rows);
  void (*turn_row)(unsigned distance, const void *out, uint64_t out_bytes, void *in,
                   uint64_t in_bytes, uint64_t most);
  /* The least `value` of all ranks. */
  unsigned (*least)(unsigned value);
  /* What rank `from` has in `value`. */
  int (*tell)(int value, unsigned from);
  /* As those of qn_collective (support/ranks/collective.h). Where more bytes than `most` go to or
   * come from a rank, they go in several steps. */
  void (*combine)(uint64_t *values, uint64_t count, enum qn_combination how);
  void (*all_to_all)(const void *send, const uint64_t *send_bytes, void *receive,
                     const uint64_t *receive_bytes, unsigned num_ranks, uint64_t most);
  void (*end)(void);
};

/* Of the option --rank-timeout, which sets that. */
#define QN_RANK_TIMEOUT_HELP                                                                       \
  "Under mpirun: end the run if another process does not answer for SECONDS (default: "            \
  "QUERN_RANK_TIMEOUT, or never)"

/* Give up other ranks which do not come for so many seconds; 0: never. Said before the beginning;
 * else QUERN_RANK_TIMEOUT says it, else 0 holds. */
void qn_ranks_set_timeout(double seconds);

/* Begin, if a launcher has started this process as one of several; else `*exchange` is NULL.
 * QN_UNSUPPORTED if MPI is not installed,
 * QN_USAGE for a value of QUERN_RANK_TIMEOUT that is no number. */
enum qn_status qn_ranks_begin(const struct qn_exchange **exchange, struct qn_error *error);

/* The ranks agree whether all have come as far with success. If one has not, all return its status;
 * of several the first rank's. Once they have failed together, this says so again without asking.
 */
enum qn_status qn_ranks_agree(enum qn_status status);
/* After a failure: is it for this rank to say what failed? */
bool qn_ranks_is_speaker(void);

/* The same ranks for work that is not a run of an algorithm; NULL if they have not begun. */
const struct qn_collective *qn_ranks_collective(void);
/* The same for outputs, of which the figures say nothing. */
const struct qn_collective *qn_ranks_writers(void);

/* All ranks were told the same of `option`, of which `said` is a number: else QN_USAGE. */
enum qn_status qn_ranks_say_alike(uint64_t said, const char *option, struct qn_error *error);

/* A note, by the first rank, if all are on one machine: there one process would be faster. */
enum qn_status qn_ranks_note_machine(struct qn_error *error);

/* The CUDA device that is this rank's, if it names none: the ranks of a machine take its devices by
 * turns. Those that share one share its memory: unless `*memory` says otherwise (0: no limit), it
 * becomes a rank's part of what is free when all use theirs. Where MPI takes device memory, the
 * exchange has gather_on_device then. Ranks for whom CUDA_VISIBLE_DEVICES says something else share
 * none. QN_DEVICE if there is no device. */
enum qn_status qn_ranks_choose_device(int *device, uint64_t *memory, struct qn_error *error);

/* Ranks form rows of so many from now on: the exchange's gather_column and turn_row. */
enum qn_status qn_ranks_form_grid(unsigned num_columns, struct qn_error *error);
/* What was told to other ranks by this process so far. */
struct qn_ranks_figures {
  uint64_t exchanges; /* how often */
  uint64_t sent;      /* bytes that this rank has told the others */
  uint64_t received;  /* bytes that it was told */
  double seconds;     /* spent in them, waiting for others included */
};
struct qn_ranks_figures qn_ranks_figures(void);

/* The end, if they have begun. */
void qn_ranks_end(void);
