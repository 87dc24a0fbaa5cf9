/* An import under way. Internal to this folder. */
#pragma once

#include "converters/import/import.h"

struct qn_input_share;  /* shares.h */
struct qn_attaching;    /* properties.c */
struct qn_vertex_names; /* vertex_names.h */

struct qn_import {
  const struct qn_import_job *job;
  const struct qn_import_options *options; /* `chosen` */
  struct qn_import_options chosen;         /* the job's, and what folders and lists of names say */
  struct qn_import_report *report;
  struct qn_edge_list *list;
  struct qn_edge_list *numbered;  /* of a feed with properties; else NULL */
  const struct qn_reader *reader; /* of the last input; NULL: there is none */
  struct qn_read_result result;
  struct qn_writer *writer;
  struct qn_vertex_names *names;          /* of the lists of names; none as a rule */
  const struct qn_input_digest *expected; /* of an input that another names */
  bool names_others;                      /* some input named further ones */
  uint64_t listed;                        /* vertices in the table of vertices */
  /* [num_inputs + 1] of those that are read again for their properties, and of the table of
   * vertices; NULL: none is */
  struct qn_file_state *states;
  struct qn_file_state *state;    /* of the input at hand; NULL: it is not wanted */
  struct qn_attaching *spreading; /* properties of a graph that is spread */
  struct qn_input_share *shares;  /* [num_inputs]: what this rank reads; NULL: all */
  struct qn_input_share *share;   /* of the input at hand; NULL: all of it */
  const char *declares; /* the input with whose begin this rank has read what the vertices are */
  bool only_vertices;   /* the input, all of it, looked like a list of vertices */
  bool read_tables, read_elements; /* inputs are lists of edges as text, are of formats whose
                                      elements have properties; */
  const char *without_properties;  /* the format of one that has none */
};

/* How the edges that were read are built. */
struct qn_build qn_import_build(const struct qn_import *import);

/* Read all files into the list. */
enum qn_status qn_import_files_read(struct qn_import *import, uint64_t *sequence,
                                    struct qn_error *error);

/* QN_INVALID: one input says that its edges are undirected, and another one does not. */
enum qn_status qn_import_fail_directions(const char *symmetric, const char *other,
                                         struct qn_error *error);

/* Read one more, by this reader. */
enum qn_status qn_import_path_read(struct qn_import *import, const char *path,
                                   const struct qn_reader *reader, uint64_t *sequence,
                                   struct qn_error *error);

/* Read a file again, whose elements have properties. */
enum qn_status qn_import_elements_read(struct qn_import *import, const char *path,
                                       const struct qn_input_options *how,
                                       struct qn_element_records *records,
                                       struct qn_edge_list *list, uint64_t *sequence,
                                       struct qn_error *error);

/* Say in which line of the only input an edge occurs again that may not, or is the weight that is
 * no u32; nothing if that cannot be found out. */
void qn_import_locate_repeated(struct qn_import *import, const uint64_t ends[2],
                               struct qn_error *error);
void qn_import_locate_real(struct qn_import *import, struct qn_error *error);
