/* The types of vertices and edges in a set's manifest (specs/set.md, "Types"). */
#pragma once

#include "formats/set/set.h"

#define QN_SET_MAX_TYPES 65536

/* SOURCE-NAME-TARGET, to be freed; NULL without memory. */
char *qn_set_type_name(const struct qn_set *set, const struct qn_set_edge_type *type);

/* Fill in the types of `set`, whose ranges and parts are known, from its manifest (SET-17); for a
 * set without types nothing. */
enum qn_status qn_set_take_types(struct qn_set *set, const json_t *manifest,
                                 struct qn_error *error);
/* SET-4 and SET-17 of what is known of a set with types: each type's blocks, and what the types are
 * together. */
enum qn_status qn_set_check_types(const struct qn_set *set, struct qn_error *error);
void qn_set_release_types(struct qn_set *set);

/* The weights that all types of edges have; none where they differ. */
enum qn_weight_type qn_set_common_weights(const struct qn_set *set);

/* Those of types, added to the manifest. */
void qn_set_add_types(const struct qn_set *set, json_t *manifest);
/* The numbers of SET-5 that types add: `add` takes them, in order. */
void qn_set_number_types(const struct qn_set *set, void (*add)(void *context, uint64_t number),
                         void *context);

static inline bool qn_set_is_typed(const struct qn_set *set) {
  return set->num_edge_types > 0;
}

/* The weights of a part. */
static inline enum qn_weight_type qn_set_part_weights(const struct qn_set *set,
                                                      const struct qn_set_part *part) {
  return qn_set_is_typed(set) ? set->edge_types[part->edge_type].weight_type : set->weight_type;
}
