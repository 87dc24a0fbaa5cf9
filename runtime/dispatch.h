/* From what a user asked for to a kernel's result. */
#ifndef QN_RUNTIME_DISPATCH_H
#define QN_RUNTIME_DISPATCH_H

#include <jansson.h>

#include "converters/graph/number_file.h"
#include "converters/graph/vertex_file.h"
#include "kernels/registry.h"
#include "kernels/sample.h"
#include "runtime/checkpoint.h"
#include "runtime/choice/devices.h"
#include "runtime/choice/processor.h"
#include "runtime/run_input.h"
#include "runtime/user_program.h"
#include "runtime/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum qn_device_choice { QN_DEVICE_AUTO, QN_DEVICE_CPU, QN_DEVICE_CUDA, QN_DEVICE_BOTH };

#define QN_MAX_FANOUTS 16

/* What a user says (run_settings.h); a negative number stands for "not said". */
struct qn_run_options {
  const char *algorithm;
  const char *program; /* a file with a program (runtime/user_program.h), instead; NULL: none */
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
  char **sources;      /* [num_sources] original ids, owned as the array is */
  uint32_t num_sources;
  const char *sources_file; /* instead (converters/graph/number_file.h) */
  const char *target;       /* original id, or NULL */
  const char *vector;       /* file of a number for each vertex, or NULL */
  bool unweighted;          /* take no notice of weights */
  bool weighted;            /* the variant of the algorithm that looks at them */
  const char *groups;       /* file of "id group" lines (converters/graph/vertex_file.h) */
  double damping;
  double tolerance;
  int64_t iterations;
  int64_t hops;
  double delta;
  double cutoff;
  double resolution;
  int64_t seed;
  double alpha;
  int64_t samples;   /* 0: all vertices */
  int64_t measure;   /* enum qn_measure */
  const char *pairs; /* file of "id id" lines (converters/graph/number_file.h), or NULL */
  int64_t length;
  int64_t walks;
  uint32_t fanouts[QN_MAX_FANOUTS]; /* [num_fanouts] */
  uint32_t num_fanouts;
  struct qn_checkpoint_options checkpoint;
  bool every_given;
  struct qn_store *store; /* where devices keep arrays for further runs (placement.h), or NULL */
  bool leaves_values;     /* a device may keep the result (kernels/store.h): qn_run_fetch */
  bool wants_values;      /* not only a summary */
  bool wants_parents;     /* of a search, a tree of shortest paths too */
  void (*start_device)(int index); /* in time, in a process that does nothing else; NULL: none */
  bool shares_start;      /* of several runs: what starting the device takes is counted elsewhere */
  struct qn_watch *watch; /* is told of the run; NULL: its context alone (support/context.h) */
};

/* A run that has happened. */
struct qn_run {
  const struct qn_kernel *kernel;
  struct qn_choice choice;   /* of the processor, if nobody has said which */
  struct qn_sharing sharing; /* of `num_devices` that are asked for */
  unsigned num_devices;
  struct qn_user_program program; /* that the kernel lies in, if it is a user's */
  uint32_t *sources;              /* [num_sources] vertices */
  uint32_t num_sources;
  double *source_weights; /* [num_sources]; NULL: all the same */
  uint32_t target;        /* vertex, or UINT32_MAX */
  uint32_t num_samples;   /* vertices that are given a number */
  uint64_t num_given;
  void *given; /* [num_given] of 8 bytes: what each vertex is given, or NULL */
  struct qn_vertex_groups groups;
  struct qn_pair_list pairs;
  bool has_rows;
  struct qn_graph rows;  /* that the kernel walks, if it has not the input's layout; borrows ids */
  double find_seconds;   /* to find what the options name, and the default source */
  double device_seconds; /* until a device was there that is started ahead, or the driver */
  double restore_seconds;
  struct qn_run_request request;
  struct qn_run_result result;
  const struct qn_kernel
      *parents_kernel;          /* that found the parents, if they were wanted, else NULL */
  struct qn_run_result parents; /* positions in original order, UINT32_MAX: none */
  struct qn_keeper *keeper;     /* of checkpoints, or NULL */
};

