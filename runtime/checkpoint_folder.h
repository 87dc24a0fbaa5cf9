/* The folder that holds a run's checkpoint: one run at a time, one file. */
#ifndef QN_RUNTIME_CHECKPOINT_FOLDER_H
#define QN_RUNTIME_CHECKPOINT_FOLDER_H

#include <stdbool.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_CHECKPOINT_NAME "checkpoint.qrn"

struct qn_checkpoint_folder {
  bool open;
  int descriptor; /* of the folder, locked */
  char *file;     /* path of its checkpoint */
};

/* Open `path`, making the folder if it is not there (its parent must be), and lock it: QN_USAGE if
 * another run has it. What runs that were killed while they wrote have left behind is removed.
 * Close it after a failure, too. */
enum qn_status qn_checkpoint_folder_open(const char *path, struct qn_checkpoint_folder *folder,
                                         struct qn_error *error);
/* Is there a checkpoint? */
enum qn_status qn_checkpoint_folder_look(const struct qn_checkpoint_folder *folder, bool *exists,
                                         struct qn_error *error);
/* Remove the checkpoint, if there is one. */
enum qn_status qn_checkpoint_folder_discard(const struct qn_checkpoint_folder *folder,
                                            struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_checkpoint_folder_close(struct qn_checkpoint_folder *folder);

#ifdef __cplusplus
}
#endif
#endif
