/* Sources of bytes under the input layer: a descriptor, or a member of an
 * archive. Internal to the files of this folder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/input/input.h"

/* A descriptor read in order, whose bytes are hashed as they pass. */
struct qn_descriptor;

/* `name` is for messages and must outlive the result; the descriptor is closed at the end. */
enum qn_status qn_descriptor_create(int descriptor, const char *name, struct qn_descriptor **out,
                                    struct qn_error *error);
/* The same for what comes from a server; the stream is closed at the end. */
struct qn_remote_stream;
enum qn_status qn_descriptor_create_remote(struct qn_remote_stream *stream,
                                           struct qn_descriptor **out, struct qn_error *error);
void qn_descriptor_destroy(struct qn_descriptor *source);

/* Make sure that `bytes` (at most QN_DESCRIPTOR_HEAD) are at hand, unless the input ends before;
 * gives what is at hand, not taken. */
#define QN_DESCRIPTOR_HEAD 4096
enum qn_status qn_descriptor_head(struct qn_descriptor *source, const char **head, uint64_t *bytes,
                                  struct qn_error *error);

/* Take up to `capacity` bytes; `*got` 0 at the end. */
enum qn_status qn_descriptor_read(struct qn_descriptor *source, char *buffer, uint64_t capacity,
                                  uint64_t *got, struct qn_error *error);

/* Read what is left, for the hash only. */
enum qn_status qn_descriptor_drain(struct qn_descriptor *source, struct qn_error *error);
void qn_descriptor_digest(const struct qn_descriptor *source, struct qn_input_digest *digest);

/* The content of a compressed file or of one member of an archive. */
struct qn_archive;

/* True if these first bytes are those of a packing that qn_archive_create reads. */
bool qn_archive_recognise(const char *head, uint64_t bytes);

/* Open an archive that lies in memory (`data`), or comes from `descriptor` if `data` is NULL;
 * both are borrowed. `member` may be NULL. */
enum qn_status qn_archive_create(const char *data, uint64_t bytes, struct qn_descriptor *descriptor,
                                 const char *file_name, const struct qn_input_options *options,
                                 const char *member, struct qn_archive **out,
                                 struct qn_error *error);
void qn_archive_destroy(struct qn_archive *archive);

/* What libarchive says is wrong, in a user's terms. */
struct archive;
const char *qn_unpacking_error(struct archive *reader);

/* "gzip", "tar in xz", "zip", ... */
const char *qn_archive_packing(const struct qn_archive *archive);
/* The member's name, printable; NULL if the content is a compressed file. */
const char *qn_archive_member(const struct qn_archive *archive);

/* As qn_descriptor_read. At the end of a member that was chosen for being the first
 * candidate, looks for others and fails if there are. */
enum qn_status qn_archive_read(struct qn_archive *archive, char *buffer, uint64_t capacity,
                               uint64_t *got, struct qn_error *error);

/* Pass over the rest; fails as qn_archive_read does if there are several candidates. */
enum qn_status qn_archive_look_further(struct qn_archive *archive, struct qn_error *error);

/* Blocks of whole lines, read ahead by a thread. */
struct qn_read_ahead;

/* Exactly one of the sources is given; it is borrowed, and the thread's alone until destroy. */
enum qn_status qn_read_ahead_create(struct qn_descriptor *descriptor, struct qn_archive *archive,
                                    const char *name, struct qn_read_ahead **out,
                                    struct qn_error *error);
void qn_read_ahead_destroy(struct qn_read_ahead *ahead);
/* End the thread, so that the source may be used; no blocks come after. */
void qn_read_ahead_stop(struct qn_read_ahead *ahead);

enum qn_status qn_read_ahead_peek(struct qn_read_ahead *ahead, struct qn_input_block *block,
                                  struct qn_error *error);
enum qn_status qn_read_ahead_next(struct qn_read_ahead *ahead, struct qn_input_block *block,
                                  struct qn_error *error);
