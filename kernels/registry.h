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

enum qn_kernel_traits {
  QN_KERNEL_SOURCE = 1 << 0,       /* wants one source vertex */
  QN_KERNEL_SOURCES = 1 << 1,      /* wants one or more */
  QN_KERNEL_SYMMETRIC = 1 << 2,    /* refuses a graph that is not marked undirected */
  QN_KERNEL_NON_NEGATIVE = 1 << 3, /* refuses negative weights */
  QN_KERNEL_ALL_ACTIVE = 1 << 4,   /* every iteration walks every edge */
  QN_KERNEL_VERTICES = 1 << 5,     /* values are positions in original order */
  QN_KERNEL_WEIGHTS = 1 << 6,      /* results depend on weights */
  QN_KERNEL_RANKS = 1 << 7,        /* the largest values are the interesting ones */
  QN_KERNEL_LEVELS = 1 << 8,       /* values are small whole numbers: how many have which? */
  QN_KERNEL_HOPS = 1 << 9,       /* an iteration is a hop: max_iterations is what a user asks for */
  QN_KERNEL_GROUPS = 1 << 10,    /* looks at groups of vertices */
  QN_KERNEL_ANY_ORDER = 1 << 11, /* ends at one result whenever new values are seen */
  QN_KERNEL_DEVICES = 1 << 12,   /* several devices can share a run */
  QN_KERNEL_NO_FRONTIER = 1 << 13, /* its states have no bits of active vertices */
  QN_KERNEL_DAMPING = 1 << 14,     /* what a user can choose: the request's damping, */
  QN_KERNEL_TOLERANCE = 1 << 15,   /* tolerance, */
  QN_KERNEL_DELTA = 1 << 16,       /* delta, */
  QN_KERNEL_ITERATIONS = 1 << 17,  /* max_iterations, where these are no hops, */
  QN_KERNEL_SEED = 1 << 18,        /* seed, */
  QN_KERNEL_RESOLUTION = 1 << 19,  /* resolution */
  QN_KERNEL_STANDS_IN = 1 << 20, /* where the graph is directed and another kernel is _SYMMETRIC */
  QN_KERNEL_DIRECTION = 1 << 21, /* direction, */
  QN_KERNEL_PARALLELISM = 1 << 22, /* parallelism, */
  QN_KERNEL_SEES = 1 << 23,        /* asynchronous, on one processor */
  QN_KERNEL_CUTOFF = 1 << 24,      /* a user can choose the request's cutoff, */
  QN_KERNEL_TARGET = 1 << 25,      /* and must say its target */
  QN_KERNEL_UNWEIGHTED = 1 << 26,  /* a user can have it take no notice of weights */
  QN_KERNEL_VECTOR = 1 << 27,      /* is given a user's number for each vertex */
  QN_KERNEL_SEEDS = 1 << 28,       /* is given each vertex's share of the sources */
  QN_KERNEL_STRENGTHS = 1 << 29,   /* is given the sum of the weights of each vertex's out-edges */
  QN_KERNEL_COLUMNS = 1 << 30,     /* stands in where there are several sources: a column of each */
};

/* More of them: constants of an enum have 31 bits. */
#define QN_KERNEL_ALPHA ((uint64_t)1 << 31)   /* a user can choose the request's alpha, */
#define QN_KERNEL_UNIT ((uint64_t)1 << 32)    /* values are a direction: to be scaled to length 1 */
#define QN_KERNEL_SAMPLES ((uint64_t)1 << 33) /* is given the numbers of sampled vertices, */
#define QN_KERNEL_PAIRS ((uint64_t)1 << 34)   /* values are of pairs: given ones, or all edges; */
#define QN_KERNEL_WALKS                                                                            \
  ((uint64_t)1 << 35) /* values are walks: num_values rows of num_columns positions; */
