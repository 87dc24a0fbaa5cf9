/* Properties: named, typed columns of vertices and of edges that travel with a graph in a container
 * of any layout (specs/properties.md).
 *
 *   struct qn_properties properties;
 *   if (qn_properties_view(container, &properties, &error)) ...
 *   const struct qn_property *age = qn_property_find(&properties.of_vertices, "age");
 *   ...                      values are used in place, read-only
 *   qn_properties_release(&properties);
 *
 * Values of vertices are in the order of the container's vertices, those of edges in the order of
 * the rows of the graph that the container gives back.
 */
#ifndef QUERN_PROPERTIES_H
#define QUERN_PROPERTIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qn_property_type {
  QN_PROPERTY_U32 = 1,
  QN_PROPERTY_U64,
  QN_PROPERTY_I64,
  QN_PROPERTY_F32,
  QN_PROPERTY_F64,
  QN_PROPERTY_BOOL,   /* bytes, 0 or 1 */
  QN_PROPERTY_STRING, /* UTF-8 without NUL */
  QN_PROPERTY_U8,
  QN_PROPERTY_U16,
  QN_PROPERTY_I8,
  QN_PROPERTY_I16,
  QN_PROPERTY_I32,
  QN_PROPERTY_F16,         /* the bits of a binary16 */
  QN_PROPERTY_BF16,        /* the upper 16 bits of a binary32 */
  QN_PROPERTY_DATE,        /* i32: days since 1970-01-01 */
  QN_PROPERTY_TIMESTAMP_S, /* i64: seconds since 1970-01-01 00:00:00, on the wall */
  QN_PROPERTY_TIMESTAMP_MS,
  QN_PROPERTY_TIMESTAMP_US,
  QN_PROPERTY_TIMESTAMP_NS,
  QN_PROPERTY_TIMESTAMP_S_UTC, /* the same, in UTC: an instant */
  QN_PROPERTY_TIMESTAMP_MS_UTC,
  QN_PROPERTY_TIMESTAMP_US_UTC,
  QN_PROPERTY_TIMESTAMP_NS_UTC,
  /* Vectors are QN_PROPERTY_VECTOR of one of these. */
};

/* The type of arrays of `dimension` numbers, 1 to QN_PROPERTY_MOST_DIMENSION, of a type of numbers:
 * "f32x128". */
#define QN_PROPERTY_VECTOR(type, dimension)                                                        \
  ((enum qn_property_type)((uint32_t)(type) | (uint32_t)(dimension) << 8))
#define QN_PROPERTY_MOST_DIMENSION 65536

/* What the values of a type, or the numbers of its vectors, are. */
enum qn_property_class {
  QN_PROPERTY_UNSIGNED = 1,
  QN_PROPERTY_SIGNED,
  QN_PROPERTY_REAL,
  QN_PROPERTY_TRUTH,
  QN_PROPERTY_TEXT,
  QN_PROPERTY_DAYS,
  QN_PROPERTY_TIME,
};

/* Of a column's name, without its NUL. */
#define QN_PROPERTY_NAME_BYTES 255

/* A column. */
struct qn_property {
  char name[QN_PROPERTY_NAME_BYTES + 1];
  enum qn_property_type type;
  uint64_t count;          /* values */
  uint64_t nulls;          /* of them, as the schema says */
  const void *values;      /* [count], of vectors [count][dimension]; of strings their bytes, one
                              after the other */
  const uint64_t *offsets; /* [count + 1] of strings: value i is the bytes from offsets[i] on, up to
                              offsets[i + 1]; else NULL */
  uint64_t bytes;          /* of strings: how many there are in all */
  const uint8_t *valid;    /* bit i % 8 of byte i / 8 is set if value i is no null; NULL: none is */
};

struct qn_property_table {
  struct qn_property *columns; /* [count] */
  uint32_t count;
};

/* All zero: there are none. */
struct qn_properties {
  struct qn_property_table of_vertices, of_edges;
  char weight[QN_PROPERTY_NAME_BYTES + 1]; /* what the weights came from; "": nobody says */
};

/* Room for the name of a type. */
#define QN_PROPERTY_TYPE_BYTES 24

/* The name of a type, such as "u32" or "f32x128", put into `name`, which is returned; "unknown" for
 * other codes. */
