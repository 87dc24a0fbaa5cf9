/* The folder that holds a run's checkpoint: one run at a time; one file, and where several ranks
 * share the run, others that it lists (parts.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#define QN_CHECKPOINT_NAME "checkpoint.qrn"

struct qn_checkpoint_folder {
  bool open, leads;
  int descriptor; /* of the folder, locked */
  char *path;
  char *file; /* path of its checkpoint */
};

/* Open `path`, making the folder if it is not there (its parent must be), and lock it: QN_USAGE if
 * another run has it. What runs that were killed while they wrote have left behind is removed, but
 * for parts (sweep). Of several ranks the first does so (`leads`) before the others open it.
 * Close it after a failure, too. */
enum qn_status qn_checkpoint_folder_open(const char *path, bool leads,
                                         struct qn_checkpoint_folder *folder,
                                         struct qn_error *error);
/* Is there a checkpoint? */
enum qn_status qn_checkpoint_folder_look(const struct qn_checkpoint_folder *folder, bool *exists,
                                         struct qn_error *error);
/* The path of part `index` of the checkpoint after so many iterations; owned (qn_free). */
enum qn_status qn_checkpoint_folder_part(const struct qn_checkpoint_folder *folder,
                                         uint64_t iterations, uint64_t index, char **path,
                                         struct qn_error *error);
/* Remove the parts of all checkpoints but the one after so many iterations; 0: of all. By the one
 * that leads; others do nothing. */
void qn_checkpoint_folder_sweep(const struct qn_checkpoint_folder *folder, uint64_t iterations);
/* Remove the checkpoint and its parts, if there are any, likewise. */
enum qn_status qn_checkpoint_folder_discard(const struct qn_checkpoint_folder *folder,
                                            struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_checkpoint_folder_close(struct qn_checkpoint_folder *folder);
