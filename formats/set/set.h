/* Sets: a graph in a folder of several containers, each of which holds the rows of a range of
 * vertices (specs/set.md).
 *
 *   struct qn_set *set;
 *   qn_set_open(path, &set, &error);             the manifest, and the names of the vertices
 *   qn_set_part_open(set, i, QN_SET_CHECK_ALL, &part, &error);
 *   ... part.rows: row r is that of vertex set->parts[i].begin + r ...
 *   qn_set_part_close(&part);
 *   qn_set_close(set);
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/options.h"
#include <quern/graph.h>
#include <quern/properties.h>

#define QN_SET_MANIFEST "set.json"
#define QN_SET_MAX_PARTS 65536
#define QN_SET_MAX_RANGES 65536
/* That is written; version 1, whose parts have offsets for all vertices, is read for ever. */
#define QN_SET_VERSION 2

/* Which edges a row has: those out of its vertex, or those into it. */
enum qn_set_rows { QN_SET_ROWS_OUT, QN_SET_ROWS_IN };

/* A file of a set, as its manifest says. */
struct qn_set_file {
  char *name;
  uint64_t bytes;
  uint64_t identity; /* the header's checksum */
};

/* The vertices of a range, in a file: what they are called, their properties and out-degrees. Those
 * of edges have no values there, but in the parts (SET-15). */
struct qn_vertex_range {
  struct qn_set_file file;
  char *type; /* that all of them are of; NULL in a set without types */
  uint64_t begin, end;
  struct qn_container *container; /* NULL in a set being made */
  struct qn_ids ids;              /* of [end - begin]; dense: numbers of the whole set, of a type
                                     those from its begin on */
  struct qn_degrees out_degrees;  /* [end - begin] in the graph */
  struct qn_properties properties;
};

/* A block of the set: edges of some rows from some columns. Blocks of the same rows follow one
 * another; where none is cut by columns, each has whole rows. */
struct qn_set_part {
  struct qn_set_file file;
  uint64_t begin, end;                 /* whose rows it holds */
  uint64_t columns_begin, columns_end; /* of which columns; in it they count from the first one */
  uint64_t num_edges;
  uint32_t edge_type; /* in a set with types */
};

/* The graph that a set with generations was before the first of them: a container or a set. */
struct qn_set_base {
  char *name; /* in the set's folder, or beside it */
  uint64_t identity;
  uint64_t num_vertices, num_edges;
};

/* The graph once a generation has changed it, whose new vertices are a range and whose edges a
 * part, of the same place. */
struct qn_set_generation {
  uint64_t num_vertices, num_edges, fingerprint;
  uint64_t added, removed; /* edges stored */
  uint64_t missing;        /* edges that were to be removed, and were not there */
};

/* Edges of one type, from vertices of one type to those of one. */
struct qn_set_edge_type {
  char *name;
  uint32_t source, target; /* ranges of vertices */
  enum qn_weight_type weight_type;
  uint64_t num_edges, fingerprint;
};

/* What a reader of the set must know, by the names in its manifest. */
enum qn_set_feature {
  QN_SET_VERTEX_RANGES = 1 << 0, /* vertices in several files */
  QN_SET_COLUMN_RANGES = 1 << 1, /* blocks of some columns alone */
  QN_SET_TYPES = 1 << 2,         /* of vertices and of edges */
  QN_SET_GENERATIONS = 1 << 3,   /* of changes to a base */
};

struct qn_set {
  char *path;                       /* of the folder, as it is shown */
  char *url;                        /* of one on a server, as it is asked for; NULL: it is here */
  unsigned version;                 /* 1 or QN_SET_VERSION */
  unsigned features;                /* of enum qn_set_feature */
  uint64_t num_vertices, num_edges; /* edges stored, as in a container */
  enum qn_weight_type weight_type;
  enum qn_directedness directedness;
  bool in_edges;         /* the graph stores its in-edges, too */
  enum qn_set_rows rows; /* of an undirected graph: out */
  uint64_t fingerprint;  /* of the graph's edges (quern/fingerprint.h) */
  bool has_origin;
  uint64_t origin; /* the identity of the container that the set was made of */
  uint64_t identity;
  enum qn_layout layout; /* of the parts */
  uint64_t num_parts;
  struct qn_set_part *parts;
  uint64_t num_ranges;
  struct qn_vertex_range *ranges; /* [num_ranges]; the first one's metadata are the graph's */
  uint64_t num_edge_types;        /* 0: vertices and edges are of one type, which has no name */
  struct qn_set_edge_type *edge_types; /* the parts of each lie one after the other, in order */
  uint64_t num_generations;            /* 0: the set is the graph, and no base was changed */
  struct qn_set_generation *generations;
  struct qn_set_base base; /* if there are generations */
};

