/* Files that are used while outputs are made from them: what is made of a file never takes its
 * place, not even by force, and nothing that was computed from a file which is used where it lies,
 * mapped, and was overwritten meanwhile may be published.
 *
 * Whoever maps such a file lists it; atomic_file.h and atomic_folder.h put no output in place when
 * one that is listed has changed.
 *
 * Until then what a mapped file holds may change at any time, though it was checked. It is read as
 * what it is, and memory stays safe: an offset of 64 bits is bounded where it is used, before
 * anything is written by it, or by what was counted in memory of one's own; a number of 32 bits
 * indexes arrays that fault behind their end (memory.h). A fault is taken for what it is if a
 * listed file has been written (tool.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file's size and times were. */
struct qn_file_state {
  uint64_t bytes;
  struct timespec modified, changed;
};

/* Zero it before use. */
struct qn_used_file {
  const char *path; /* for messages */
  int descriptor;   /* open as long as the input is listed */
  bool kept;        /* no output takes its place: it belongs to an input of another name */
  struct qn_file_state state;
  const void *mapped; /* its bytes from `mapped_from` on lie here; or NULL */
  uint64_t mapped_bytes, mapped_from;
  /* Are its bytes what they were? Called if the file was not written, but its other time is
   * another: it may have got another name or another owner. */
  bool (*is_intact)(const void *user);
  const void *user;
  struct qn_used_file *before, *after;
};

/* False, with errno set, if the file's state cannot be found. */
bool qn_file_state_of(int descriptor, struct qn_file_state *state);

/* List an input whose other fields are set, its state from before anything was read of it. It must
 * stay where it is until qn_used_file_forget, which allows one that is not listed. Any thread may.
 */
void qn_used_file_list(struct qn_used_file *input);
void qn_used_file_forget(struct qn_used_file *input);

/* Where in a file that is listed lie the bytes that are mapped here? False if they are none of
 * one's. To read them there maps no pages, of which all must be let go of in the end. */
bool qn_used_file_holds(const void *begin, uint64_t bytes, int *descriptor, uint64_t *offset);

/* Has one been written while it was listed? For signal handlers: takes no lock. */
bool qn_used_files_written(void);

/* QN_SYSTEM, naming the file, if one that is listed has changed. To be called when all has been
 * read that counts, by what publishes results elsewhere than in a file. */
enum qn_status qn_used_files_check(struct qn_error *error);
/* The same of all that have been listed, by a process that makes one output: it may have used what
 * it gave back, or said something of an input since its output was complete. */
enum qn_status qn_used_files_check_all(struct qn_error *error);
/* The same of one that is listed. */
enum qn_status qn_used_file_check(struct qn_used_file *file, struct qn_error *error);

/* QN_USAGE if `output` is one of the inputs, by whatever name, the folder that it lies in, a file
 * in the folder that it is, or the archive of which an input "archive:member" is a member. What
 * does not exist is no file, and "-" and NULL neither. */
enum qn_status qn_inputs_kept(const char *output, const char *const *inputs, uint64_t num_inputs,
                              struct qn_error *error);
/* The same of one; NULL is none. */
enum qn_status qn_input_kept(const char *output, const char *input, struct qn_error *error);

/* QN_USAGE if a file at `output` is one that is listed as kept. */
enum qn_status qn_used_files_kept(const char *output, struct qn_error *error);

/* What was counted of an input and what was found there later do not agree: as above, or QN_SYSTEM
 * anyway. */
enum qn_status qn_input_changed(struct qn_error *error);

/* Before munmap of what is large, which takes one thread a second for some 30 GB: all threads let
 * go of its pages. */
void qn_pages_leave(void *mapping, uint64_t bytes);
/* Of this process, a tool's. In a thread of the library's user there must be no team of threads:
 * after a fork it would be waited for. Until it is called qn_pages_leave does nothing. */
void qn_pages_leave_by_all_threads(void);

/* Open a file that the user has not named, for reading. QN_INVALID if it is none: whoever opens a
 * pipe waits for its writer. The caller closes it. */
enum qn_status qn_file_open_regular(const char *path, int *descriptor, struct qn_error *error);

#ifdef __cplusplus
}
#endif
