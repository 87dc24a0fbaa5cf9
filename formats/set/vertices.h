/* The vertices of a set: the files of their ranges, and all of them together. */
#pragma once

#include "formats/set/set.h"
#include "formats/set/stack.h"

/* Map the ranges' files: SET-7 and SET-8. */
enum qn_status qn_set_map_vertices(struct qn_set *set, struct qn_error *error);

/* Room for `count` ranges of a set being made. */
enum qn_status qn_set_ranges_create(struct qn_set *set, uint64_t count, struct qn_error *error);
/* One of all vertices. */
enum qn_status qn_set_one_range(struct qn_set *set, struct qn_error *error);

/* What has the values of all vertices: of one range they are its own, of several they are put
 * together in memory. */
struct qn_all_vertices {
  const struct qn_set *set;
  struct qn_ids ids;
  struct qn_degrees out_degrees;
  struct qn_stack columns;
};

/* Owned until release, which takes zeroed ones, too. The ids have been checked as they are in their
 * files, and between these not. */
enum qn_status qn_set_all_ids(const struct qn_set *set, struct qn_all_vertices *all,
                              struct qn_error *error);
enum qn_status qn_set_all_degrees(const struct qn_set *set, struct qn_all_vertices *all,
                                  struct qn_error *error);
/* Of their properties, which are checked. */
enum qn_status qn_set_all_columns(const struct qn_set *set, struct qn_all_vertices *all,
                                  struct qn_error *error);
void qn_set_all_release(struct qn_all_vertices *all);

/* SET-16: no two vertices have the same name. */
enum qn_status qn_set_check_names(const struct qn_set *set, const struct qn_all_vertices *all,
                                  struct qn_error *error);
