/* From what a user asked for to a kernel's result. */
#ifndef QN_RUNTIME_DISPATCH_H
#define QN_RUNTIME_DISPATCH_H

#include <jansson.h>

#include "converters/graph/vertex_file.h"
#include "kernels/registry.h"
#include "runtime/checkpoint.h"
#include "runtime/run_input.h"
#include "runtime/user_program.h"
#include "runtime/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum qn_device_choice { QN_DEVICE_AUTO, QN_DEVICE_CPU, QN_DEVICE_CUDA, QN_DEVICE_BOTH };

/* What a user says (run_settings.h); a negative number stands for "not said". */
struct qn_run_options {
  const char *algorithm;
  const char *program; /* a file with a program (runtime/user_program.h), instead; NULL: none */
  enum qn_device_choice device;
  bool device_given;
  int device_index;     /* which CUDA device */
  const int *devices;   /* [num_devices] several of them, instead */
  unsigned num_devices; /* 0: one */
  int device_list[QN_MAX_DEVICES];
  enum qn_strategy strategy;
  uint64_t device_memory; /* cap on its memory; 0: all that is free */
  bool asynchronous;      /* QN_DEVICE_BOTH: exchange values within iterations */
  bool mode_given;
  enum qn_direction direction;
  enum qn_parallelism parallelism;
  struct qn_stream_options streaming;
  char **sources; /* [num_sources] original ids, owned as the array is */
  uint32_t num_sources;
  const char *groups; /* file of "id group" lines (converters/graph/vertex_file.h) */
  double damping;
  double tolerance;
  int64_t iterations;
  int64_t hops;
  double delta;
  double resolution;
  int64_t seed;
  struct qn_checkpoint_options checkpoint;
  bool every_given;
  struct qn_store *store; /* where devices keep arrays for further runs (placement.h), or NULL */
  bool leaves_values;     /* a device may keep the result (kernels/store.h): qn_run_fetch */
  bool wants_values;      /* not only a summary */
  bool wants_parents;     /* of a search, a tree of shortest paths too */
  struct qn_watch *watch; /* is told of the run; NULL: its context alone (support/context.h) */
};

/* A run that has happened. */
struct qn_run {
  const struct qn_kernel *kernel;
  struct qn_user_program program; /* that the kernel lies in, if it is a user's */
  uint32_t *sources;              /* [num_sources] vertices */
  uint32_t num_sources;
  struct qn_vertex_groups groups;
  struct qn_run_request request;
  struct qn_run_result result;
  const struct qn_kernel
      *parents_kernel;          /* that found the parents, if they were wanted, else NULL */
  struct qn_run_result parents; /* positions in original order, UINT32_MAX: none */
  struct qn_keeper *keeper;     /* of checkpoints, or NULL */
};

/* Choose the kernel for the input's layout and weights, check that the options and the graph
 * suit it, and run it. QN_USAGE for an unknown algorithm or senseless options, QN_UNSUPPORTED
 * for a combination that this build has no kernel for or a graph that the kernel refuses,
 * QN_DEVICE if the device asked for is missing, QN_INTERRUPTED after a signal if there are
 * checkpoints. Owned until qn_run_destroy.
 *
 * Without a source the vertex of the largest out-degree is taken, the first such one in original
 * order: a source that reaches much of most graphs, and the same on every layout. */
enum qn_status qn_run_start(const struct qn_run_input *input, const struct qn_run_options *options,
                            struct qn_run *run, struct qn_error *error);
/* Those of the options that an algorithm has a use for, and not all have, as an array of names: a
 * new reference. */
json_t *qn_algorithm_options(const struct qn_kernel *kernel);
/* Bring values to the host that were left on a device. */
enum qn_status qn_run_fetch(struct qn_run *run, struct qn_error *error);
/* Leave out of the options what an algorithm of the registry has no use for. Returns the set of
 * what was left out; the name of the first option in such a set. */
uint32_t qn_run_options_narrow(const char *algorithm, struct qn_run_options *options);
const char *qn_run_option_name(uint32_t set);
/* A zeroed run is allowed. */
void qn_run_destroy(struct qn_run *run);

#ifdef __cplusplus
}
#endif
#endif
