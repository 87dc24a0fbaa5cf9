/* The manifest of a set: what its files are, and how they fit together. */
#pragma once

#include "formats/set/set.h"

/* Fill in `set`, of which only the path is set, from the manifest in its folder (SET-1 to SET-5).
 * What was filled in is given back by qn_set_close, also after a failure. */
enum qn_status qn_set_read_manifest(struct qn_set *set, struct qn_error *error);

/* The same from the manifest's text. */
enum qn_status qn_set_take_manifest(struct qn_set *set, const char *text, size_t length,
                                    struct qn_error *error);

/* The manifest's text, to be freed by free(); NULL with `error` filled. */
char *qn_set_manifest_text(const struct qn_set *set, const char *tool, struct qn_error *error);
