/* What a user asks of a run, by the names of quern-run's options. */
#pragma once

#include "formats/temporal/between.h"
#include "kernels/device_run.h"
#include "runtime/checkpoint.h"
#include "runtime/update.h"
#include "runtime/watch/watch.h"
#include "support/options.h"
#include "support/sizes.h"

enum qn_device_choice { QN_DEVICE_AUTO, QN_DEVICE_CPU, QN_DEVICE_CUDA, QN_DEVICE_BOTH };

/* A parameter or an input of the algorithm, as it was said: both are borrowed. */
struct qn_said_option {
  const char *name;  /* without dashes */
  const char *value; /* NULL: a flag */
};

struct qn_run_options {
  const char *algorithm;
  const char *program; /* a file with a program (kernels/jit/user_program.h), instead; NULL: none */
  struct qn_said_option
      *said; /* [num_said] of the algorithm, in the order in which they were said */
  uint32_t num_said, said_capacity;
  bool skips_others; /* what the algorithm does not have is for another run */
  enum qn_device_choice device;
  bool device_given;
  bool device_numbered;
  int device_index;     /* which CUDA device */
  const int *devices;   /* [num_devices] several of them, instead */
  unsigned num_devices; /* 0: one */
  int device_list[QN_MAX_DEVICES];
  bool all_devices; /* also where one is expected to be done sooner */
  enum qn_strategy strategy;
  uint64_t device_memory; /* cap on its memory; 0: all that is free */
  bool asynchronous;      /* QN_DEVICE_BOTH: exchange values within iterations */
  bool mode_given;
  enum qn_direction direction;
  enum qn_parallelism parallelism;
  struct qn_stream_options streaming;
  struct qn_grid grid; /* of ranks */
  const char *edge_types,
      *vertex_types;         /* of a set with types (formats/set/project.h); NULL: all */
  struct qn_between between; /* edges of a time alone */
  struct qn_checkpoint_options checkpoint;
  bool every_given;
  struct qn_update_options update;
  struct qn_store *store; /* where devices keep arrays for further runs (placement.h), or NULL */
  bool leaves_values;     /* a device may keep the result (kernels/store.h): qn_run_fetch */
  bool wants_values;      /* not only a summary */
  bool wants_parents;     /* of a search, a tree of shortest paths too */
  void (*start_device)(int index); /* in time, in a process that does nothing else; NULL: none */
  bool shares_start;      /* of several runs: what starting the device takes is counted elsewhere */
  struct qn_watch *watch; /* is told of the run; NULL: its context alone (support/context.h) */
};

/* For qn_setting_set, into options that were begun. They copy no texts. */
extern const struct qn_setting qn_run_settings[];   /* what to compute */
extern const struct qn_setting qn_place_settings[]; /* where */

/* Nothing is said. */
void qn_run_options_begin(struct qn_run_options *options);
/* Say a parameter or an input. */
enum qn_status qn_run_options_say(struct qn_run_options *options, const char *name,
                                  const char *value, struct qn_error *error);
/* What was said last of a name; NULL: nothing. */
const struct qn_said_option *qn_run_options_said(const struct qn_run_options *options,
                                                 const char *name);
/* The iterations that a user asks for; -1: none, or no number. */
int64_t qn_run_options_iterations(const struct qn_run_options *options);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_run_options_settle(struct qn_run_options *options, struct qn_error *error);
void qn_run_options_end(struct qn_run_options *options);
