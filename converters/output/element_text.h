/* Graphs as text, a vertex or an edge after the other with all that they have: what GraphML, GEXF,
 * GML and node-link JSON have in common. */
#pragma once

#include "converters/output/edge_runs.h"
#include "converters/output/put_text.h"
#include "formats/text/text_format.h"
#include <quern/properties.h>

enum { QN_TEXT_OF_VERTICES, QN_TEXT_OF_EDGES };

struct qn_element_text;

/* A format. */
struct qn_element_form {
  const char *name; /* e.g. "GraphML" */
  enum qn_escaping escaping;
  const char *const *reserved[2]; /* what no property can be called, for vertices and for edges */
  const char *const *weights;     /* for edges of graphs without weights, too */
  bool has_longs;                 /* whole numbers are up to 2^63 - 1; larger ones are text */
  bool
      plain_keys; /* letters, digits and _ only, and neither case nor what is reserved in another */
  void (*vertex)(const struct qn_element_text *text, uint64_t vertex,
                 struct qn_text_buffer *buffer);
  void (*edge)(const struct qn_element_text *text, uint64_t source, uint64_t edge,
               struct qn_weight_texts *weights, struct qn_text_buffer *buffer);
};

typedef char qn_element_key[QN_PROPERTY_NAME_BYTES + 1];

struct qn_element_text {
  const struct qn_element_form *form;
  const struct qn_graph *graph;
  const struct qn_property_table *tables[2];
  qn_element_key *keys[2]; /* what the output calls the properties */
  struct qn_listed_edges listed;
  bool directed;
  uint64_t first_edge; /* of those listed */
  char *hint;       /* what Quern reads ids and properties by: an object of JSON in ASCII, without
                       '-' */
  uint64_t written; /* edges; atomic */
};

/* Begin; says what is lost, and refuses names of vertices that the format has no place for.
 * `labels`, "ids" or "names", goes into the hint unless NULL. Owned until end. */
enum qn_status qn_element_text_begin(struct qn_element_text *text,
                                     const struct qn_element_form *form,
                                     const struct qn_graph *graph,
                                     const struct qn_write_options *options, const char *labels,
                                     struct qn_error *error);
void qn_element_text_end(struct qn_element_text *text);

/* All vertices, and all edges that are listed. */
enum qn_status qn_element_text_vertices(struct qn_element_text *text, struct qn_text_output *output,
                                        struct qn_error *error);
enum qn_status qn_element_text_edges(struct qn_element_text *text, struct qn_text_output *output,
                                     struct qn_error *error);

/* What was put into a buffer of the caller's, which is given back. */
enum qn_status qn_element_text_flush(struct qn_text_buffer *buffer, struct qn_text_output *output,
                                     enum qn_status status, struct qn_error *error);

/* The id of a vertex, escaped if it is a name. */
void qn_put_vertex_id(const struct qn_element_text *text, uint64_t vertex,
                      struct qn_text_buffer *buffer);
/* The weight of an edge. */
void qn_put_edge_weight(struct qn_weight_texts *weights, uint64_t edge,
                        struct qn_text_buffer *buffer);
/* Number `i` of all of a column, specials as "NaN", "INF" and "-INF". */
void qn_put_element_number(const struct qn_property *column, uint64_t i,
                           struct qn_text_buffer *buffer);
/* Value `i`, which is no null, without quotes: a string escaped, a vector's numbers with ';'
 * between them. */
void qn_put_property_value(const struct qn_element_text *text, const struct qn_property *column,
                           uint64_t i, struct qn_text_buffer *buffer);
/* Is number `i` of all of a column nan or infinite? */
bool qn_property_is_special(const struct qn_property *column, uint64_t i);

/* The string property that the output calls so; NULL if there is none. */
const struct qn_property *qn_element_text_find(const struct qn_element_text *text, int which,
                                               const char *name);
