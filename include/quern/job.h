/* Limits and callbacks of long calls; options by name; types of arrays. */
#ifndef QUERN_JOB_H
#define QUERN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0": of the library that is loaded. Static. */
const char *qn_version(void);

/* ---- Types of arrays ------------------------------------------------------ */

/* Elements are as the processor has them (little-endian), without gaps. Values beyond these may
 * come with later versions. */
enum qn_type {
  QN_TYPE_NONE = 0, /* no array */
  QN_TYPE_U8 = 1,
  QN_TYPE_U16 = 2,
  QN_TYPE_U32 = 3,
  QN_TYPE_U64 = 4,
  QN_TYPE_I8 = 5,
  QN_TYPE_I16 = 6,
  QN_TYPE_I32 = 7,
  QN_TYPE_I64 = 8,
  QN_TYPE_F32 = 9,
  QN_TYPE_F64 = 10,
};

/* Bytes of an element; 0 of QN_TYPE_NONE and of what this version does not know. */
uint64_t qn_type_bytes(enum qn_type type);

/* ---- Jobs ----------------------------------------------------------------- */

/* What is under way. */
struct qn_progress {
  uint64_t size;    /* of this struct, as the library has it */
  const char *what; /* "reading", "sorting", "iteration", ...; static */
  const char *unit; /* "bytes", "edges", "iterations", ...; static */
  uint64_t done;
  uint64_t total; /* 0: unknown */
};

/* Limits and callbacks of a long call. NULL in place of a job means all defaults. The callbacks run
 * on the thread that made the call, the first two about ten times a second; the work does not wait
 * for them. They may make other calls of this library. */
struct qn_job {
  uint64_t size;     /* sizeof(struct qn_job) */
  uint32_t threads;  /* at most so many; 0: all that the process may run on, or OMP_NUM_THREADS */
  uint32_t reserved; /* 0 */
  uint64_t memory; /* of import, build and transform: bytes to keep to, with temporary files; 0: all
                      in memory, unless that is more than is free: then half of what is free */
  const char *tmpdir; /* folder of temporary files; NULL: the environment's TMPDIR, or the output's
                         folder, or /tmp */
  /* Reports progress. NULL: no reports. */
  void (*progress)(void *user, const struct qn_progress *progress);
  /* Returns true to end the call. It then ends soon, with QN_INTERRUPTED, and leaves nothing
   * behind. NULL: the call is not cancelled. */
  bool (*cancelled)(void *user);
  /* Something worth knowing, as the tools print it: "note: ...", "warning: ...". NULL: dropped. */
  void (*notice)(void *user, const char *text);
  void *user; /* given to all of them */
};

/* ---- Options -------------------------------------------------------------- */

/* Options have the names and values of the long options of the command-line tools, without dashes:
 * {"duplicates", "remove"} is --duplicates=remove. Those that take no value there are "yes" or "no"
 * here, and NULL means "yes". If an option that may not be repeated is given twice, the last one
 * counts. An unknown name or value is QN_USAGE, with the nearest known one in the message; so is
 * one that does not apply to the call. Messages name options as the tools do. Names and values are
 * read during the call. qn_list lists all options. */
struct qn_option {
  const char *name;
  const char *value;
};

/* Texts that the library made. NULL is allowed. */
void qn_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
