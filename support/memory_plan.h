/* The options --memory and --tmpdir, and what is decided with them before work begins: whether it
 * is done in memory or in temporary files (support/temp_file.h), and whether there is room. */
#pragma once

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_memory_options {
  uint64_t memory;    /* 0: not given */
  const char *tmpdir; /* NULL: $TMPDIR, or the output's folder */
};

/* A child for an argp parser; its input is a `struct qn_memory_options`. */
extern const struct argp qn_memory_argp;

/* What the work will take, as far as it is known. In bytes. */
struct qn_work_estimate {
  bool unknown;       /* the input does not say how large it is: figures are meaningless, but for
                         `least` and `kept` */
  uint64_t usual;     /* memory, if the work is done in memory */
  uint64_t most;      /* the same at worst: what is surely enough */
  uint64_t least;     /* memory, if it is done in temporary files */
  uint64_t kept;      /* memory that is taken in any case, and does not serve for sorting */
  uint64_t temporary; /* in temporary files */
  uint64_t mapped;    /* input that is not mapped yet */
  uint64_t output;    /* is mapped, too: both take of a limited address space alone */
  double seconds;     /* in temporary files */
};

/* What was decided. */
struct qn_memory_plan {
  bool on_disk;
  bool automatic;  /* without --memory, because there is not enough of it */
  uint64_t memory; /* limit; 0: none */
  const char *folder;
  uint64_t free_space; /* in the folder */
  struct qn_work_estimate estimate;
  char folder_memory[4096];
};

/* Decide how to make `output`, call qn_memory_limit_set if it is done in temporary files, and tell
 * the user about it then. With --memory: in memory if that is surely enough; without: unless the
 * work would take more than the memory that is free, in which files on a tmpfs lie, too. QN_USAGE
 * if --memory is too little, QN_SYSTEM if a file system has no room for temporary files or output;
 * both say how much is needed. */
enum qn_status qn_memory_plan_make(const struct qn_memory_options *options, const char *output,
                                   const struct qn_work_estimate *estimate,
                                   struct qn_memory_plan *plan, struct qn_error *error);

/* With --memory: keep to it, without knowing what the work will take. */
void qn_memory_keep_to(const struct qn_memory_options *options);

/* What was decided and estimated, for --json: a new reference, NULL if memory runs out. */
json_t *qn_memory_plan_json(const struct qn_memory_plan *plan);

/* Memory that could be taken now without swapping: the least of what the system and the control
 * groups of this process have free, and what a limit of its address space leaves. UINT64_MAX if
 * nobody can tell. */
uint64_t qn_memory_available(void);

/* What the control groups of this process (`mounted` and `own` as in control_groups.h) may still
 * take; files in the page cache make room for that. UINT64_MAX: none has a limit. */
uint64_t qn_memory_left_in_groups(const char *mounted, const char *own);

#ifdef __cplusplus
}
#endif
