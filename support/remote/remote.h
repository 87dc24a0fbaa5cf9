/* An object on a server, of which ranges are read: "https://", "http://" or "s3://".
 *
 *   struct qn_remote *remote;
 *   qn_remote_open(url, &remote, &error);
 *   qn_remote_read(remote, head, sizeof head, 0, &got, &error);   what there is: qn_remote_bytes
 *   ... more reads, by any thread ...
 *   qn_remote_close(remote);
 *
 * The first read pins the object: what is read later is of the same version (ETag, or else the time
 * of its last change), or it is an error. Transfers that are cut go on where they were; servers
 * that are busy or away are asked again (attempts.h). Certificates are always verified. Proxies are
 * as the environment says (https_proxy, no_proxy).
 *
 * Bytes are what a server gave: whoever uses them verifies them first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/remote/address.h"

struct qn_remote;

/* No bytes come yet. QN_USAGE for a malformed URL, QN_UNSUPPORTED without libcurl. */
enum qn_status qn_remote_open(const char *url, struct qn_remote **out, struct qn_error *error);
/* NULL is allowed. */
void qn_remote_close(struct qn_remote *remote);

/* For messages: the URL without user, password, query and fragment. */
const char *qn_remote_name(const struct qn_remote *remote);

/* Read `bytes` bytes at `offset`; fewer, `*got`, where the object ends before. The first read is at
 * 0, and no other is made meanwhile. QN_SYSTEM, naming the URL, if they cannot be read, or are
 * of another version of the object. */
enum qn_status qn_remote_read(struct qn_remote *remote, void *into, uint64_t bytes, uint64_t offset,
                              uint64_t *got, struct qn_error *error);

/* Read several ranges of the object, whole ones, in one request if the server gives as much at
 * once, else one after the other. Not as the first read. */
struct qn_part;
enum qn_status qn_remote_read_parts(struct qn_remote *remote, const struct qn_part *parts,
                                    uint64_t count, struct qn_error *error);

/* Several ranges in one request, or none: false. At most 128. */
bool qn_remote_read_together(struct qn_remote *remote, const struct qn_part *parts, uint64_t count);
/* As far as is known. */
bool qn_remote_gives_several(const struct qn_remote *remote);

/* After the first read: the object's length, and whether the server gives ranges. If not, nothing
 * but its beginning can be read. */
uint64_t qn_remote_bytes(const struct qn_remote *remote);
bool qn_remote_has_ranges(const struct qn_remote *remote);

/* What has been asked and has come so far. */
void qn_remote_traffic(const struct qn_remote *remote, uint64_t *requests, uint64_t *bytes);

/* ---- From beginning to end --------------------------------------------------
 *
 * By a connection and a thread of its own, which is some megabytes ahead. */
struct qn_remote_stream;

enum qn_status qn_remote_stream_open(const char *url, struct qn_remote_stream **out,
                                     struct qn_error *error);
/* NULL is allowed. */
void qn_remote_stream_close(struct qn_remote_stream *stream);
const char *qn_remote_stream_name(const struct qn_remote_stream *stream);

/* Take up to `capacity` bytes; `*got` 0 at the end. QN_SYSTEM as above, also where a transfer was
 * cut that cannot go on. */
enum qn_status qn_remote_stream_read(struct qn_remote_stream *stream, void *buffer,
                                     uint64_t capacity, uint64_t *got, struct qn_error *error);
