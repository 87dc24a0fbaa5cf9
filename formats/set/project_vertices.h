/* The vertices of some types as those of one graph: names and properties. */
#pragma once

#include "formats/set/project.h"

/* What they are called; numbers or names of one type are borrowed. */
struct qn_projected_ids {
  struct qn_ids ids;
  uint64_t *numbers, *offsets; /* behind `ids`, if it has them of its own */
  char *bytes;
  uint64_t num_bytes;
};

/* Of the chosen ranges, one after the other; `plain`: without their types, whoever is called the
 * same. Owned until release, also after a failure. */
enum qn_status qn_set_project_ids(const struct qn_set *set, const struct qn_set_chosen *chosen,
                                  bool plain, struct qn_projected_ids *projected,
                                  struct qn_error *error);
void qn_projected_ids_release(struct qn_projected_ids *projected);

/* Columns of several types as those of one: a type's value is null in what it has no column of.
 * Columns of one name and several types of values get the name of their type before theirs. With
 * `types`, the name of each source's type is a column called so. Owned until qn_gathered_release.
 */
struct qn_projected_source {
  const char *type;   /* its name */
  const char *prefix; /* what tells it from all other types */
  const struct qn_property_table *table;
};
enum qn_status qn_set_project_columns(const struct qn_projected_source *sources, uint32_t count,
                                      const uint64_t *picks, uint64_t num_values, const char *types,
                                      struct qn_property_table *out, struct qn_error *error);