const char *qn_property_type_name(enum qn_property_type type, char name[QN_PROPERTY_TYPE_BYTES]);
/* The type called so; false if there is none. */
bool qn_property_type_of(const char *name, enum qn_property_type *type);
/* 0 for other codes. */
enum qn_property_class qn_property_class_of(enum qn_property_type type);

/* How many numbers a vector has; 0 of what is no vector. */
static inline uint32_t qn_property_dimension(enum qn_property_type type) {
  return (uint32_t)type >> 8;
}
/* The type of the numbers of a vector; of other types they themselves. */
static inline enum qn_property_type qn_property_number_type(enum qn_property_type type) {
  return (enum qn_property_type)((uint32_t)type & 0xff);
}

/* Of a number of a vector, or of a value of another type; 1 for strings. */
unsigned qn_property_number_bytes(enum qn_property_type type);
/* Of a value in `values`; 1 for strings. */
unsigned qn_property_value_bytes(enum qn_property_type type);
/* Of timestamps: decimals of a second, 0, 3, 6 or 9, and whether they are of UTC. */
unsigned qn_property_time_decimals(enum qn_property_type type);
bool qn_property_is_utc(enum qn_property_type type);
/* 1 to 255 bytes of UTF-8 without control characters. */
bool qn_property_is_name(const char *name, uint64_t length);
/* UTF-8 without NUL (rule P-8). */
bool qn_property_is_text(const char *bytes, uint64_t length);

static inline bool qn_property_is_null(const struct qn_property *column, uint64_t i) {
  return column->valid && !(column->valid[i / 8] >> (i % 8) & 1);
}

/* NULL if no such name exists. */
const struct qn_property *qn_property_find(const struct qn_property_table *table, const char *name);

static inline bool qn_properties_are_any(const struct qn_properties *properties) {
  return properties->of_vertices.count || properties->of_edges.count;
}

/* ---- Reading --------------------------------------------------------------- */

/* The columns of a container, which may have none, checked so that nothing in them leads out of
 * their sections as long as the offsets of strings ascend (P-1 to P-5); of an archive names, types
 * and nulls only. QN_INVALID for a broken rule, QN_UNSUPPORTED for a type of a newer version. The
 * schema is verified; whoever reads values has their sections verified. Owned until release; the
 * columns are gone with the container. */
enum qn_status qn_properties_view(const struct qn_container *container,
                                  struct qn_properties *properties, struct qn_error *error);
/* Zeroed properties are allowed. */
void qn_properties_release(struct qn_properties *properties);

/* Verify the sections of a column of a container, and check its values (P-6 to P-9). `edges`: it is
 * of edges. */
enum qn_status qn_property_check(const struct qn_container *container, bool edges, uint32_t column,
                                 const struct qn_property *property, struct qn_error *error);
/* That of all columns. */
enum qn_status qn_properties_check(const struct qn_container *container,
                                   const struct qn_properties *properties, struct qn_error *error);
/* P-10, of an undirected graph: both directions of an edge have the same values. */
enum qn_status qn_properties_check_directions(const struct qn_container *container,
                                              const struct qn_properties *properties,
                                              const struct qn_csr *csr, struct qn_error *error);

/* {"vertices": [{"name", "type", "nulls"}], "edges": [...], "weight"}: a new reference, NULL if
 * memory runs out. */
json_t *qn_properties_describe(const struct qn_properties *properties);

/* ---- Writing --------------------------------------------------------------- */

/* No value: a null. */
#define QN_NO_RECORD UINT64_MAX

/* Write columns to a container whose header fields are set, before its metadata: value i of a
 * column of vertices is value vertices[i] of that in `properties`, [V], and value e of one of edges
 * value edges[e], [E]; NULL: i and e themselves. Nulls are counted anew; of strings offsets must
 * ascend. Nothing is written if there are no columns. Takes no memory but that of the output. */
enum qn_status qn_properties_write(struct qn_writer *writer, const struct qn_properties *properties,
                                   const uint64_t *vertices, const uint64_t *edges,
                                   struct qn_error *error);

/* Copy a plain container of any layout to `writer`, fresh, with these columns, gathered as above,
 * in place of its own. Its metadata are `metadata`, or with NULL its own. */
enum qn_status qn_properties_attach(const struct qn_container *container,
                                    const struct qn_properties *properties,
                                    const uint64_t *vertices, const uint64_t *edges,
                                    const json_t *metadata, struct qn_writer *writer,
                                    struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
