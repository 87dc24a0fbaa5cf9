/* Folders of files that appear whole or not at all: the files are written into a temporary folder
 * beside the target, which takes the target's name at the end. On failure, and on the signals of
 * atomic_file.h, all of it is removed. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

struct qn_atomic_folder;

/* Begin a folder that will be `path`. QN_USAGE if that exists, unless it is a folder and `replace`:
 * then commit deletes it with the files in it, and the caller has made sure that it may. Owned
 * until commit or abort. */
enum qn_status qn_atomic_folder_create(const char *path, bool replace,
                                       struct qn_atomic_folder **out, struct qn_error *error);

/* Where to write a file that will be called `name`, which has no '/'. Lives as long as the folder.
 */
enum qn_status qn_atomic_folder_add(struct qn_atomic_folder *folder, const char *name,
                                    const char **path, struct qn_error *error);

/* The temporary folder. */
const char *qn_atomic_folder_place(const struct qn_atomic_folder *folder);

/* Write into a temporary folder that another process has begun, which alone lets it appear. Like
 * that one, this process takes it away when it fails or is ended by a signal. Owned until leave,
 * which lets all be, or abort. */
enum qn_status qn_atomic_folder_join(const char *place, struct qn_atomic_folder **out,
                                     struct qn_error *error);
void qn_atomic_folder_leave(struct qn_atomic_folder *folder);

/* The process goes on to other things before it commits or aborts: until then a signal leaves the
 * folder where it is. */
void qn_atomic_folder_rest(struct qn_atomic_folder *folder);

/* Make the folder appear, now or when outputs are released (atomic_file.h). Frees `folder` whatever
 * the outcome; on failure the target is untouched.
 */
enum qn_status qn_atomic_folder_commit(struct qn_atomic_folder *folder, struct qn_error *error);

/* Drop everything; NULL is allowed. */
void qn_atomic_folder_abort(struct qn_atomic_folder *folder);

/* A part of qn_outputs_release. */
enum qn_status qn_atomic_folder_release(bool appears, struct qn_error *error);

/* Is there one that is neither committed nor dropped? Files that are put in place then are in it.
 */
bool qn_atomic_folder_is_under_way(void);

/* Remove the folder under way, in a signal handler about to end the process. */
void qn_atomic_folders_remove(void);
