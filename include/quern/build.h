/* Containers from containers: other layouts, and transformed graphs. `path` and `out` are as in
 * import.h. The container that is read is checked first. */
#ifndef QUERN_BUILD_H
#define QUERN_BUILD_H

#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Build `layout`, "blocked-csr", "edge-partitions", "slotted-pages", "shards", "hybrid" or
 * "packed", from a session of any layout. Options are those of the layout's tool (quern-block,
 * quern-partition, quern-page, quern-shard, quern-hybrid, quern-pack), and "force". */
enum qn_status qn_session_build(struct qn_session *session, const char *layout,
                                const struct qn_option *options, uint64_t num_options,
                                const char *path, const struct qn_job *job, struct qn_session **out,
                                struct qn_error *error);

/* A graph container from a session of any layout. Options are the steps of quern-transform, which
 * are done in its order: "egonet", "hops", "along", "induced", "cross-edges", "transpose",
 * "remove-self-loops", "symmetrize", "remove-duplicates", "random-weights", "narrow-weights",
 * "relabel", "seed", "in-edges"; before all of them "between" and "time", which pick the edges of a
 * time; and "force". Without a step it is the graph as it is. In place of
 * steps "partition" divides the graph, with "by", "imbalance", "column" and "passes": the result is
 * the container, of any layout, with a property that says the part of each vertex or edge. */
enum qn_status qn_session_transform(struct qn_session *session, const struct qn_option *options,
                                    uint64_t num_options, const char *path,
                                    const struct qn_job *job, struct qn_session **out,
                                    struct qn_error *error);

/* The same for a part of the graph: these vertices, in the order of the graph, and the edges
 * between them. Options are those of qn_session_transform, except those that choose a part.
 * QN_USAGE for a vertex that does not exist. */
enum qn_status qn_session_subgraph(struct qn_session *session, const uint32_t *vertices,
                                   uint64_t num_vertices, const struct qn_option *options,
                                   uint64_t num_options, const char *path, const struct qn_job *job,
                                   struct qn_session **out, struct qn_error *error);

/* A copy of the container with these properties in place of its own; of an array `name`,
 * `type_name`, `count`, `values` and, of strings, `offsets` and `bytes` are needed, `valid` may be
 * NULL. Both directions of an undirected edge must have the same values. The only option is
 * "force". QN_USAGE for a wrong name, type or count; QN_INVALID names the rule of
 * specs/properties.md that values break. */
enum qn_status qn_session_attach(struct qn_session *session,
                                 const struct qn_property_array *of_vertices,
                                 uint64_t num_of_vertices, const struct qn_property_array *of_edges,
                                 uint64_t num_of_edges, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 struct qn_session **out, struct qn_error *error);

/* The types of a set that has some (specs/set.md), as JSON: {"vertex_types": [{"name",
 * "vertices", "file"}], "edge_types": [{"source", "name", "target", "edges", "weights"}]}; two
 * empty lists for any other container. Free it with qn_text_free. */
enum qn_status qn_types_describe(const char *path, char **json, struct qn_error *error);

/* Some types of such a set as a graph container. Options are "project", "edge-types" and
 * "vertex-types" of quern-transform, and "force"; without any all types are put together.
 * QN_USAGE for a type that the set does not have. */
enum qn_status qn_types_project(const char *set, const struct qn_option *options,
                                uint64_t num_options, const char *path, const struct qn_job *job,
                                struct qn_session **out, struct qn_error *error);

/* The vertices of a graph are of one type, or a property, of texts, says the type of each. */
struct qn_vertex_table {
  const char *type;         /* NULL: the property does; without one they are called "vertex" */
  struct qn_session *graph; /* its edges do not count */
  const char *type_column;  /* the property; NULL: there is none */
};

/* The same of the edges of a graph. Its vertex v is, as the source of an edge, vertex v of
 * `tables[source].graph`, and as the destination vertex v of `tables[target].graph`; its ids do not
 * count. */
struct qn_edge_table {
  const char *type; /* NULL: as above; without a property "edge" */
  uint32_t source, target;
  struct qn_session *graph; /* undirected only if source and target are the same */
  const char *type_column;
};

/* A set with types (specs/set.md), a folder at `path`, of these vertices and edges with their ids,
 * weights and properties. Vertices of a type are numbered in the order of their ids. The only
 * option is "force". QN_INVALID for a type without vertices, a vertex that is listed twice, an edge
 * of a vertex that its table does not have; QN_USAGE if the folder is there, unless "force" is
 * given. */
enum qn_status qn_types_assemble(const struct qn_vertex_table *tables, uint64_t num_tables,
                                 const struct qn_edge_table *edges, uint64_t num_edges,
                                 const struct qn_option *options, uint64_t num_options,
                                 const char *path, const struct qn_job *job,
                                 struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
