/* The blocks of an edge list, in memory or on disk, in the order of the input: for who takes them
 * one after another, in any number of passes. Internal to builders. */
#pragma once

#include "converters/build/build_job.h"

struct qn_pile_block;

struct qn_list_source {
  struct qn_edge_list *list;
  struct qn_pile_block *piled; /* of a list on disk */
  uint64_t num_blocks;
};

/* A thread's memory for a block that has to be loaded, and for its weights. */
struct qn_loaded_block {
  struct qn_edge_block *block;
  void *raw, *weights;
};

enum qn_status qn_list_source_open(struct qn_edge_list *list, struct qn_list_source *source,
                                   struct qn_error *error);
/* A zeroed one is allowed. */
void qn_list_source_close(struct qn_list_source *source);

/* How many edges block `index` has. */
uint64_t qn_list_source_count(const struct qn_list_source *source, uint64_t index);

/* Block `index`, as it was read: one of its own of a list in memory, else loaded. */
enum qn_status qn_list_source_load(const struct qn_list_source *source, uint64_t index,
                                   struct qn_loaded_block *loaded, struct qn_edge_block **block,
                                   struct qn_error *error);
/* It is not needed any more. */
void qn_list_source_drop(const struct qn_list_source *source, uint64_t index);

/* Memory of the pool, unless it is there. */
enum qn_status qn_loaded_block_room(struct qn_block_pool *pool, void **memory,
                                    struct qn_error *error);
void qn_loaded_block_free(struct qn_block_pool *pool, struct qn_loaded_block *loaded);
