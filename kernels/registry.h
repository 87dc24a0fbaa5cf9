/* Kernels: which algorithm runs on which layout and device, what it is asked
 * for, and what it gives back.
 *
 *   const struct qn_kernel *kernel = qn_kernel_find("bfs", QN_LAYOUT_GRAPH, QN_CPU, weight_type);
 *   struct qn_run_request request = qn_run_request_for(kernel, view);
 *   request.sources = &source, request.num_sources = 1;
 *   struct qn_run_result result;
 *   if (kernel->run(&request, &result, &error)) ...
 *   qn_run_result_destroy(&result);
 *
 * Most kernels are a program (kernels/programs) compiled with an engine; the
 * build writes their list. Those that are an algorithm of their own are
 * kernels/cpu/kernel_*.c and kernels/cuda/kernel_*.cu. */
#ifndef QN_KERNELS_REGISTRY_H
#define QN_KERNELS_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/joint.h"
#include "kernels/programs/algorithm.h"
#include "kernels/programs/context.h"
#include "kernels/run_state.h"
#include "kernels/store.h"
#include "kernels/streaming.h"
#include <quern/container.h>
#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qn_processor {
  QN_CPU = 1,
  QN_CUDA = 2,
  QN_JOINT = 3, /* a CUDA device and the CPU in one run */
};

/* A set: what is true of one kernel. What is true of its algorithm is in the algorithm's
 * description. */
enum qn_kernel_traits {
  QN_KERNEL_SYMMETRIC = 1 << 0,    /* refuses a graph that is not marked undirected */
  QN_KERNEL_NON_NEGATIVE = 1 << 1, /* refuses negative weights */
  QN_KERNEL_WEIGHTS = 1 << 2,      /* results depend on weights */
  QN_KERNEL_ALL_ACTIVE = 1 << 3,   /* every iteration walks every edge */
  QN_KERNEL_ANY_ORDER = 1 << 4,    /* ends at one result whenever new values are seen */
  QN_KERNEL_NO_FRONTIER = 1 << 5,  /* its states have no bits of active vertices */
  QN_KERNEL_DEVICES = 1 << 6,      /* several devices can share a run */
  QN_KERNEL_DELTA = 1 << 7,        /* takes vertices bucket by bucket, of the parameter delta */
  QN_KERNEL_DIRECTION = 1 << 8,    /* a user can choose the request's direction, */
  QN_KERNEL_PARALLELISM = 1 << 9,  /* its parallelism, */
  QN_KERNEL_SEES = 1 << 10,        /* asynchronous, on one processor */
  QN_KERNEL_STANDS_IN = 1 << 11,   /* for another kernel, where that one is _SYMMETRIC and the graph
                                      is directed, or as the next two say: */
  QN_KERNEL_COLUMNS = 1 << 12,     /* where there are several sources, with a column for each; */
  QN_KERNEL_ONE_WALK = 1 << 13,    /* where a run need not go in iterations */
};

/* Along which edges a run goes where its layout has both, or searches may choose. */
enum qn_direction { QN_DIRECTION_AUTO, QN_DIRECTION_PUSH, QN_DIRECTION_PULL };

/* How the threads of a device share the edges of a page: as many a vertex as the page is dense,
 * one, or a warp. */
enum qn_parallelism { QN_PARALLEL_HYBRID, QN_PARALLEL_VERTEX, QN_PARALLEL_EDGE };

/* What several devices did in an iteration. */
struct qn_shared_iteration {
  unsigned num_devices;
  double merge_seconds;                  /* until they agreed on the values */
  const struct qn_stream_figures *moved; /* [num_devices] */
};

/* One line of --trace or of a progress report. */
struct qn_iteration {
  uint32_t iteration;  /* counts from 0 */
  const char *mode;    /* "push", "pull", ... */
  uint64_t num_active; /* vertices that sent */
  double change;       /* PROGRAM_CONVERGES: the sum, else 0 */
  double seconds;
  struct qn_stream_figures moved;           /* what streaming moved, to all devices */
  const struct qn_joint_figures *joint;     /* QN_JOINT, else NULL; valid in the call */
  const struct qn_shared_iteration *shared; /* by several devices; NULL: one; valid in the call */
};

