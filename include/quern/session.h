/* Sessions: an open container of any layout.
 *
 *   struct qn_session *session;
 *   if (qn_session_open("web.qrn", 0, NULL, &session, &error)) ...
 *   struct qn_edge_rows rows = {.size = sizeof rows};
 *   if (qn_session_out_edges(session, NULL, &rows, &error)) ...
 *   ... rows.row_offsets[v] .. rows.row_offsets[v + 1], rows.column_indices[e] ...
 *   qn_session_close(session);
 *
 * A session computes each answer once and keeps it. Pointers and texts that it returns belong to
 * it, are read-only, and stay valid until it is closed. */
#ifndef QUERN_SESSION_H
#define QUERN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_session;

enum qn_open_flags {
  /* Check everything now, as qn_session_verify with QN_VERIFY_ALL does. */
  QN_OPEN_VERIFY = 1,
  /* Never check the contents: for a container that was just verified and that nobody else can have
   * changed. A damaged or forged file can then make the process do anything. */
  QN_OPEN_TRUST = 2,
  /* Take a part of a set by itself, too (specs/set.md), which is no whole graph: it can be
   * verified, and its sections, ids and rows (qn_session_out_edges) can be looked at; all that
   * computes refuses it with QN_UNSUPPORTED. */
  QN_OPEN_PART = 4,
};

/* Open a container of any layout: `path` is a file, an archive, a set or a bundle's member
 * ("BUNDLE.tar:MEMBER"). A container is mapped, and its header, table and footer are checked at
 * once; its contents are checked when they are first used (see below). An archive is restored, and
 * the parts of a set are assembled, with all checks, in a file without a name in the folder TMPDIR,
 * or /tmp. Close it with qn_session_close. QN_INVALID: damaged; QN_UNSUPPORTED: of a newer version;
 * QN_SYSTEM: not there, or unreadable. */
enum qn_status qn_session_open(const char *path, unsigned flags, const struct qn_job *job,
                               struct qn_session **out, struct qn_error *error);
/* NULL is allowed. */
void qn_session_close(struct qn_session *session);

/* ---- What it is ----------------------------------------------------------- */

enum qn_id_form {
  QN_ID_FORM_DENSE = 0,   /* vertex v is called v */
  QN_ID_FORM_NUMBERS = 1, /* by numbers */
  QN_ID_FORM_STRINGS = 2, /* by texts */
};

/* From the header; this cannot fail. */
struct qn_session_info {
  uint64_t size;            /* sizeof(struct qn_session_info), set before the call */
  uint64_t num_vertices;    /* V < 2^32 */
  uint64_t num_edges;       /* E, as stored: an undirected edge that is not a loop twice */
  const char *layout;       /* "graph", "blocked-csr", ...; static */
  enum qn_type weight_type; /* QN_TYPE_NONE: there are none */
  enum qn_id_form id_form;
  bool directed;
  bool has_in_edges; /* stored, or the same as the out-edges: qn_session_in_edges costs nothing */
  bool in_memory;    /* no file of this container has a name */
  uint64_t bytes;    /* of the container, in its plain form */
  uint64_t identity; /* a hash of its content: equal containers have equal ones */
  uint64_t num_sections; /* for qn_session_section */
  const char *path;      /* as it was opened, or what it was called */
};
void qn_session_info(const struct qn_session *session, struct qn_session_info *info);

/* Everything that quern-info shows, as JSON: header, sections, the layout's figures, and the
 * metadata, which say where the graph came from and what became of each edge. Free it with
 * qn_text_free. */
enum qn_status qn_session_describe(struct qn_session *session, char **json, struct qn_error *error);

/* ---- Checking ------------------------------------------------------------- */

enum qn_verify {
  /* What kernels rely on when they index: checksums of all but weights, and the rules of offsets,
   * indices and ids. At memory speed. */
  QN_VERIFY_STRUCTURE = 1,
  /* All that quern-verify checks: every checksum, every numbered rule of the layout. */
  QN_VERIFY_ALL = 2,
};

/* Check now what was not checked yet. QN_INVALID names the section and chunk, or the rule.
 *
 * The calls that compute something (qn_session_run, qn_session_build, ...) do the checks that they
 * rely on, once a session. The calls below, which return arrays, do not: their arrays are as sound
 * as the file, so verify a file that others may have made or changed before you use its contents as
 * indices. */
enum qn_status qn_session_verify(struct qn_session *session, enum qn_verify what,
                                 const struct qn_job *job, struct qn_error *error);

/* ---- Arrays --------------------------------------------------------------- */

/* One direction of the graph, as compressed sparse rows: row v has the edges [row_offsets[v],
 * row_offsets[v + 1]), whose columns ascend; parallel edges stay in the order of the input. */
