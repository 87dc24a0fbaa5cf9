/* The vertices of a graph of several types: sorted into types, and numbered. */
#pragma once

#include "converters/typed/sources.h"
#include <quern/error.h>
#include <quern/ids.h>
#include <quern/properties.h>

struct qn_typed_vertices;

/* A type, and the vertices [begin, begin + count) of it: in the order of their ids, of numbers if
 * all are such, else of bytes. */
struct qn_vertex_type {
  char *name;
  uint64_t begin, count;
  struct qn_ids ids;
  uint64_t *picks; /* [count] (formats/properties/gather.h) of the sources of vertices; QN_NO_RECORD
                      of vertices that edges alone name */
  uint64_t *numbers, *offsets; /* behind `ids` */
  char *bytes;
  uint64_t num_bytes;
};

/* Number the vertices of all sources: types in bytewise order of their names. QN_INVALID if a
 * vertex is listed twice, or two of one type are called the same. Owned until destroy. */
enum qn_status qn_typed_vertices_create(const struct qn_typed_sources *sources,
                                        struct qn_typed_vertices **out, struct qn_error *error);
/* NULL is allowed. */
void qn_typed_vertices_destroy(struct qn_typed_vertices *vertices);

uint32_t qn_typed_vertices_types(const struct qn_typed_vertices *vertices,
                                 const struct qn_vertex_type **types);
uint64_t qn_typed_vertices_count(const struct qn_typed_vertices *vertices);
/* The type that the vertex of this number is of. */
uint32_t qn_typed_vertices_type(const struct qn_typed_vertices *vertices, uint64_t number);

#define QN_NO_VERTEX UINT32_MAX

/* The numbers of the vertices of edge source `index` as its sources (end 0) or its destinations
 * (end 1): [V of its container], to be freed by qn_pages_free; QN_NO_VERTEX of what is no such
 * end. QN_INVALID names an end that no vertex is called, or of another type than it must be. */
enum qn_status qn_typed_vertices_of(const struct qn_typed_vertices *vertices, uint32_t index,
                                    unsigned end, uint32_t **numbers, struct qn_error *error);
