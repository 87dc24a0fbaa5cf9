/* Edges on disk, divided into piles by ranges of an end's id, so that each pile can be sorted by
 * itself: how graphs are built that do not fit into memory. Internal to the edge list and the
 * builder.
 *
 * Any number of dividers may be at work, one thread each. What a divider puts on a pile is gathered
 * in a block of memory and appended to a temporary file when that is full. Edges with weights keep
 * their order: a pile's blocks, sorted by sequence and position, hold them as they came. Edges
 * without weights have no order to keep. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/edge_blocks.h"
#include "support/temp_file.h"

#define QN_MAX_PILES 256

/* A block in the file. Narrow edges take as many bytes as both ends' bits need; weights follow. */
struct qn_pile_block {
  uint64_t sequence;
  uint64_t position;
  uint64_t offset;
  uint32_t count;
  uint32_t base; /* of narrow edges: the least source */
  uint8_t edge_bytes;
  uint8_t source_bits; /* of a narrow edge, the low ones; the destination's are above */
  bool wide;
  uint8_t weight_type;
};

struct qn_pile {
  struct qn_pile_block *blocks;
  uint64_t num_blocks;
  uint64_t capacity;
  uint64_t num_edges;
};

enum qn_divide_by { QN_BY_SOURCE, QN_BY_DESTINATION };

struct qn_division_options {
  enum qn_divide_by by;
  uint64_t first;     /* pile p is of ids from first + (p << shift) on */
  unsigned shift;     /* to begin with */
  unsigned num_piles; /* a power of two up to QN_MAX_PILES. For larger ids the shift grows */
  bool both;          /* add the reverse of every edge that is no loop */
};

struct qn_division {
  struct qn_division_options options;
  struct qn_block_pool *pool; /* borrowed */
  struct qn_temp_file *file;
  pthread_mutex_t mutex; /* guards what follows */
  unsigned shift;
  struct qn_pile piles[QN_MAX_PILES];
  struct qn_divider *dividers; /* all */
  struct qn_divider *idle;     /* those that are closed */
};

/* Owned until destroy (NULL is allowed). The file is in qn_temp_folder(). */
enum qn_status qn_division_create(struct qn_block_pool *pool,
                                  const struct qn_division_options *options,
                                  struct qn_division **out, struct qn_error *error);
void qn_division_destroy(struct qn_division *division);

/* A divider for the edges of one sequence. NULL if memory ran out. */
struct qn_divider *qn_divider_open(struct qn_division *division, uint64_t sequence);
/* Put the edges of a block on their piles; the block stays as it is. */
enum qn_status qn_divider_add(struct qn_divider *divider, struct qn_edge_block *block,
                              struct qn_error *error);
/* Edges without weights may wait until qn_division_flush. NULL is allowed. */
enum qn_status qn_divider_close(struct qn_divider *divider, struct qn_error *error);

/* When all dividers are closed: write what waits, and put every pile's blocks in order. */
enum qn_status qn_division_flush(struct qn_division *division, struct qn_error *error);

/* Read a block back; `scratch` has QN_BLOCK_BYTES. Its `largest` is not set. */
enum qn_status qn_division_load(const struct qn_division *division,
                                const struct qn_pile_block *from, void *scratch,
                                struct qn_edge_block *block, struct qn_error *error);

/* Fill the fresh division `to` with these blocks of another one, in parallel, after `change` has
 * worked on each in place and set its `largest`. Equal edges keep their order if equal edges after
 * the change come from the same pile. */
enum qn_status qn_division_refill(struct qn_division *to, const struct qn_division *from,
                                  const struct qn_pile_block *blocks, uint64_t num_blocks,
                                  void (*change)(struct qn_edge_block *block, const void *context),
                                  const void *context, struct qn_error *error);

/* Memory that a divider takes at most. */
uint64_t qn_divider_bytes(unsigned num_piles);

/* Which blocks there are: for memory in bounds. */
uint64_t qn_division_directory_bytes(const struct qn_division *division);