/* What a block's header says of its first row: its place among the columns, modulo 2^32. */
static inline uint64_t qn_set_first_row(const struct qn_set_part *block) {
  return (uint32_t)(block->begin - block->columns_begin);
}

/* Is there a folder of that name, with a manifest in it? The name of a folder may be followed by @
 * and the number of a generation. On a server (https://HOST/FOLDER/ or .../FOLDER/set.json) the
 * name alone tells. */
bool qn_set_recognise(const char *path);
/* Does the set there hold all of its graph in its parts, or generations of changes to another? What
 * cannot be opened has no generations. */
bool qn_set_has_generations(const char *path);

/* Read the manifest and map the vertices: SET-1 to SET-8. QN_INVALID names the rule; QN_UNSUPPORTED
 * for another version. Owned until qn_set_close. Of FOLDER@G the generations up to G.
 */
enum qn_status qn_set_open(const char *path, struct qn_set **out, struct qn_error *error);
/* NULL is allowed. */
void qn_set_close(struct qn_set *set);

/* How much of a part is checked when it is opened. */
enum qn_set_check {
  QN_SET_CHECK_FILE, /* that it is the part of this set that the manifest names (SET-9 to SET-11,
                        SET-15) */
  QN_SET_CHECK_ROWS, /* what those who walk rows rely on, and SET-12 */
  QN_SET_CHECK_ALL,  /* every rule of its layout, too */
};

/* A part that is open. */
struct qn_set_open_part {
  struct qn_container *container;
  struct qn_graph graph; /* restored in memory where the layout is none of rows */
  struct qn_csr rows;    /* of the range, in `graph`; columns count from the block's first one */
};

enum qn_status qn_set_part_open(const struct qn_set *set, uint64_t index, enum qn_set_check check,
                                struct qn_set_open_part *part, struct qn_error *error);
/* Every rule of a part of another layout than that of rows, which was opened without a check. */
enum qn_status qn_set_part_verify(const struct qn_set_open_part *part, struct qn_error *error);
/* The rows of such a part, which has been verified, take memory: drop them, and make them again. Of
 * a part of rows nothing happens. */
void qn_set_part_drop_rows(struct qn_set_open_part *part);
enum qn_status qn_set_part_make_rows(struct qn_set_open_part *part, struct qn_error *error);
/* A zeroed part is allowed. */
void qn_set_part_close(struct qn_set_open_part *part);

/* Check every rule of a set (SET-1 to SET-15), its parts one after another. */
enum qn_status qn_set_check(const char *path, struct qn_error *error);

/* Of a set with generations: that its base and its files are those that the manifest names. */
enum qn_status qn_set_check_files(const struct qn_set *set, struct qn_error *error);

/* What the header of the set's graph in one container says of it. */
struct qn_container_info qn_set_info(const struct qn_set *set);

/* May parts have this layout? Of version 1 they may have any. */
bool qn_set_takes(enum qn_layout layout);

/* What quern-info shows, as the manifest of the newest version has it: a new reference. */
json_t *qn_set_describe(const struct qn_set *set);

/* Map a file of the set, which is the one that the manifest names (SET-6). */
enum qn_status qn_set_map_file(const struct qn_set *set, const struct qn_set_file *file,
                               struct qn_container **out, struct qn_error *error);