/* What processors are expected to take for the runs `options` [count] together, where nobody has
 * said which and there are kernels of both; else nothing is weighed. */
struct qn_choice qn_run_weigh(const struct qn_run_input *input,
                              const struct qn_run_options *options, unsigned count);
/* Start the device that these runs ask for, or are expected to take, if they have `start_device`.
 */
void qn_run_start_ahead(const struct qn_run_input *input, const struct qn_run_options *options,
                        unsigned count);

/* Choose the kernel for the input's layout and weights, or else for plain CSR, which is then put
 * together; check that the options and the graph suit it, and run it. QN_USAGE for an unknown
 * algorithm or senseless options, QN_UNSUPPORTED for a combination that this build has no kernel
 * for or a graph that the kernel refuses, QN_DEVICE if the device asked for is missing,
 * QN_INTERRUPTED after a signal if there are checkpoints. Owned until qn_run_destroy.
 *
 * Without a source the vertex of the largest out-degree is taken, the first such one in original
 * order: a source that reaches much of most graphs, and the same on every layout. */
enum qn_status qn_run_start(const struct qn_run_input *input, const struct qn_run_options *options,
                            struct qn_run *run, struct qn_error *error);
/* Of a run that begins: find the kernel (choose_kernel.c): for the processor that is asked for, or
 * that is expected to be done sooner. */
enum qn_status qn_run_choose_kernel(const struct qn_run_input *input,
                                    const struct qn_run_options *options,
                                    const struct qn_kernel **kernel, struct qn_choice *choice,
                                    struct qn_error *error);
/* The one for a processor, if the graph suits it: on the input's layout, or on the rows that it can
 * give back. */
enum qn_status qn_run_find_kernel(const struct qn_run_input *input,
                                  const struct qn_run_options *options, const char *algorithm,
                                  enum qn_processor processor, const struct qn_kernel **kernel,
                                  struct qn_error *error);
/* The kernel that one device takes for what several share by `kernel`: the same one, or one that
 * needs no iterations, which several do not share. */
const struct qn_kernel *qn_run_kernel_alone(const struct qn_run_input *input,
                                            const struct qn_run_options *options,
                                            const struct qn_kernel *kernel);
/* Does it refuse the graph? The same with a message. */
bool qn_run_is_refused(const struct qn_run_input *input, const struct qn_kernel *kernel);
enum qn_status qn_run_check_graph(const struct qn_run_input *input, const struct qn_kernel *kernel,
                                  struct qn_error *error);
/* Does the kernel do as --direction, --parallelism, --move and --mode say? QN_USAGE if not. */
enum qn_status qn_run_check_manner(const struct qn_kernel *kernel,
                                   const struct qn_run_options *options, struct qn_error *error);
/* Is --delta of use to the kernel, if it is given? */
bool qn_run_has_buckets(const struct qn_kernel *kernel, const struct qn_run_options *options);
/* From now on a device of this process is started. */
void qn_run_device_is_used(void);
/* Of a run that begins: find what the options name, for its kernel: sources and their weights, the
 * target, and numbers of vertices (given.c). QN_USAGE or QN_INVALID for what is no vertex, or no
 * number. */
enum qn_status qn_run_find_given(const struct qn_run_input *input,
                                 const struct qn_run_options *options, struct qn_run *run,
                                 struct qn_error *error);
/* Those of the options that an algorithm has a use for, and not all have, as an array of names: a
 * new reference. */
json_t *qn_algorithm_options(const struct qn_kernel *kernel);
/* The traits of an algorithm's kernels, all together; 0 if there is none. */
uint64_t qn_algorithm_traits(const char *algorithm);
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
