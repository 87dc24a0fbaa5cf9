/* For whom a thread works: who is told of it, and what it may take.
 *
 * The threads of a tool share one context, which shows progress and notices on the terminal. Every
 * call of the library has one of its own, which its threads enter. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is under way (support/progress.h); read and written by any thread with __atomic functions.
 */
struct qn_task {
  const char *what; /* static texts; NULL: nothing is */
  const char *unit;
  uint64_t total;
  uint64_t done;
};

struct qn_context {
  struct qn_task task;
  bool cancelled; /* the same: the work is to end soon */
  /* Takes a notice, from any thread; NULL: it is dropped, or shown by a tool. */
  void (*notice)(void *user, const char *text);
  void *user;
  json_t *notes;              /* support/progress.h; NULL: none was made */
  uint64_t notes_made;        /* their kinds, a bit each */
  uint64_t memory_limit;      /* support/temp_file.h */
  const char *temp_folder;    /* not NULL */
  const char *scratch_folder; /* the same; NULL: none was chosen */
  bool json_lacks_memory;     /* support/json_text.h; atomic */
  bool reader_gone; /* nobody reads an output any more (support/output_stream.h); atomic */
};

/* This thread's; never NULL. */
struct qn_context *qn_context(void);
/* Is it the one of tools? */
bool qn_context_is_process(void);

/* From now on this thread works for `context`, and so does the team of its parallel regions; NULL:
 * for the process. The threads that qn_thread_start starts work for that of the starting thread. */
void qn_context_enter(struct qn_context *context);
/* The same for this thread alone. */
void qn_context_set(struct qn_context *context);

/* QN_INTERRUPTED if the work is to end. Any thread; call every few milliseconds of work. */
enum qn_status qn_context_check(struct qn_error *error);

#ifdef __cplusplus
}
#endif
