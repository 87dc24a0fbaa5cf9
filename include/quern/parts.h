/* Sets (specs/set.md) that several processes write together, such as the executors of Spark, each
 * some of the parts. All processes share one file system.
 *
 *   each     qn_part_fingerprint    of the rows that it has
 *   one      qn_set_begin           begins the folder, and writes what vertices are called
 *   each     qn_part_write          for each part, in the folder's place
 *   the one  qn_set_finish          the folder appears, whole
 * */
#ifndef QUERN_PARTS_H
#define QUERN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows [begin, end) of a graph: those of edges out of vertices, or into them. */
struct qn_part_rows {
  uint64_t size;               /* sizeof(struct qn_part_rows) */
  uint64_t begin;              /* the first vertex */
  uint64_t end;                /* one after the last */
  const uint64_t *row_offsets; /* [end - begin + 1] from 0 on, into: */
  const uint32_t *columns;     /* each row's in ascending order */
  enum qn_type weight_type;    /* QN_TYPE_NONE, _U32, _F32, _I64 or _F64 */
  const void *weights;         /* of parallel edges in any order */
  bool rows_in;                /* row v holds the edges into v, columns say where they are from */
};

/* What these edges contribute to the fingerprint of their graph (fingerprint.h), which is the sum,
 * modulo 2^64, of the contributions of all rows. */
enum qn_status qn_part_fingerprint(const struct qn_part_rows *rows, const struct qn_job *job,
                                   uint64_t *fingerprint, struct qn_error *error);

/* The graph, and how it is cut. */
struct qn_set_shape {
  uint64_t size;                    /* sizeof(struct qn_set_shape) */
  uint64_t num_vertices;            /* V, at most 2^32 - 1 */
  uint64_t num_parts;               /* N, 1 to 65,536 */
  const uint64_t *ends;             /* [N] never less than the one before; the last is V. NULL:
                                       there are blocks */
  const uint64_t *part_edges;       /* [N] edges of each part */
  const uint64_t *out_degrees;      /* [V] edges out of each vertex; in sum those of all parts */
  enum qn_type weight_type;         /* as of rows */
  bool undirected;                  /* every edge is there with its reverse; not rows_in */
  bool rows_in;                     /* as of rows */
  uint64_t fingerprint;             /* of the graph */
  const struct qn_id_arrays *names; /* what vertices are called; NULL: 0 to V - 1 */
  /* Vertices are cut at every so many of them, C times: part i has the rows of cut i / C, and of
   * them the edges whose columns are in cut i % C; N is C^2. 0: parts are whole rows. */
  uint64_t block_vertices;
};

/* A set's folder that has not appeared yet. */
struct qn_set_draft;

/* Begin the folder `path`; with `replace` it replaces a set there, if the folder has nothing else
 * in it. QN_INVALID names what is inconsistent. Owned until qn_set_finish or qn_set_abandon. */
enum qn_status qn_set_begin(const char *path, bool replace, const struct qn_set_shape *shape,
                            const struct qn_job *job, struct qn_set_draft **out,
                            struct qn_error *error);
/* The path of the folder until it appears, for qn_part_write; valid as long as the draft. */
const char *qn_set_draft_place(const struct qn_set_draft *draft);

/* What a part's file is, for qn_set_finish. */
struct qn_part_file {
  uint64_t bytes;
  uint64_t identity;    /* its header's checksum */
  uint64_t fingerprint; /* of the rows */
};

/* Write part `index` of the set that was begun at `place`; an earlier version of the part is
 * replaced. The rows are checked: QN_INVALID if they are not those of the part, a column is not a
 * vertex or less than the one before it, or a weight is not finite. */
enum qn_status qn_part_write(const char *place, uint64_t index, const struct qn_part_rows *rows,
                             const struct qn_job *job, struct qn_part_file *file,
                             struct qn_error *error);

/* Let the folder appear when all parts, `files` [N], are written. QN_INVALID if they do not make up
 * the graph that was begun. Frees `draft` whatever the outcome; after a failure no folder is left.
 */
enum qn_status qn_set_finish(struct qn_set_draft *draft, const struct qn_part_file *files,
                             struct qn_error *error);
/* Remove what was written. NULL is allowed. */
void qn_set_abandon(struct qn_set_draft *draft);

#ifdef __cplusplus
}
#endif
#endif
