/* Graphs from outside: from arrays, Arrow streams and files into containers of the layout graph.
 *
 * The result is written to a file, `path`, which appears whole or not at all; or, with `path` NULL,
 * to memory, backed by swap, as a container without a file. `out` becomes a session on it; with a
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
 * (keep|remove), "duplicates" (keep|remove|min|sum), "weights" (auto|none|u32|f32|i64|f64),
 * "narrow-weights", "ids" (keep|compact; of texts: strings), "vertices", "force". */

/* E edges in three arrays. */
struct qn_edge_arrays {
  uint64_t size;            /* sizeof(struct qn_edge_arrays) */
  uint64_t num_edges;       /* E */
  enum qn_type id_type;     /* whole numbers of any width */
  const void *sources;      /* [E] */
  const void *targets;      /* [E] */
  enum qn_type weight_type; /* QN_TYPE_NONE: there are none. Whole numbers of any width become u32
                               if all are, else i64; reals become f32 if all are, else f64 */
  const void *weights;      /* [E]; NULL with QN_TYPE_NONE */
  bool has_num_vertices;    /* the vertices are 0 to num_vertices - 1, with edges or not */
  uint64_t num_vertices;
  const struct qn_id_arrays *names; /* what vertices 0 to names->num_vertices - 1 are called, by
                                       session.h's forms of ids; NULL: sources and targets say */
};

/* By default ids are kept if they are 0 to V - 1 without gaps, and else numbered in ascending order
 * (see "ids"). QN_INVALID names the first edge with a negative id, one beyond num_vertices, or a
 * weight that is not finite, counting from 0; a weight that the type asked for would change
 * (see "narrow-weights"); a name that is empty, not unique, or holds a NUL, tab or end of line. */
enum qn_status qn_import_arrays(const struct qn_edge_arrays *edges, const struct qn_option *options,
                                uint64_t num_options, const char *path, const struct qn_job *job,
                                struct qn_session **out, struct qn_error *error);

/* As https://arrow.apache.org/docs/format/CStreamInterface.html defines it. */
struct ArrowArrayStream;

/* Edges from a stream of record batches, which is released in any case. Further options are
 * "source", "target" and "weight": columns by name, or by number from 1; {"weight", ""} is none.
 * Without these options qn_columns_choose chooses the columns.
 *
 * Ids are integers of any width, or texts (UTF-8, large UTF-8, UTF-8 views, and the same as binary;
 * of dictionaries their values), both columns alike. Weights are integers or reals of any width, as
 * in arrays. A null is QN_INVALID with column and row, counting from 0; so is a negative id. One
 * thread of the library at a time reads the stream; its callbacks may take locks, but must not wait
 * for the calling thread. */
enum qn_status qn_import_arrow(struct ArrowArrayStream *stream, const struct qn_option *options,
                               uint64_t num_options, const char *path, const struct qn_job *job,
                               struct qn_session **out, struct qn_error *error);

/* The same with properties. The option "properties", which is "all" or NAME,NAME,..., says which
 * other columns of the edges become properties; qn_import_arrow takes it, too. `vertices`, unless
 * it is NULL, is a stream of the vertices, and released as well: its column "id" (by default the
 * one called id, :ID, vertex, vertex_id or node) has their ids, whether they have edges or not; its
 * other columns become their properties. With the switch "rows" the endpoints of edges are rows of
 * that table instead, from 0, all rows are vertices in this order, and the column "id", if there is
 * one, has their names ({"id", ""}: none).
 *
 * Properties are integers (u32, i64 or u64), reals, bools and texts, with nulls; QN_UNSUPPORTED
 * names a column of another type. They are kept in temporary files; with limited memory in the job,
 * only the names of vertices stay in memory. */
enum qn_status qn_import_tables(struct ArrowArrayStream *edges, struct ArrowArrayStream *vertices,
                                const struct qn_option *options, uint64_t num_options,
                                const char *path, const struct qn_job *job, struct qn_session **out,
                                struct qn_error *error);

/* Which columns of a table with these names are sources, targets and weights, from 1: those that
 * quern-import --columns knows by their names, or the first two if there are no others. The third
 * of `numbers` is 0 if no name is that of a weight. QN_INVALID if the choice is ambiguous. */
enum qn_status qn_columns_choose(const char *const *names, uint64_t num_names, uint32_t numbers[3],
                                 struct qn_error *error);

/* Edges from files, as quern-import reads them, with all of its options but those of outputs:
 * "format", "columns", "delimiter", "header", "record", "bipartite", "max-bad", "member", ...
 * Several files are joined. Here "-" is the name of a file. */
enum qn_status qn_import_files(const char *const *paths, uint64_t num_paths,
                               const struct qn_option *options, uint64_t num_options,
                               const char *path, const struct qn_job *job, struct qn_session **out,
                               struct qn_error *error);

/* A synthetic graph, as quern-generate makes it, byte for byte: `model` is "rmat", "uniform" or
 * "grid", options are "scale" (2^scale vertices; needed), "degree", "seed", "weights",
 * "probabilities", "permute", "undirected", "duplicates", "self-loops", "transpose", "force". */
enum qn_status qn_generate_graph(const char *model, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 struct qn_session **out, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
