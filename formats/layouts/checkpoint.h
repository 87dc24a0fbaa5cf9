/* Checkpoints: what a run on a container goes on from (specs/checkpoint.md). */
#pragma once

#include <jansson.h>

#include <quern/container.h>
#include <quern/graph.h>

#define QN_CHECKPOINT_REGISTERS 16

/* A file that holds the values of some of the vertices, as the file that lists them all says. */
struct qn_checkpoint_part {
  uint64_t begin, end; /* of which vertices */
  uint64_t identity;   /* its header's checksum */
};

/* To be written, or mapped: then the pointers go into the mapping. A checkpoint is one file that
 * holds all values, or several that hold those of a range each (parts) and one that lists these. */
struct qn_checkpoint {
  uint64_t graph_identity;     /* header checksum of the container that is run on, or a set's */
  enum qn_layout graph_layout; /* its layout; QN_LAYOUT_SET */
  uint64_t num_vertices;       /* these as its header has them */
  uint64_t num_edges;
  enum qn_weight_type weight_type;
  enum qn_directedness directedness;
  const char *run; /* [run_bytes] JSON object: what runs, with which parameters */
  uint64_t run_bytes;
  const uint64_t *registers; /* [QN_CHECKPOINT_REGISTERS]; the first: iterations done, >= 1 */
  bool is_list;              /* it has parts, and no values and bits */
  const struct qn_checkpoint_part *parts; /* [num_parts] one behind the other, none empty */
  uint64_t num_parts;
  uint64_t begin, end; /* the vertices that the file is about: all, or those of a part */
  uint32_t value_bytes;
  const void *values;     /* [(end - begin) x value_bytes] */
  const uint64_t *active; /* [qn_checkpoint_words] bits, or NULL; the first is of begin / 64 * 64 */
  const uint64_t *waiting; /* likewise */
};

/* Words of 64 bits that the bits of the vertices [begin, end) are in. */
static inline uint64_t qn_checkpoint_words(uint64_t begin, uint64_t end) {
  return begin < end ? (end - 1) / 64 - begin / 64 + 1 : 0;
}

/* Write `checkpoint` to `path` in place of what is there: whole or not at all. `*identity` is the
 * header's checksum, unless it is NULL. */
enum qn_status qn_checkpoint_write(const char *path, const struct qn_checkpoint *checkpoint,
                                   uint64_t *identity, struct qn_error *error);

/* The view of a mapped container, with every rule but checksums checked (K-1 to K-7). */
enum qn_status qn_checkpoint_view(const struct qn_container *container,
                                  struct qn_checkpoint *checkpoint, struct qn_error *error);

/* The rows of this layout in the table of layouts.h. There is no graph in a checkpoint to restore:
 * QN_UNSUPPORTED. */
enum qn_status qn_checkpoint_verify(const struct qn_container *container, struct qn_error *error);
enum qn_status qn_checkpoint_describe(const struct qn_container *container, json_t *object,
                                      struct qn_error *error);
enum qn_status qn_checkpoint_restore(const struct qn_container *container, struct qn_graph *graph,
                                     struct qn_error *error);
