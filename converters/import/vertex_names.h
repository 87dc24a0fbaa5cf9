/* What the vertices of a graph that numbers them from 0 are called: lists of names, a line each, in
 * the order of the numbers. A line may have the number before the name and more behind it, between
 * tabs, as Common Crawl's vertices do. */
#pragma once

#include "converters/import/state.h"

/* Zeroed to begin with. */
struct qn_vertex_names {
  uint64_t *offsets; /* [count + 1] into `bytes` */
  char *bytes;
  uint64_t count;
  uint64_t offsets_capacity, bytes_capacity;
  const char *last_file; /* and its last line, at which names are missing */
  uint64_t last_line;
};

/* Read all lists of import->job->names, if there are any, before the edges. QN_INVALID with the
 * line for what is no name, and for a number that is not the vertex's. */
enum qn_status qn_vertex_names_read(struct qn_import *import, struct qn_error *error);

/* When the edges are read: they are what import->result calls its vertices. QN_INVALID if there are
 * fewer or more of them than vertices, or one twice. */
enum qn_status qn_vertex_names_give(struct qn_import *import, struct qn_error *error);

void qn_vertex_names_release(struct qn_vertex_names *names);
