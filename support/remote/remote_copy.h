/* A sparse copy of an object on a server: ranges of it come to a file of the cache, which is
 * mapped. Nothing of the mapping can be read that was not put or shown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_remote_copy;

/* Of bytes [base, base + bytes) of the object; `bytes` is cut at its end. One thread opens and maps
 * it. When bytes behind the first 64 KiB are first read the end comes with them: all that is left
 * if it is some megabytes, or else 256 KiB and a byte for each `share` bytes of all. */
enum qn_status qn_remote_copy_open(const char *url, uint64_t base, uint64_t bytes, uint64_t share,
                                   struct qn_remote_copy **out, struct qn_error *error);
/* NULL is allowed. Not while what qn_remote_copy_map gave is in use. */
void qn_remote_copy_close(struct qn_remote_copy *copy);

const char *qn_remote_copy_name(const struct qn_remote_copy *copy);
uint64_t qn_remote_copy_bytes(const struct qn_remote_copy *copy);
/* If not, nothing can be read but all, in order. */
bool qn_remote_copy_has_ranges(const struct qn_remote_copy *copy);
void qn_remote_copy_traffic(const struct qn_remote_copy *copy, uint64_t *requests, uint64_t *bytes);

/* Copy bytes from the server, which nobody has verified. */
enum qn_status qn_remote_copy_read(struct qn_remote_copy *copy, void *into, uint64_t bytes,
                                   uint64_t offset, struct qn_error *error);

/* The same of several ranges, which may be changed: in one request where the server can. */
struct qn_part;
enum qn_status qn_remote_copy_read_parts(struct qn_remote_copy *copy, struct qn_part *parts,
                                         uint64_t count, struct qn_error *error);

/* The same, but in one request or not at all: false. */
bool qn_remote_copy_read_together(struct qn_remote_copy *copy, struct qn_part *parts,
                                  uint64_t count);

/* Map the file of the cache that goes by `name`; nothing of it can be read. */
enum qn_status qn_remote_copy_map(struct qn_remote_copy *copy, const char *name, void **out,
                                  struct qn_error *error);
/* Put verified bytes there, and let them be read. */
enum qn_status qn_remote_copy_put(struct qn_remote_copy *copy, const void *bytes, uint64_t length,
                                  uint64_t offset, struct qn_error *error);
/* Has the cache bytes there, right or wrong? */
bool qn_remote_copy_has_cached(const struct qn_remote_copy *copy, uint64_t offset, uint64_t bytes);
/* Let bytes be read. */
enum qn_status qn_remote_copy_show(struct qn_remote_copy *copy, uint64_t offset, uint64_t bytes,
                                   struct qn_error *error);

/* For whoever lets ranges come, one at a time. */
void qn_remote_copy_lock(struct qn_remote_copy *copy);
void qn_remote_copy_unlock(struct qn_remote_copy *copy);