#define QN_KERNEL_FANOUTS ((uint64_t)1 << 36)  /* looks at fanouts, and finds a sample; */
#define QN_KERNEL_WEIGHTED ((uint64_t)1 << 37) /* at weighted */
#define QN_KERNEL_ONE_WALK                                                                         \
  ((uint64_t)1 << 38) /* _STANDS_IN where a run need not go in iterations, too */

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

/* How alike the neighbours of two vertices are. */
enum qn_measure { QN_MEASURE_JACCARD, QN_MEASURE_OVERLAP, QN_MEASURE_COSINE };

struct qn_run_request {
  const void *view;          /* of the kernel's layout: const struct qn_graph *, ... */
  const uint32_t *positions; /* [V] position of a vertex in original order; NULL: itself */
  const uint32_t *sources;   /* vertices of the graph layout, each < V */
  uint32_t num_sources;
  const uint32_t *groups; /* [V] of vertices of the graph layout, UINT32_MAX: none; NULL: every
                             vertex is a group of its own */
  const void *given;      /* [V] of vertices of the graph layout: the results of the algorithm that
                             the kernel follows, or what its traits say; NULL for others */
  uint32_t target;        /* a vertex of the graph layout; UINT32_MAX: none */
  bool unweighted;        /* every edge counts 1 */
  bool weighted;          /* edges are taken in proportion to their weights */
  double alpha;           /* attenuation of longer walks, > 0 */
  uint32_t num_samples;   /* vertices that are given a number, from 1 */
  enum qn_measure measure;
  const uint32_t *pairs; /* [num_pairs][2] vertices of the graph layout; NULL: all edges */
  uint64_t num_pairs;
  uint32_t length;         /* edges of a walk */
  uint32_t num_walks;      /* from each source */
  const uint32_t *fanouts; /* [num_fanouts] neighbours that are taken of a vertex, hop by hop */
  uint32_t num_fanouts;
  double cutoff;    /* nothing beyond this distance is of interest; INFINITY: everything is */
  double damping;   /* PageRank and its kin, in [0, 1) */
  double tolerance; /* >= 0; 0: never converged */
  uint32_t max_iterations; /* at most so many; UINT32_MAX: no limit */
  uint64_t seed;           /* of random choices */
  double resolution;       /* of communities, > 0: more means smaller ones */
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
  struct qn_sample *sample;          /* QN_KERNEL_FANOUTS (sample.h) */
  struct qn_device_values on_device; /* the values, instead, if they were left there */
  uint64_t count;                    /* for kernels with a count_key */
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
  const char *algorithm; /* "bfs" */
  const char *alias;     /* another name for it; NULL: none */
  const char *title;     /* "hops from a source" */
  enum qn_purpose purpose;
  const char *name; /* how: "csr push/pull", "Afforest", ... */
  enum qn_layout layout;
  enum qn_processor processor;
  uint32_t weight_types; /* set of 1 << enum qn_weight_type */
  uint64_t traits;       /* set of enum qn_kernel_traits and those beyond */
  enum qn_result_type result;
  uint32_t max_iterations; /* defaults */
  double tolerance;
  /* On failure `result` holds nothing. Deterministic for any number of threads. */
  enum qn_status (*run)(const struct qn_run_request *request, struct qn_run_result *result,
                        struct qn_error *error);
  const char *count_key; /* what result.count counts, "triangles"; NULL: the result is values */
  uint32_t value_bytes;  /* of a vertex's value in a struct qn_run_state; 0: it keeps no state */
  const char *follows;   /* the algorithm whose results it is given; NULL: it begins by itself */
};

/* What a program that is compiled at run time (runtime/user_program.h) must see as the tool that
 * loads it does. */
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

/* The algorithm that a user calls so, by its name or alias; NULL if this build has none. */
const char *qn_algorithm_find(const char *name);

/* "Paths and distances", ...: a heading. */
const char *qn_purpose_name(enum qn_purpose purpose);

/* The kernel of an algorithm, by its name, but for those that stand in for it; NULL if this build
 * has none. */
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

/* A request with the kernel's defaults, damping 0.85, and no source. */
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
