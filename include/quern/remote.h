/* Containers on servers: "https://", "http://" and "s3://".
 *
 * One is mapped as a file is (container.h, open.h), into a sparse file of the user's cache. Header,
 * table and chunk hashes come when it is mapped, and sections before they are used: all of them, or
 * as the flags below say. Every chunk is verified by its hash when it comes, and so is what the
 * cache has of it. Where no byte has come the mapping cannot be read at all.
 *
 * Of a container in a file all is there: then these functions do nothing, and return QN_OK. */
#ifndef QUERN_REMOTE_H
#define QUERN_REMOTE_H

#include <stdbool.h>

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Beside those of enum qn_map_flags; of URLs alone. */
enum qn_map_remote_flags {
  QN_MAP_STRUCTURE = 4, /* weights and properties come when they are verified */
  QN_MAP_PARTS = 8,     /* no section comes before it is verified or needed */
};

/* Map the bytes [offset, offset + bytes) of what `url` names; `bytes` is cut at its end. */
enum qn_status qn_container_map_url(const char *url, uint64_t offset, uint64_t bytes,
                                    unsigned flags, struct qn_container **out,
                                    struct qn_error *error);

bool qn_container_is_remote(const struct qn_container *container);

/* Let these bytes [begin, end) of a section's data come, those of qn_container_verify_structure,
 * or all. QN_SYSTEM if they cannot be read, QN_INVALID if they are not what was written. NULL is
 * allowed for the container. */
enum qn_status qn_container_need(const struct qn_container *container, const void *begin,
                                 const void *end, struct qn_error *error);
/* The same for several, [begin, end) each: in one request where the server can. */
struct qn_needed_bytes {
  const void *begin, *end;
};
enum qn_status qn_container_need_together(const struct qn_container *container,
                                          const struct qn_needed_bytes *needed, uint64_t count,
                                          struct qn_error *error);
/* The same for elements of a section's data that lie anywhere: those of `bytes` bytes each whose
 * numbers are indices[0 .. count), side by side. */
enum qn_status qn_container_need_at(const struct qn_container *container, const void *data,
                                    uint64_t bytes, const uint32_t *indices, uint64_t count,
                                    struct qn_error *error);
/* To find out what is needed: copy bytes of sections, at most 128 runs, as the server has them.
 * They are NOT verified, and nothing may follow from them but what comes next. False where one
 * request does not bring them. */
struct qn_peek {
  const void *from;
  void *into;
  uint64_t bytes; /* at least 1 */
};
bool qn_container_peek(const struct qn_container *container, const struct qn_peek *peeks,
                       uint64_t count);
enum qn_status qn_container_need_structure(const struct qn_container *container,
                                           struct qn_error *error);
enum qn_status qn_container_need_all(const struct qn_container *container, struct qn_error *error);

/* How many requests it took so far, and how many bytes came. */
void qn_container_traffic(const struct qn_container *container, uint64_t *requests,
                          uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