struct qn_edge_rows {
  uint64_t size;         /* sizeof(struct qn_edge_rows), set before the call */
  uint64_t num_vertices; /* V; of a part of a set (QN_OPEN_PART) its rows */
  uint64_t num_edges;
  const uint64_t *row_offsets;    /* [V + 1] */
  const uint32_t *column_indices; /* [E] */
  const void *weights;            /* [E] of weight_type; NULL: none */
  enum qn_type weight_type;
  bool mapped; /* in the container itself; else in memory that the session took for it */
};

/* The rows of sources. In the layout graph they are in the mapping, and are returned at once and
 * unchecked (see qn_session_verify). From other layouts they are restored, with the checks of
 * QN_VERIFY_STRUCTURE, into memory of 8 bytes a vertex and 4 an edge, and weights. */
enum qn_status qn_session_out_edges(struct qn_session *session, const struct qn_job *job,
                                    struct qn_edge_rows *rows, struct qn_error *error);
/* The rows of destinations, whose columns are sources. Where they are not stored they are computed
 * from checked rows, into the same amount of memory. */
enum qn_status qn_session_in_edges(struct qn_session *session, const struct qn_job *job,
                                   struct qn_edge_rows *rows, struct qn_error *error);

/* Original ids, by vertex. The form says which of the arrays are there. Not checked. */
struct qn_id_arrays {
  uint64_t size; /* sizeof(struct qn_id_arrays), set before the call */
  enum qn_id_form form;
  bool ascending;          /* in the order of vertices */
  uint64_t num_vertices;   /* V */
  const uint64_t *numbers; /* [V] */
  const uint64_t *offsets; /* [V + 1]: the text of v is bytes[offsets[v] .. offsets[v + 1]) */
  const char *bytes;       /* no NUL between them; mostly UTF-8, but any bytes are possible */
};
enum qn_status qn_session_ids(struct qn_session *session, struct qn_id_arrays *ids,
                              struct qn_error *error);

/* The vertices whose ids are these `count` texts, as users write them (of numbers the digits). With
 * `found` NULL an id that no vertex has is QN_USAGE; else found[i] is false for it, and vertices[i]
 * is UINT32_MAX. */
enum qn_status qn_session_find(struct qn_session *session, const char *const *texts, uint64_t count,
                               uint32_t *vertices, bool *found, struct qn_error *error);

/* A property: a named column of the vertices or of the edges (specs/properties.md). */
struct qn_property_array {
  uint64_t size; /* sizeof(struct qn_property_array), set before the call */
  const char *name;
  const char *type_name; /* "u32", "bool", "string", "timestamp_ms", "f32x128", ..., as
                            specs/properties.md has them */
  enum qn_type type;     /* of `values`: QN_TYPE_U8 of bools, 0 or 1, and of the bytes of strings;
                            QN_TYPE_U16 of the bits of f16 and bf16; QN_TYPE_I32 of dates, which are
                            days since 1970-01-01, and QN_TYPE_I64 of timestamps, which are units
                            since then */
  uint64_t count;        /* V; or E, in the order of qn_session_out_edges */
  uint64_t nulls;        /* of them have no value, and stand as 0 or as an empty string */
  const void *values; /* [count], of vectors [count][dimension]; of strings their bytes, one after
                         the other */
  const uint64_t *offsets; /* [count + 1] of strings: text i is from offsets[i] to offsets[i + 1];
                              else NULL */
  uint64_t bytes;          /* of all strings */
  const uint8_t *valid;    /* bit i % 8 of byte i / 8 is set if value i is no null; NULL: none is */
  uint64_t dimension; /* numbers of a value: 1 but of vectors. On the way in the name says it */
};
/* How many properties vertices and edges have, which is looked up once. */
enum qn_status qn_session_properties(struct qn_session *session, uint64_t *of_vertices,
                                     uint64_t *of_edges, struct qn_error *error);
/* Number `index` of them, from 0: QN_USAGE if there is none. Values are not checked: see
 * qn_session_verify. */
enum qn_status qn_session_property(struct qn_session *session, bool of_edges, uint64_t index,
                                   struct qn_property_array *array, struct qn_error *error);

/* A section of the container: every layout's arrays, as its page in specs/ describes them. */
struct qn_section_array {
  uint64_t size;      /* sizeof(struct qn_section_array), set before the call */
  const char *name;   /* "row_offsets" */
  enum qn_type type;  /* QN_TYPE_U8 of texts; QN_TYPE_NONE of records, which specs/ describes */
  uint64_t count;     /* elements */
  uint64_t item_size; /* bytes of one */
  const void *data;   /* aligned to 64 bytes at least */
};
/* By number, from 0, or by name: QN_USAGE if there is none. Not checked. */
enum qn_status qn_session_section(const struct qn_session *session, uint64_t index,
                                  struct qn_section_array *array, struct qn_error *error);
enum qn_status qn_session_section_named(const struct qn_session *session, const char *name,
                                        struct qn_section_array *array, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
