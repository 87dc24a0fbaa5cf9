/* Graphs whose vertices have names, read element after element in the order of the file: what
 * GraphML, GEXF, GML, JSON, DOT, Pajek and lists of neighbours have in common. The file may be read
 * a second time for its properties (records.h); then elements are looked up instead. */
#pragma once

#include "converters/elements/naming.h"
#include "converters/elements/records.h"
#include "converters/parse/names.h"

struct qn_named_graph {
  struct qn_edge_list *list;
  struct qn_read_result *result;
  const struct qn_read_options *options;
  struct qn_element_records *records; /* NULL: the graph itself is read */
  struct qn_naming *naming;           /* else this is */
  struct qn_edge_stream stream;       /* of numbered edges, for records */
  uint64_t edges;
  uint64_t defaults;          /* of these without a weight */
  bool weighted;              /* the first edge has a weight, or with a default any */
  const char *default_weight; /* of edges that say none; NULL: then none has one */
  bool directed_is_said;      /* by the file */
  bool directed;
  bool numbers;          /* Quern wrote the file, and says that ids are numbers, */
  bool labels_are_ids;   /* that labels are the ids once more, */
  bool labels_are_names; /* that labels are what vertices are called */
  bool closed;           /* edges are between vertices that came before; the next one is at */
  struct qn_place place;
  bool declares;      /* the format declares all vertices, */
  bool declares_late; /* and some of them behind edges */
};

enum qn_status qn_named_graph_begin(struct qn_named_graph *graph,
                                    const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error);

/* All edges are directed, or none is. QN_INVALID if others were before. */
enum qn_status qn_named_graph_directed(struct qn_named_graph *graph, bool directed,
                                       struct qn_error *error);

/* A comment, or what stands in for one: if Quern wrote it, it says what ids and properties are
 * (specs/properties.md). */
enum qn_status qn_named_graph_comment(struct qn_named_graph *graph, const char *text,
                                      uint64_t length, struct qn_error *error);
enum qn_status qn_named_graph_hint(struct qn_named_graph *graph, const json_t *hint,
                                   struct qn_error *error);

/* There is a vertex called so. */
enum qn_status qn_named_graph_vertex(struct qn_named_graph *graph, const char *name,
                                     struct qn_error *error);
enum qn_status qn_named_graph_called(struct qn_named_graph *graph, struct qn_text name,
                                     struct qn_error *error);

/* There is an edge; `weight` is its text, or NULL. QN_INVALID if it is no weight, or if only some
 * edges have one and there is no default. */
enum qn_status qn_named_graph_edge(struct qn_named_graph *graph, const char *source,
                                   const char *destination, const char *weight,
                                   struct qn_error *error);
enum qn_status qn_named_graph_between(struct qn_named_graph *graph, struct qn_text source,
                                      struct qn_text destination, struct qn_text weight,
                                      struct qn_error *error);

/* The end of the input, with the status of what was before. */
enum qn_status qn_named_graph_end(struct qn_named_graph *graph, enum qn_status status,
                                  struct qn_error *error);
