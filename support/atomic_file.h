/* Files that appear whole or not at all.
 *
 * The bytes go to a temporary file beside the target; commit syncs it, renames
 * it over the target and syncs the folder. Until then the target is untouched. Where the
 * file system can, the temporary has no name before commit, and vanishes however the process ends;
 * elsewhere it is removed on failure, and on signals if qn_atomic_files_catch_signals was called.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/error.h>

struct qn_atomic_file;

/* May `path` be written? QN_USAGE if it exists and `replace` is false, if it is a link that leads
 * nowhere, or if it is not a regular file. For who checks several before writing the first. */
enum qn_status qn_atomic_file_check(const char *path, bool replace, struct qn_error *error);

/* A link to an output stays, and what it leads to is replaced: the path of that, or `path` if it is
 * no link, made by malloc; NULL with errno set. */
char *qn_output_target(const char *path);

/* Would both be the same file, by whatever names? */
bool qn_outputs_are_one(const char *path, const char *other);

/* Begin writing `path`, or what it leads to as a link, if qn_atomic_file_check allows it. The
 * environment variable QUERN_NO_SYNC=1 leaves out the syncs (for benchmarks: a crash of the machine
 * may then lose the file). Owned by the caller until commit or abort. */
enum qn_status qn_atomic_file_create(const char *path, bool replace, struct qn_atomic_file **out,
                                     struct qn_error *error);

/* A file that several processes write: one begins it so that it has a temporary name, by which the
 * others visit it, and alone lets it appear. Like that one, each takes it away when it fails or is
 * ended by a signal. Owned until leave, which syncs what this process wrote and frees `file`
 * whatever the outcome, or abort. */
enum qn_status qn_atomic_file_create_visible(const char *path, bool replace,
                                             struct qn_atomic_file **out, struct qn_error *error);
const char *qn_atomic_file_temporary(const struct qn_atomic_file *file);
enum qn_status qn_atomic_file_visit(const char *temporary, struct qn_atomic_file **out,
                                    struct qn_error *error);
enum qn_status qn_atomic_file_leave(struct qn_atomic_file *file, struct qn_error *error);

/* Begin a file without a name, which cannot be committed: in memory, or with a limit of that in the
 * temporary folder (qn_scratch_open). */
enum qn_status qn_atomic_file_in_memory(struct qn_atomic_file **out, struct qn_error *error);

/* The same, but `path` may be "-" or a stream (output_stream.h), too: what is written is kept
 * (temp_file.h), and sent at commit. QN_USAGE for a terminal. */
enum qn_status qn_atomic_file_create_or_stream(const char *path, bool replace,
                                               struct qn_atomic_file **out, struct qn_error *error);

/* The descriptor of the temporary file, open for reading and writing. */
int qn_atomic_file_descriptor(const struct qn_atomic_file *file);

/* The target's path, not that of a link to it. */
const char *qn_atomic_file_path(const struct qn_atomic_file *file);

/* Write `length` bytes at `offset`, whole. */
enum qn_status qn_atomic_file_write(struct qn_atomic_file *file, const void *bytes, uint64_t length,
                                    uint64_t offset, struct qn_error *error);

/* A buffered stream at the temporary's end, owned by `file`: do not close it.
 * Commit flushes it and reports its errors. */
enum qn_status qn_atomic_file_stream(struct qn_atomic_file *file, FILE **out,
                                     struct qn_error *error);

/* Make the file appear under its name, unless a file in use has changed (used_files.h). Frees
 * `file` whatever the outcome; on failure the target is untouched, but for one: the output is in
 * place and whole, and its folder cannot be synced. */
enum qn_status qn_atomic_file_commit(struct qn_atomic_file *file, struct qn_error *error);

/* `other`, which `file` takes, appears when `file` does, before it, or is dropped with it. If one
 * cannot appear, none does: those that were there already and replace nothing are removed again.
 * Neither may be a stream. */
void qn_atomic_file_join(struct qn_atomic_file *file, struct qn_atomic_file *other);

/* Whoever prints a summary says beforehand that outputs are to be held: what is committed, file or
 * folder, is then whole but has no name until release, when it appears or is dropped; one that is
 * committed before another appears with that. Not for use by several threads. */
void qn_outputs_hold(void);
bool qn_outputs_are_held(void);
enum qn_status qn_outputs_release(bool appears, struct qn_error *error);

/* The descriptor of the file that is held, or -1. */
int qn_output_held(void);

/* The length of a file that was committed; 0 if there is none. */
uint64_t qn_output_bytes(const char *path);

/* How many files and folders this process has put in place: what fails afterwards does not take
 * them back. The second counts one. */
unsigned qn_outputs_in_place(void);
void qn_output_is_in_place(void);

/* From now on signals that end the process remove the temporaries first, where the program has no
 * handlers of its own. For tools; a library leaves signals alone. */
void qn_atomic_files_catch_signals(void);

/* Remove the temporaries of all files and folders (atomic_folder.h) under way, in a signal handler
 * about to end the process, or before its end. Nothing gets or loses a name any more. */
void qn_atomic_files_remove(void);

/* Outputs get and lose their names one at a time: a signal may reach any thread, also while another
 * is about to name a file in the folder that the handler removes. The thread's signals are blocked
 * while it holds the lock; `before` keeps its mask. Not to be taken twice. */
void qn_names_lock(sigset_t *before);
void qn_names_unlock(const sigset_t *before);

/* Under that lock: temporaries of another kind, which stay where they are until they are forgotten,
 * and the group of processes that writes them, if it is not this process (0: none does any more). A
 * signal ends these, and removes what they made. */
void qn_temporaries_list(char *const names[2]);
void qn_temporaries_made_by(pid_t group);
/* Takes the lock. */
void qn_temporaries_forget(char *const names[2]);

/* In a child after fork, which has none of the threads that may hold the lock. */
void qn_names_forget(void);

/* Drop everything; NULL is allowed. */
void qn_atomic_file_abort(struct qn_atomic_file *file);
