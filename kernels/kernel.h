/* A kernel: an algorithm on a layout and a device, what it is asked for, and what it gives back.
 * What runs on devices are asked for and tell besides is in device_run.h; which kernels there are,
 * registry.h says. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/programs/context.h"
#include <quern/error.h>
#include <quern/view.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_algorithm;     /* programs/algorithm.h */
struct qn_checkpointing; /* run_state.h */

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
  QN_KERNEL_MULTI_SOURCE = 1 << 12, /* where there are several sources, with a column for each; */
  QN_KERNEL_ONE_WALK = 1 << 13,     /* where a run need not go in iterations */
  QN_KERNEL_WIDE = 1 << 14,         /* of sets: any number of vertices, else less than 2^32 */
  QN_KERNEL_BLOCKS = 1 << 15,   /* for sets cut by columns; vertices that are values have 64 bits */
  QN_KERNEL_ALONE = 1 << 16,    /* of sets: by one process, which walks all parts */
  QN_KERNEL_ANY_ROWS = 1 << 17, /* of sets: rows may hold edges of either direction */
  QN_KERNEL_LISTED_ROWS = 1 << 18, /* of sets: takes listed rows beside those of parts */
  QN_KERNEL_SHARES_ROWS = 1 << 19, /* stands in where several devices share plain rows */
};

/* Along which edges a run goes where its layout has both, or searches may choose. */
enum qn_direction { QN_DIRECTION_AUTO, QN_DIRECTION_PUSH, QN_DIRECTION_PULL };

struct qn_device_run; /* device_run.h */
struct qn_device_iteration;

/* One line of --trace or of a progress report. */
struct qn_iteration {
  uint32_t iteration;  /* counts from 0 */
  const char *mode;    /* "push", "pull", ... */
  uint64_t num_active; /* vertices that sent */
  double change;       /* PROGRAM_CONVERGES: the sum, else 0 */
  double seconds;
  const struct qn_device_iteration *device; /* what devices did; NULL: none; valid in the call */
};

/* What an algorithm is told of vertices, as the graph layout numbers them. NULL: not said. */
struct qn_inputs {
  const uint32_t *sources; /* each < V */
  uint32_t num_sources;
  const uint64_t *wide_source; /* [1] of a set of 2^32 vertices or more, in place of `sources` */
  const uint32_t *target;      /* [1] */
  const uint32_t *groups;      /* [V] UINT32_MAX: none */
  const uint32_t *pairs;       /* [num_pairs][2] */
  uint64_t num_pairs;
  const void *initial;  /* [V] the results of the algorithm that the kernel follows, or what its
                         description says */
  uint32_t num_samples; /* vertices that are given a number, from 1 */
};

/* When a run ends. */
struct qn_limits {
  double tolerance;        /* >= 0; 0: never converged */
  uint32_t max_iterations; /* at most so many; UINT32_MAX: no limit */
};

/* Who is told of a run while it goes. */
struct qn_hooks {
  /* Called after every iteration unless NULL, from the thread that called run. */
  void (*on_iteration)(void *user, const struct qn_iteration *iteration);
  void *user;
  /* NULL: no checkpoints. Only for kernels with value_bytes. */
  const struct qn_checkpointing *checkpointing;
};

struct qn_run_request {
  const void *view;                     /* of the kernel's layout: const struct qn_graph *, ... */
  const uint32_t *positions;            /* [V] of vertices in original order; NULL: themselves */
  const struct qn_algorithm *algorithm; /* whose arguments these are */
  struct qn_arguments arguments;
  struct qn_inputs inputs;
  struct qn_limits limits;
  double delta; /* width of a priority bucket, in units of the weights; 0: chosen */
  enum qn_direction direction;
  bool asynchronous; /* new values are seen within iterations: QN_KERNEL_SEES, or in joint runs
                        QN_KERNEL_ANY_ORDER */
  struct qn_hooks hooks;
  struct qn_device_run *device; /* kernels on devices: what they are asked, and tell, besides */
  void *shared; /* set by kernels of their own alone: the program's context.shared */
};

/* ---- Results -------------------------------------------------------------------------------- */

/* QN_SHAPE_VALUES: a number of the whole result. */
struct qn_result_score {
  const char *key; /* "modularity"; NULL: there is none */
  double value;
};

/* QN_SHAPE_COLUMNS: they lie one after another. Each has a name, or else a source. */
struct qn_result_columns {
  uint32_t count;
  const char *const *names; /* [count], static; or NULL */
  const uint32_t *sources;  /* [count] vertices, borrowed */
};

/* QN_SHAPE_PAIRS: whose values they are; qn_pages_alloc. */
struct qn_result_pairs {
  uint32_t *first, *second; /* [num_values] */
};

/* QN_SHAPE_WALKS: the values are [num_values][length] positions in original order, UINT32_MAX
 * where a walk has ended. */
struct qn_result_walks {
  uint32_t length;
  uint64_t steps; /* of all of them */
};

/* How a run went. */
struct qn_run_statistics {
  uint64_t iterations;
  bool converged;         /* ended by itself, not by max_iterations */
  double change;          /* of the last iteration */
  double prepare_seconds; /* derived data: transposing, relabelling, copies to the device */
  double kernel_seconds;  /* the algorithm itself, by the host's clock */
};

/* A result: the values, whose vertices, or what else there is, by its shape. */
struct qn_run_result {
  enum qn_shape shape; /* of several sources QN_SHAPE_COLUMNS, where the algorithm has values */
  enum qn_result_type type;
  uint64_t num_values; /* of a column, V; of pairs, vertices of a path, or walks; else 0 */
  void *values;        /* of `type`, by vertex of the graph layout; qn_pages_alloc */
  union {
    struct qn_result_score score;
    struct qn_result_columns columns;
    struct qn_result_pairs pairs;
    uint32_t *path; /* QN_SHAPE_PATH: [num_values] whose values they are; qn_pages_alloc */
    struct qn_result_walks walks;
    struct qn_sample *sample; /* QN_SHAPE_SAMPLE (sample.h) */
    uint64_t number;          /* QN_SHAPE_NUMBER */
  };
  struct qn_run_statistics stats;
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

/* What a program that is compiled at run time (kernels/jit/user_program.h) must see as the
 * tool that loads it does. */
#define QN_KERNEL_ABI                                                                              \
  (sizeof(struct qn_kernel) + sizeof(struct qn_run_request) * 1009 +                               \
   sizeof(struct qn_run_result) * 1000003)
#ifdef QN_HOST_KERNEL_ABI
_Static_assert(QN_KERNEL_ABI == QN_HOST_KERNEL_ABI, "these headers are of another build of Quern");
#endif

#ifdef __cplusplus
}
#endif
