/* Graphs from outside: from arrays, Arrow streams and files into containers of the layout graph.
 *
 * The result goes to a file, `path`, which appears whole or not at all; or with `path` NULL into
 * memory, which swap backs, as a container without a file. `out` becomes a session on it; with a
 * path it may be NULL. An existing file is QN_USAGE, unless the option "force" is given. */
#ifndef QUERN_IMPORT_H
#define QUERN_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of all three, as of quern-import: "undirected", "transpose" (also|no), "self-loops"
 * (keep|remove), "duplicates" (keep|remove|min|sum), "weights" (auto|none|u32|f32),
 * "narrow-weights", "ids" (keep|compact; of texts: strings), "vertices", "force". */

/* E edges in three arrays. */
struct qn_edge_arrays {
  uint64_t size;            /* sizeof(struct qn_edge_arrays) */
  uint64_t num_edges;       /* E */
  enum qn_type id_type;     /* QN_TYPE_U32, QN_TYPE_U64, QN_TYPE_I32 or QN_TYPE_I64 */
  const void *sources;      /* [E] */
  const void *targets;      /* [E] */
  enum qn_type weight_type; /* QN_TYPE_NONE, QN_TYPE_U32 or QN_TYPE_F32; others are QN_UNSUPPORTED
                             * in this version */
  const void *weights;      /* [E]; NULL with QN_TYPE_NONE */
  bool has_num_vertices;    /* the vertices are 0 to num_vertices - 1, with edges or not */
  uint64_t num_vertices;
};

/* By default ids are kept if they are 0 to V - 1 without gaps, and else numbered in ascending order
 * (see "ids"). QN_INVALID names the first edge with a negative id, one beyond num_vertices, or a
 * weight that is not finite; counting from 0. */
enum qn_status qn_import_arrays(const struct qn_edge_arrays *edges, const struct qn_option *options,
                                uint64_t num_options, const char *path, const struct qn_job *job,
                                struct qn_session **out, struct qn_error *error);

/* As https://arrow.apache.org/docs/format/CStreamInterface.html defines it. */
struct ArrowArrayStream;

/* Edges from a stream of record batches, which is released in any case. Further options are
 * "source", "target" and "weight": columns by name, or by number from 1. Without, they are those
 * with the names that quern-import --columns knows, else the first, the second, and the third if
 * there is one; {"weight", ""} is none.
 *
 * Ids are integers of any width, or texts (utf8, large utf8, utf8 view; of dictionaries their
 * values), both columns alike. Weights are integers or reals of any width that u32 or f32 can hold
 * (see "weights" and "narrow-weights"). A null is QN_INVALID with column and row; so is a negative
 * id. The stream is read by one thread of the library's; its callbacks may lock, but not wait for
 * the calling thread. */
enum qn_status qn_import_arrow(struct ArrowArrayStream *stream, const struct qn_option *options,
                               uint64_t num_options, const char *path, const struct qn_job *job,
                               struct qn_session **out, struct qn_error *error);

/* Edges from files, as quern-import reads them, with all of its options but those of outputs:
 * "format", "columns", "delimiter", "header", "record", "bipartite", "max-bad", "member", ...
 * Several are joined. "-" is a file of that name here. */
enum qn_status qn_import_files(const char *const *paths, uint64_t num_paths,
                               const struct qn_option *options, uint64_t num_options,
                               const char *path, const struct qn_job *job, struct qn_session **out,
                               struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
