/* Inputs whose vertices have names: a map of them while edges are read, sorted at the end. */
#ifndef QN_CONVERTERS_PARSE_NAMES_H
#define QN_CONVERTERS_PARSE_NAMES_H

#include "converters/parse/reader.h"
#include "converters/text/string_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A map with the names of the inputs before, which keep their numbers for the time being. The
 * caller destroys it. */
enum qn_status qn_names_begin(const struct qn_read_result *result, struct qn_string_map **out,
                              struct qn_error *error);

/* Number all names in order, the edges' ends too: all streams must be closed. */
enum qn_status qn_names_finish(const struct qn_string_map *map, struct qn_edge_list *list,
                               struct qn_read_result *result, struct qn_error *error);

/* The release of readers that call them. */
void qn_names_release(struct qn_read_result *result);

/* A reader reads graphs of one kind of file, element after element, in the order of the file. */
struct qn_named_graph {
  struct qn_string_map *map;
  struct qn_edge_list *list;
  struct qn_read_result *result;
  const struct qn_read_options *options;
  struct qn_edge_stream stream;
  uint64_t *sequence;
  uint64_t edges;        /* pushed */
  bool open;             /* the stream is */
  bool weighted;         /* the first edge has a weight */
  bool directed_is_said; /* by the file */
  bool directed;
};

enum qn_status qn_named_graph_begin(struct qn_named_graph *graph,
                                    const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error);

/* All edges are directed, or none is. QN_INVALID if others were before. */
enum qn_status qn_named_graph_directed(struct qn_named_graph *graph, bool directed,
                                       struct qn_error *error);

/* There is a vertex called so. */
enum qn_status qn_named_graph_vertex(struct qn_named_graph *graph, const char *name,
                                     struct qn_error *error);

/* There is an edge; `weight` is its text, or NULL. QN_INVALID if it is no weight, or if only some
 * edges have one. */
enum qn_status qn_named_graph_edge(struct qn_named_graph *graph, const char *source,
                                   const char *destination, const char *weight,
                                   struct qn_error *error);

/* The end of all, with the status of what was before: frees what there is, and names vertices. */
enum qn_status qn_named_graph_end(struct qn_named_graph *graph, enum qn_status status,
                                  struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
