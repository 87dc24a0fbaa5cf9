/* The generations of a set's manifest (specs/set.md, "Changes"), and the base that they change. */
#pragma once

#include "formats/set/set.h"

#define QN_SET_MAX_GENERATIONS QN_SET_MAX_PARTS

static inline bool qn_set_is_changed(const struct qn_set *set) {
  return set->num_generations > 0;
}

/* Fill in the generations of `set`, whose ranges and parts are known, from its manifest (SET-40);
 * for a set without generations nothing. */
enum qn_status qn_set_take_generations(struct qn_set *set, const json_t *manifest,
                                       struct qn_error *error);
/* SET-40 and SET-41 of what the manifest says. */
enum qn_status qn_set_check_generations(const struct qn_set *set, struct qn_error *error);
/* Forget those after the first `count`, and be the set that there was then. */
enum qn_status qn_set_keep_generations(struct qn_set *set, uint64_t count, struct qn_error *error);
/* Those of base and generations, of a set that has been mapped: SET-7 of their vertices. */
enum qn_status qn_set_check_changed_ranges(const struct qn_set *set, struct qn_error *error);
void qn_set_release_generations(struct qn_set *set);

/* Those of generations, added to the manifest. */
void qn_set_add_generations(const struct qn_set *set, json_t *manifest);
/* The numbers of SET-5 that generations add: `add` takes them, in order. */
void qn_set_number_generations(const struct qn_set *set,
                               void (*add)(void *context, uint64_t number), void *context);

/* What each generation has changed, and where that came from: {"base": {"name", "identity"}, "log":
 * [...]}, a new reference. */
enum qn_status qn_set_log(const struct qn_set *set, json_t **out, struct qn_error *error);

/* Cut "@G" from a copy of `path`: the folder in `folder` [PATH_MAX] and `*generation`; false if the
 * path is no such name. */
bool qn_set_split_path(const char *path, char *folder, uint64_t *generation);

/* The path of the base: in the set's folder or beside it (SET-42). */
enum qn_status qn_set_base_path(const struct qn_set *set, char *path, struct qn_error *error);
/* The identity by which a base at `path`, a container or a set, is known. */
enum qn_status qn_set_identify_base(const char *path, struct qn_set_base *base,
                                    struct qn_error *error);