struct qn_run_request {
  const void *view;          /* of the kernel's layout: const struct qn_graph *, ... */
  const uint32_t *positions; /* [V] position of a vertex in original order; NULL: itself */
  const uint32_t *sources;   /* vertices of the graph layout, each < V */
  uint32_t num_sources;
  /* What else the algorithm's inputs are: [V] groups of vertices of the graph layout, UINT32_MAX:
   * none; [num_input][2] pairs of them, or [1] a target. NULL: not said. */
  const uint32_t *input;
  uint64_t num_input;
  const void *given; /* [V] of vertices of the graph layout: the results of the algorithm that the
                        kernel follows, or what its description says; NULL for others */
  uint32_t num_samples;                 /* vertices that are given a number, from 1 */
  const struct qn_algorithm *algorithm; /* whose arguments these are */
  struct qn_arguments arguments;
  double tolerance;        /* >= 0; 0: never converged */
  uint32_t max_iterations; /* at most so many; UINT32_MAX: no limit */
  double delta;            /* width of a priority bucket, in units of the weights; 0: chosen */
  uint64_t device_memory;  /* cap on device memory in bytes; 0: all that is free */
  int device;              /* index of the accelerator */
  /* Several accelerators, QN_KERNEL_DEVICES: device_memory is for each. One may be named twice. */
  const int *devices;   /* [num_devices] instead of `device` */
  unsigned num_devices; /* 0: one; at most QN_MAX_DEVICES */
  enum qn_strategy strategy;
  struct qn_stream_options streaming;
  bool asynchronous; /* QN_JOINT: values are exchanged within iterations; QN_KERNEL_ANY_ORDER. One
                        device: new values are seen within iterations; QN_KERNEL_SEES */
  enum qn_direction direction;
  enum qn_parallelism parallelism;
  /* QN_JOINT: who does an iteration, in turn: 'c' the CPU, 'd' the device, 'b' both; NULL: whoever
   * is expected to take the least. */
  const char *joint_choices;
  /* NULL: no checkpoints. Only for kernels with value_bytes. */
  const struct qn_checkpointing *checkpointing;
  struct qn_store *store; /* where a device keeps arrays for further runs; NULL: nowhere */
  bool leaves_values;     /* by a single device, in the result's on_device, if the kernel can */
  /* Called after every iteration unless NULL, from the thread that called run. */
  void (*on_iteration)(void *user, const struct qn_iteration *iteration);
  void *user;
  void *shared; /* set by kernels of their own alone: the program's context.shared */
};

/* What a run on an accelerator used; all zero on the CPU. */
struct qn_device_figures {
  char name[128];
  uint64_t memory_bytes; /* device memory in use at the highest point */
  uint64_t copied_bytes; /* to and from the device */
  double copy_seconds;
  uint64_t uploaded_bytes; /* of these, to the device before the algorithm began: the graph */
  double kernel_seconds;   /* the algorithm itself, by the device's clock */
};

/* One of several devices. */
struct qn_device_share {
  int index; /* of the accelerator */
  struct qn_device_figures figures;
  struct qn_stream_plan plan;     /* attribute_bytes and num_units, also where all is resident */
  struct qn_stream_figures moved; /* in all iterations */
  uint64_t merged_bytes;          /* of values and accumulators, read from the other devices */
};

struct qn_run_result {
  enum qn_result_type type;
  uint64_t num_values;  /* V, or 0; of a column */
  uint32_t num_columns; /* of as many values each, one after another; 0: one */
  const uint32_t
      *column_sources; /* [num_columns] the vertex that each is from, borrowed, or NULL */
  const char *const *column_names; /* [num_columns] what each is, static, or NULL */
  void *values;     /* [num_values] of `type`, by vertex of the graph layout; qn_pages_alloc */
  uint32_t *listed; /* [num_values] the vertices whose values these are, which need not be all;
                       qn_pages_alloc. NULL: all */
  uint32_t *paired; /* [num_values] and with them these others, whose values they are together;
                       qn_pages_alloc. NULL: none */
  struct qn_sample *sample;          /* QN_SHAPE_SAMPLE (sample.h) */
  struct qn_device_values on_device; /* the values, instead, if they were left there */
  uint64_t count;                    /* QN_SHAPE_NUMBER; of walks their steps */
  const char *score_key; /* what `score` is of the whole result, "modularity"; NULL: nothing */
  double score;
  uint64_t iterations;
  bool converged;         /* ended by itself, not by max_iterations */
  double change;          /* of the last iteration */
  double prepare_seconds; /* derived data: transposing, relabelling, copies to the device */
  double kernel_seconds;  /* the algorithm itself, by the host's clock */
  struct qn_device_figures device; /* of several: sums of bytes copied, maxima of the others */
  unsigned num_devices;            /* 0: one */
  struct qn_device_share shares[QN_MAX_DEVICES];
  struct qn_stream_plan plan; /* streams is false on the CPU, and where all was resident */
};

