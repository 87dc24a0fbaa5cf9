/* Graphs larger than the device: what a run that streams its topology is asked for, and what it
 * tells. The values of vertices stay on the device; the topology is cut into units (a slotted page,
 * a stretch of an edge partition, some rows), of which those that an iteration needs are sent from
 * the mapped container, unless the device still has them in its cache.
 * Sources: GTS (Kim et al., SIGMOD 2016), section 3; Graphie (Han et al., PACT 2017), sections IV
 * and V. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_DEFAULT_STREAMS 16
#define QN_MAX_STREAMS 64
#define QN_MAX_DEVICES 16

/* How several devices share a run (GTS, section 4). */
enum qn_strategy {
  QN_STRATEGY_ANY = 0, /* performance, if its attributes fit, else scalability */
  QN_PERFORMANCE = 1,  /* every device has all attributes; the units are dealt to the devices */
  QN_SCALABILITY = 2,  /* every device has the attributes of some vertices, and walks all units */
};

/* "performance", "scalability". */
static inline const char *qn_strategy_name(enum qn_strategy strategy) {
  return strategy == QN_SCALABILITY ? "scalability" : "performance";
}

/* How a run that doesn't fit into device memory is going to stream. */
struct qn_stream_plan {
  bool streams;             /* false: the topology is resident, and all that follows is 0 */
  uint64_t attribute_bytes; /* device memory for what stays there: values, accumulators, ... */
  uint64_t topology_bytes;  /* of all units */
  uint64_t num_units;
  uint64_t unit_bytes; /* of the largest unit */
  unsigned num_streams;
  uint64_t batch_bytes;    /* most bytes of one transfer: the buffer of a stream */
  unsigned num_stages;     /* pinned host buffers of batch_bytes */
  unsigned num_readers;    /* threads that fill them */
  bool pins_first;         /* before the first iteration, not once that pays */
  uint64_t pin_bytes;      /* of the container that are pinned, or will be once that pays */
  const char *pin_refusal; /* why CUDA pins no more; NULL: it does, or is not asked to */
  uint64_t cache_units;    /* how many units the cache can hold */
  uint64_t cache_bytes;    /* device memory of the cache */
  double copy_rate;        /* measured: pinned memory to the device in batches, bytes/s */
  double call_seconds;     /* measured: one launch of an empty kernel */
  /* Several devices: the plan is that of the one with the most attributes. */
  unsigned num_devices; /* 0: one */
  enum qn_strategy strategy;
  bool peers;             /* they copy from each other's memory, not through the host's */
  uint64_t message_bytes; /* of pinned host memory from which all devices read what vertices send */
};

/* What one iteration moved; all zero if the topology is resident. */
struct qn_stream_figures {
  uint64_t active_units; /* had to be walked: cache_hits + moved_units */
  uint64_t cache_hits;   /* were on the device */
  uint64_t moved_units;
  uint64_t moved_bytes;  /* to the device, with the lists of units */
  uint64_t direct_bytes; /* copied meanwhile from where the container is pinned, not gathered */
  uint64_t vain_bytes;   /* copied besides, ahead: units not asked for then, and their lists */
  uint64_t batches;      /* transfers, each with one launch */
  double find_seconds;   /* to find the active units and list them, while no walk begins */
  double wait_seconds;   /* that the bus was idle until reader threads had filled a batch */
};

static inline void qn_stream_figures_add(struct qn_stream_figures *sum,
                                         const struct qn_stream_figures *more) {
  sum->active_units += more->active_units;
  sum->cache_hits += more->cache_hits;
  sum->moved_units += more->moved_units;
  sum->moved_bytes += more->moved_bytes;
  sum->direct_bytes += more->direct_bytes;
  sum->vain_bytes += more->vain_bytes;
  sum->batches += more->batches;
  sum->find_seconds += more->find_seconds;
  sum->wait_seconds += more->wait_seconds;
}

/* A copy, or a kernel that walks what was copied or reads it in place, by the device's clock. */
struct qn_stream_event {
  unsigned device;  /* of several, counted from 0 as they were named */
  const char *what; /* "copy", "kernel", "read" */
  unsigned stream;
  uint64_t units;
  uint64_t bytes;
  double begin, end; /* seconds since the first iteration */
};

/* What an iteration moves, of what is not on the device: the units that have an active vertex, all
 * of the partitions that have one (edge partitions alone), or everything. */
enum qn_moves { QN_MOVE_ACTIVE, QN_MOVE_PARTITIONS, QN_MOVE_ALL };

struct qn_stream_options {
  enum qn_moves moves;
  unsigned num_streams;  /* 0: QN_DEFAULT_STREAMS */
  uint64_t host_memory;  /* cap on pinned memory in bytes; 0: staging buffers of 64 MiB or four, and
                            half of the memory that is free for the container */
  bool limit_cache;      /* use at most cache_memory, not all that is left */
  uint64_t cache_memory; /* bytes */
  bool measure;          /* find copy_rate and call_seconds before the first iteration */
  /* Unless NULL, called one at a time: before the first iteration if the run streams or has several
   * devices; and for every copy and kernel of an iteration, in no particular order, by one of the
   * run's threads. */
  void (*on_plan)(void *user, const struct qn_stream_plan *plan);
  void (*on_event)(void *user, const struct qn_stream_event *event);
  void *user;
};

#ifdef __cplusplus
}
#endif