/* A broken rule of a set: QN_INVALID, "SET-n: ...", in the file `name` of the set's folder. */
enum qn_status qn_set_violation(const struct qn_set *set, const char *name, struct qn_error *error,
                                const char *rule, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* What `set->identity` has to be, by what else is said in `set` (SET-5). */
enum qn_status qn_set_identity(const struct qn_set *set, uint64_t *identity,
                               struct qn_error *error);

/* "out" and "in", ended by NULL. */
extern const char *const qn_set_rows_words[];

/* ---- The graph back --------------------------------------------------------- */

/* Put the graph of a set together in the container `path`: the one that the set was made of, byte
 * for byte, unless another version of Quern had written that (then a notice says so). `out` as in
 * qn_writer_finish. */
enum qn_status qn_set_unite(const char *set_path, const char *path, bool force,
                            struct qn_container **out, struct qn_error *error);
/* What the header of such a container says. */
void qn_set_fill_header(const struct qn_set *set, struct qn_writer *writer);
/* About what that takes: the container, and memory beside it while it is made. */
struct qn_united_size {
  uint64_t container, memory;
};
struct qn_united_size qn_set_united_size(const struct qn_set *set);
/* The same in temporary disk space (TMPDIR, or /tmp), which is given back with the mapping; `name`
 * is for messages. A note says how much it takes. */
enum qn_status qn_set_unite_nameless(const char *set_path, const char *name,
                                     struct qn_container **out, struct qn_error *error);

/* ---- Making sets -------------------------------------------------------------- */

/* A set's folder, which appears whole or not at all (support/atomic_folder.h). */
struct qn_set_writer;

/* Begin the folder `path`; with `force` it replaces a set, if nothing else is in that. Owned until
 * commit or abort. */
enum qn_status qn_set_writer_create(const char *path, bool force, struct qn_set_writer **out,
                                    struct qn_error *error);
/* Several processes write one set: all but the one that began it, and will commit it, join it at
 * its place, and leave or abort. */
const char *qn_set_writer_place(const struct qn_set_writer *writer);
enum qn_status qn_set_writer_join(const char *place, struct qn_set_writer **out,
                                  struct qn_error *error);
void qn_set_writer_leave(struct qn_set_writer *writer);
/* Where to write part `index`, or the vertices of range `index`, of `num_ranges`. */
enum qn_status qn_set_writer_part(struct qn_set_writer *writer, uint64_t index, const char **path,
                                  struct qn_error *error);
enum qn_status qn_set_writer_vertices(struct qn_set_writer *writer, uint64_t index,
                                      uint64_t num_ranges, const char **path,
                                      struct qn_error *error);
/* What a file that was written is to be called in the manifest. */
enum qn_status qn_set_file_of(const struct qn_container *container, const char *name,
                              struct qn_set_file *file, struct qn_error *error);
void qn_set_part_name(uint64_t index, char name[32]);
void qn_set_vertices_name(uint64_t index, uint64_t num_ranges, char name[32]);
/* Write a manifest of `set`, of whose files some have not been written, for those who will; commit
 * replaces it. Until then this process goes on to other things, and a signal leaves the folder. */
enum qn_status qn_set_writer_draft(struct qn_set_writer *writer, const struct qn_set *set,
                                   const char *tool, struct qn_error *error);
/* Write the manifest of `set`, whose files have been written, and let the folder appear. Frees
 * `writer` whatever the outcome. */
enum qn_status qn_set_writer_commit(struct qn_set_writer *writer, const struct qn_set *set,
                                    const char *tool, struct qn_error *error);
/* A copy of a file of another set, under that name. */
enum qn_status qn_set_writer_copy(struct qn_set_writer *writer,
                                  const struct qn_container *container, const char *name,
                                  const char **path, struct qn_error *error);
/* Write the manifest of `set` in place of that in its folder, all of whose files are there. */
enum qn_status qn_set_replace_manifest(const struct qn_set *set, const char *tool,
                                       struct qn_error *error);
/* NULL is allowed. */
void qn_set_writer_abort(struct qn_set_writer *writer);

/* How the rows of a graph are cut into ranges: each of about as many vertices, edges, or both
 * together. */
enum qn_set_balance { QN_SET_BY_BOTH, QN_SET_BY_EDGES, QN_SET_BY_VERTICES };

/* "parts", "block-vertices", "balance", "rows": of struct qn_set_options. Their group in a tool's
 * help, before which the tool may have a heading. */
#define QN_SET_GROUP 12
extern const struct qn_setting qn_set_settings[];

struct qn_set_options {
  uint64_t num_parts;      /* 1 to QN_SET_MAX_PARTS; 0: not said */
  uint64_t block_vertices; /* in their place: rows and columns are cut at every so many; 0: not */
  enum qn_set_balance balance;
  const uint64_t *bounds; /* [num_parts + 1] in its place: where parts begin; NULL: balanced */
  enum qn_set_rows rows;  /* of a directed graph */
  bool balance_given, rows_given;
};

/* Is a set asked for? */
static inline bool qn_set_is_asked(const struct qn_set_options *options) {
  return options->num_parts || options->block_vertices;
}

/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_set_options_settle(const struct qn_set_options *options, struct qn_error *error);

/* Make a set of a graph, which has been checked, and of its container's ids, properties and
 * metadata. `*out` describes what was made, unless `out` is NULL; owned until qn_set_close. */
enum qn_status qn_set_split(const struct qn_container *container, const struct qn_graph *graph,
                            const struct qn_set_options *options, const char *tool,
                            const char *path, bool force, struct qn_set **out,
                            struct qn_error *error);

/* Make another set of one, part by part: `build` makes of each a container of the layout `layout`,
 * from a graph container that is checked and that it owns from then on, in the file `path`. */
typedef enum qn_status qn_set_build(void *user, struct qn_container *part, const char *path,
                                    struct qn_container **out, struct qn_error *error);
enum qn_status qn_set_rebuild(const char *set_path, enum qn_layout layout, qn_set_build *build,
                              void *user, const char *tool, const char *path, bool force,
                              struct qn_set **out, struct qn_error *error);
