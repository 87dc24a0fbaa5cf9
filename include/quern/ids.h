/* Original vertex ids: what the outside world calls the vertices of a
 * container (specs/graph.md, "Original ids"; shared by all layouts). */
#ifndef QUERN_IDS_H
#define QUERN_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Find the id sections of any layout's container; checks presence, types, counts. */
enum qn_status qn_ids_view(const struct qn_container *container, struct qn_ids *ids,
                           struct qn_error *error);

/* Check the contents (rules ID-1 to ID-4): offsets, uniqueness, order, UTF-8 is not required but no
 * tab, newline or NUL. */
enum qn_status qn_ids_check(const struct qn_container *container, const struct qn_ids *ids,
                            struct qn_error *error);

/* Copy the ids of `ids` into a container being written; nothing for dense ids. */
enum qn_status qn_ids_write(struct qn_writer *writer, const struct qn_ids *ids,
                            struct qn_error *error);

/* The section of ascending number ids, to be filled: V numbers at `*numbers`. */
enum qn_status qn_ids_write_ascending(struct qn_writer *writer, uint64_t num_vertices,
                                      uint64_t **numbers, struct qn_error *error);

/* The vertex called `text`; QN_USAGE with a helpful message if there is none. */
enum qn_status qn_ids_find(const struct qn_ids *ids, const char *text, uint32_t *vertex,
                           struct qn_error *error);

/* As qn_ids_find for many: the vertex called text[0 .. length), by bisection. `order` is what
 * qn_ids_original_order gave. False if there is none. */
bool qn_ids_lookup(const struct qn_ids *ids, const uint32_t *order, const char *text,
                   uint64_t length, uint32_t *vertex);

/* The same by number; false where ids are texts. */
bool qn_ids_lookup_number(const struct qn_ids *ids, const uint32_t *order, uint64_t number,
                          uint32_t *vertex);

/* Format the id of `vertex`: for numbers into `buffer` (at least 21 bytes), for strings a
 * pointer into the container. Not NUL-terminated; `*length` bytes. */
const char *qn_ids_text(const struct qn_ids *ids, uint64_t vertex, char *buffer, uint64_t *length);

/* The permutation of vertices into original order: order[i] is the i-th vertex. Allocated with
 * qn_pages_alloc (V x 4 bytes), or NULL if the vertex order is the original one. */
enum qn_status qn_ids_original_order(const struct qn_ids *ids, uint32_t **order,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
