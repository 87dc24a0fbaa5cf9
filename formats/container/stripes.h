/* Striped containers: the bytes of one container dealt out to several files, one for each disk
 * (specs/stripes.md), after g(j) of GTS (Kim et al., SIGMOD 2016, section 4.1), which is j mod N,
 * and the data blocks of Garaph (Ma et al., ATC 2017, section 2.2).
 *
 * The pieces are mapped side by side, so that whoever uses the container sees one range of bytes,
 * as of one file, and whoever reads several parts of it at once reads several files at once. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>

/* The stripes of a container, open. */
struct qn_stripes;

/* Read `bytes` bytes at `offset` of an open file, whole; QN_SYSTEM names `path`. */
enum qn_status qn_read_at(int descriptor, const char *path, void *into, uint64_t bytes,
                          uint64_t offset, struct qn_error *error);

/* Do these first bytes of a file begin the main file of a striped container? */
bool qn_stripes_begin(const uint8_t *bytes, uint64_t present);
/* Or one of its stripes? */
bool qn_stripe_begins(const uint8_t *bytes, uint64_t present);

/* Is the file at `path` the main one of a striped container? */
bool qn_stripes_recognise(const char *path);

/* Read the main file, open at `descriptor`, and open its stripes, which are looked for in the
 * folders that the list beside `path` names, and then beside `path` (ST-1 to ST-7). QN_INVALID if a
 * stripe is missing, cut, of another container or another one of this. */
enum qn_status qn_stripes_open(int descriptor, const char *path, struct qn_stripes **out,
                               struct qn_error *error);
/* NULL is allowed. */
void qn_stripes_close(struct qn_stripes *stripes);

/* The length and the header's checksum of the container. */
uint64_t qn_stripes_bytes(const struct qn_stripes *stripes);
uint64_t qn_stripes_identity(const struct qn_stripes *stripes);

/* Copy bytes of the container. */
enum qn_status qn_stripes_read(const struct qn_stripes *stripes, void *into, uint64_t bytes,
                               uint64_t offset, struct qn_error *error);

/* Map the whole container, read-only, into one range of addresses of qn_stripes_bytes bytes. */
enum qn_status qn_stripes_map(const struct qn_stripes *stripes, void **out, struct qn_error *error);

/* List the stripes as files in use (used_files.h), until they are closed. */
void qn_stripes_list(struct qn_stripes *stripes, bool (*is_intact)(const void *user),
                     const void *user);
enum qn_status qn_stripes_unchanged(struct qn_stripes *stripes, struct qn_error *error);

/* Say that byte `offset` of the container is meant: where it is in which stripe. Returns the status
 * in `error`. */
enum qn_status qn_stripes_error_at(const struct qn_stripes *stripes, uint64_t offset,
                                   struct qn_error *error);

/* The number of stripes; 1 for NULL, which is a container in one file. */
unsigned qn_stripes_count(const struct qn_stripes *stripes);

/* {"unit_bytes", "files": [{"file", "bytes"}]} */
json_t *qn_stripes_describe(const struct qn_stripes *stripes);

/* Those of a container; NULL: it is in one file. */
const struct qn_stripes *qn_container_stripes(const struct qn_container *container);

/* Its bytes, info's `file_bytes` of them. */
const void *qn_container_bytes(const struct qn_container *container);

/* ---- Writing ---------------------------------------------------------------- */

struct qn_striping {
  const char *const *folders; /* [num_folders] one for each stripe; the same may be named twice */
  unsigned num_folders;       /* 1 to QN_MAX_STRIPES; 0: no stripes */
  uint64_t unit_bytes;        /* a power of two; 0: as the container's length suggests */
};

#define QN_MAX_STRIPES 32

/* May `path` and its stripes be written, as far as that can be told before? */
enum qn_status qn_striping_check(const struct qn_striping *striping, const char *path, bool force,
                                 struct qn_error *error);

/* Is this a number of bytes that a unit may have? Else QN_USAGE says why not. */
enum qn_status qn_stripe_unit_check(uint64_t bytes, struct qn_error *error);

/* Write a striped copy: the main file to `path`, a stripe called PATH's own name and ".stripe-I" to
 * each folder, and, unless all of them lie beside `path`, the list of their folders,
 * PATH.stripes. `force` replaces the main file and the list; a stripe is never replaced, as it may
 * be another container's. All appear together. */
enum qn_status qn_container_stripe(const struct qn_container *container, const char *path,
                                   const struct qn_striping *striping, bool force,
                                   struct qn_error *error);
