/* Ids of a container on a server: of those that ascend a few are found by looking at some of them,
 * and of all what vertices are called comes by the chunk. In the work of a call (call.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/ids.h>

struct qn_session;

/* Do they ascend there, and have not all of them come? */
bool qn_far_ids_are_searched(const struct qn_session *session);

/* Numbers: where they should be if they grow evenly. */
enum qn_status qn_far_ids_find_number(const struct qn_session *session, uint64_t number,
                                      uint32_t *vertex, bool *found, struct qn_error *error);
/* Texts, or numbers that are written as one: where names lie that are like it, as the server says
 * when it is asked for many single ones at once; what it says then is verified. */
enum qn_status qn_far_ids_find_text(const struct qn_session *session, const char *text,
                                    uint32_t *vertex, bool *found, struct qn_error *error);

/* What these vertices are called comes, where it is not a number of their own. */
enum qn_status qn_far_ids_bring(const struct qn_session *session, const uint32_t *vertices,
                                uint64_t count, struct qn_error *error);
/* A text, which nobody has checked: QN_INVALID where it is not in id_bytes. */
enum qn_status qn_far_ids_text(const struct qn_ids *ids, uint64_t vertex, const char **text,
                               uint64_t *length, struct qn_error *error);
