/* Checkpoints: what a run on a container goes on from (specs/checkpoint.md). */
#ifndef QN_FORMATS_LAYOUTS_CHECKPOINT_H
#define QN_FORMATS_LAYOUTS_CHECKPOINT_H

#include <jansson.h>

#include <quern/container.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_CHECKPOINT_REGISTERS 16

/* To be written, or mapped: then the pointers go into the mapping. */
struct qn_checkpoint {
  uint64_t graph_identity;     /* header checksum of the container that is run on */
  enum qn_layout graph_layout; /* its layout */
  uint64_t num_vertices;       /* these as its header has them */
  uint64_t num_edges;
  enum qn_weight_type weight_type;
  enum qn_directedness directedness;
  const char *run; /* [run_bytes] JSON object: what runs, with which parameters */
  uint64_t run_bytes;
  const uint64_t *registers; /* [QN_CHECKPOINT_REGISTERS]; the first: iterations done, >= 1 */
  uint32_t value_bytes;
  const void *values;      /* [num_vertices x value_bytes] */
  const uint64_t *active;  /* [ceil(V / 64)] bits, or NULL */
  const uint64_t *waiting; /* likewise */
};

/* Write `checkpoint` to `path` in place of what is there: whole or not at all. */
enum qn_status qn_checkpoint_write(const char *path, const struct qn_checkpoint *checkpoint,
                                   struct qn_error *error);

/* The view of a mapped container, with every rule but checksums checked (K-1 to K-5). */
enum qn_status qn_checkpoint_view(const struct qn_container *container,
                                  struct qn_checkpoint *checkpoint, struct qn_error *error);

/* The rows of this layout in the table of layouts.h. There is no graph in a checkpoint to restore:
 * QN_UNSUPPORTED. */
enum qn_status qn_checkpoint_verify(const struct qn_container *container, struct qn_error *error);
enum qn_status qn_checkpoint_describe(const struct qn_container *container, json_t *object,
                                      struct qn_error *error);
enum qn_status qn_checkpoint_restore(const struct qn_container *container, struct qn_graph *graph,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