#define QN_ALL_WEIGHT_TYPES ((1u << QN_WEIGHT_TYPES) - 1)

struct qn_kernel {
  const struct qn_algorithm *algorithm;
  const char *name; /* how: "csr push/pull", "Afforest", ... */
  enum qn_layout layout;
  enum qn_processor processor;
  uint32_t weight_types; /* set of 1 << enum qn_weight_type */
  uint32_t traits;       /* set of enum qn_kernel_traits */
  enum qn_result_type result;
  /* On failure `result` holds nothing. Deterministic for any number of threads. */
  enum qn_status (*run)(const struct qn_run_request *request, struct qn_run_result *result,
                        struct qn_error *error);
  uint32_t value_bytes; /* of a vertex's value in a struct qn_run_state; 0: it keeps no state */
};

/* What a program that is compiled at run time (runtime/programs/user_program.h) must see as the
 * tool that loads it does. */
#define QN_KERNEL_ABI                                                                              \
  (sizeof(struct qn_kernel) + sizeof(struct qn_run_request) * 1009 +                               \
   sizeof(struct qn_run_result) * 1000003)
#ifdef QN_HOST_KERNEL_ABI
_Static_assert(QN_KERNEL_ABI == QN_HOST_KERNEL_ABI, "these headers are of another build of Quern");
#endif

/* Every kernel of this build that users name, ended by NULL. */
const struct qn_kernel *const *qn_kernels(void);
/* Every kernel that follows another algorithm, ended by NULL. */
const struct qn_kernel *const *qn_followers(void);

/* Every algorithm that users name, by purpose and name, ended by NULL. */
const struct qn_algorithm *const *qn_algorithms(void);
/* The one that a user calls so, by its name or an alias; NULL if this build has none. */
const struct qn_algorithm *qn_algorithm_find(const char *name);

/* The argument of a parameter that the request's algorithm has. */
struct qn_argument qn_argument(const struct qn_run_request *request, const char *name);
/* All arguments are the defaults. */
struct qn_arguments qn_arguments_default(const struct qn_algorithm *algorithm);
/* Arguments of a request, and what engines take of them: the most iterations, tolerance, delta. */
void qn_request_take(struct qn_run_request *request, const struct qn_arguments *arguments);
/* One of them, as its number. */
void qn_request_set(struct qn_run_request *request, const char *name, double value);

/* "Paths and distances", ...: a heading. */
const char *qn_purpose_name(enum qn_purpose purpose);

/* The kernel of an algorithm, by its own name, but for those that stand in for it; NULL if this
 * build has none. */
const struct qn_kernel *qn_kernel_find(const char *algorithm, enum qn_layout layout,
                                       enum qn_processor processor,
                                       enum qn_weight_type weight_type);

/* The kernel that stands in for one on directed graphs, or where there are several sources
 * (QN_KERNEL_COLUMNS); NULL if none does. */
const struct qn_kernel *qn_stand_in_find(const struct qn_kernel *kernel);
const struct qn_kernel *qn_columns_find(const struct qn_kernel *kernel);

/* The kernel that follows an algorithm; NULL if this build has none. */
const struct qn_kernel *qn_follower_find(const char *algorithm, enum qn_layout layout,
                                         enum qn_processor processor,
                                         enum qn_weight_type weight_type);

/* A request with the defaults of the kernel's algorithm, and no source. */
struct qn_run_request qn_run_request_for(const struct qn_kernel *kernel, const void *view);

/* Give the values back; a zeroed result is allowed. */
void qn_run_result_destroy(struct qn_run_result *result);

/* How many columns its values have. */
static inline uint32_t qn_result_columns(const struct qn_run_result *result) {
  return result->num_columns ? result->num_columns : 1;
}

/* "cpu", "cuda", "both". */
const char *qn_processor_name(enum qn_processor processor);
/* Bytes of one value. */
uint32_t qn_result_bytes(enum qn_result_type type);

#ifdef __cplusplus
}
#endif
#endif
