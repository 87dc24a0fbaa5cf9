/* What partition is asked for, and by which method. */
#pragma once

#include <stdbool.h>

#include "support/options.h"

enum qn_partition_method {
  QN_PARTITION_FENNEL,
  QN_PARTITION_LDG,
  QN_PARTITION_HDRF,
  QN_PARTITION_2PSL,
  QN_PARTITION_METIS, /* from here on the Python package calls a library */
  QN_PARTITION_KAHIP,
  QN_PARTITION_KAMINPAR,
  QN_PARTITION_MT_KAHYPAR,
  QN_PARTITION_GIVEN, /* a file says the parts (given.h) */
};

struct qn_partition_options;

/* Find the parts of the vertices by a library, [V] in the order of the container. */
typedef enum qn_status qn_partition_library(const struct qn_partition_options *options, void *user,
                                            uint64_t num_vertices, uint32_t *parts,
                                            struct qn_error *error);

/* Zero it: none is asked for. */
struct qn_partition_options {
  uint64_t num_parts; /* 0: none */
  enum qn_partition_method method;
  bool method_given;
  double imbalance; /* a part has at most (1 + imbalance) times an average one's */
  bool imbalance_given;
  const char *column; /* what the property is called; NULL: "part" */
  uint64_t passes;    /* over the vertices; 0: one */
  bool weighted;      /* the weight of what is cut counts, not the number of edges */
  const char *file;   /* of QN_PARTITION_GIVEN */
  /* Who calls a library, and for whom; NULL: nobody. */
  qn_partition_library *library;
  void *user;
};

#define QN_PARTITION_COLUMN "part"
#define QN_PARTITION_IMBALANCE 0.05
/* Their group in a tool's help, before which the tool may have a heading. */
#define QN_PARTITION_GROUP 16

/* "partition", "by", "imbalance", "column", "passes", "weighted". */
extern const struct qn_setting qn_partition_settings[];

/* The name of a method, as --by has it; "given" for a file's. */
const char *qn_partition_method_name(enum qn_partition_method method);

/* When all is said: QN_USAGE if some of it cannot be combined. Fills in defaults. */
enum qn_status qn_partition_options_settle(struct qn_partition_options *options,
                                           struct qn_error *error);

/* Of edges, or of vertices? */
static inline bool qn_partition_is_of_edges(enum qn_partition_method method) {
  return method == QN_PARTITION_HDRF || method == QN_PARTITION_2PSL;
}

/* Is it a library's, which the Python package calls? */
static inline bool qn_partition_is_by_library(enum qn_partition_method method) {
  return method >= QN_PARTITION_METIS && method <= QN_PARTITION_MT_KAHYPAR;
}

/* Does it know passes? */
static inline bool qn_partition_passes(enum qn_partition_method method) {
  return method == QN_PARTITION_FENNEL || method == QN_PARTITION_LDG;
}

/* The most that a part of `num_parts` may have of `count` vertices or edges. */
uint64_t qn_partition_capacity(const struct qn_partition_options *options, uint64_t count);
