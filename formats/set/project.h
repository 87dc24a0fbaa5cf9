/* Some types of a set with types as one ordinary graph. */
#pragma once

#include "formats/set/set.h"

/* Which types, as a user says it. All NULL: all of them. */
struct qn_set_selection {
  const char *edge_types;   /* NAME or SOURCE-NAME-TARGET,...; NULL: all between the vertices */
  const char *vertex_types; /* NAME,...; NULL: those at the ends of the edges, or all */
  const char *project;      /* one edge type, or a path of several (paths.h), with the two types of
                               vertices at its ends, instead */
  bool properties; /* keep them and, unless one is projected, the types of vertices, in the column
                      LABEL, and of edges, in the column TYPE */
};

/* Its texts, but for `properties`, as options. */
#define QN_SELECTION_GROUP 14
extern const struct qn_setting qn_selection_settings[];
bool qn_set_selection_is_any(const struct qn_set_selection *selection);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_set_selection_settle(const struct qn_set_selection *selection,
                                       struct qn_error *error);

/* The types that are chosen [num_ranges], [num_edge_types]. */
struct qn_set_chosen {
  bool *vertices, *edges;
};

/* Is text[0 .. length) its NAME or SOURCE-NAME-TARGET? */
bool qn_set_edge_type_is(const struct qn_set *set, const struct qn_set_edge_type *type,
                         const char *text, size_t length);

/* QN_USAGE names a type that the set does not have, or of which several are called so. Owned until
 * release, also after a failure. */
enum qn_status qn_set_choose(const struct qn_set *set, const struct qn_set_selection *selection,
                             struct qn_set_chosen *chosen, struct qn_error *error);
/* The edge type of that number, and its ends. */
enum qn_status qn_set_choose_number(const struct qn_set *set, uint64_t edge_type,
                                    struct qn_set_chosen *chosen, struct qn_error *error);
/* These two types of vertices, and no edges. */
enum qn_status qn_set_choose_vertices(const struct qn_set *set, uint32_t source, uint32_t target,
                                      struct qn_set_chosen *chosen, struct qn_error *error);
/* The weights that hold those of all chosen types, none if some have none; `*without` is then the
 * name of one of these, unless all have none, and else NULL. Are they what each type has, or none?
 */
bool qn_set_chosen_weights(const struct qn_set *set, const struct qn_set_chosen *chosen,
                           enum qn_weight_type *weights, const char **without);
/* Say that weights are left out; NULL is allowed. */
void qn_set_note_weights(const char *without);
void qn_set_chosen_release(struct qn_set_chosen *chosen);

/* Write the graph of a selection to `writer`: vertices in the order of their types, which are
 * called as in these, or, where two are called the same, TYPE:NAME, all of them; edges in rows,
 * parallel ones in the order of their types. Weights are those that all types have, or are made
 * i64 or f64 where that holds all; if some edges have none, there are none. */
enum qn_status qn_set_write_projection(const struct qn_set *set,
                                       const struct qn_set_selection *selection,
                                       struct qn_writer *writer, struct qn_error *error);

/* In memory, one edge type with the properties of its edges, for whoever lists edges: vertices are
 * called as in their types, so that two may be called the same, which no other container may have.
 */
enum qn_status qn_set_project_type(const struct qn_set *set, uint64_t edge_type,
                                   struct qn_container **out, struct qn_error *error);

/* As qn_set_unite and qn_set_unite_nameless. */
enum qn_status qn_set_project(const char *set_path, const struct qn_set_selection *selection,
                              const char *path, bool force, struct qn_container **out,
                              struct qn_error *error);
enum qn_status qn_set_project_nameless(const char *set_path,
                                       const struct qn_set_selection *selection, const char *name,
                                       struct qn_container **out, struct qn_error *error);
