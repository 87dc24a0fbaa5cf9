/* The archive form of containers (specs/archive.md): the same sections through filters and
 * zstd, in independent frames; the plain form comes back byte for byte. */
#ifndef QUERN_ARCHIVE_H
#define QUERN_ARCHIVE_H

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_ARCHIVE_DEFAULT_LEVEL 6
#define QN_ARCHIVE_MAX_LEVEL 19

/* Write the archive form of a plain `container` to `path`, at zstd's `level` (1 to 19). The result
 * does not depend on the number of threads. The contents must have been checked whole
 * (qn_container_check): offsets are used as they are, and what follows from others is left out.
 * Memory: a few MiB a thread, of slotted pages six times a page, if that is more; for undirected
 * graphs 4 bytes an edge (8 with weights) and 8 a vertex. */
enum qn_status qn_archive_write(const struct qn_container *container, const char *path, bool force,
                                int level, struct qn_error *error);

/* Write it to a file that never appears, in the folder of `path`, and let `judge` look at it, which
 * may keep a duplicate of the descriptor. */
enum qn_status qn_archive_write_aside(const struct qn_container *container, const char *path,
                                      int level,
                                      enum qn_status (*judge)(void *context, int descriptor,
                                                              struct qn_error *error),
                                      void *context, struct qn_error *error);

/* Write the plain form of `archive` to `path`. Every section's checksum is compared with what was
 * decoded; QN_INVALID names the section that is damaged. Memory: 4 MiB a thread, of slotted pages
 * 5 or four times a page, if that is more, and all pages where 1 MiB is not a multiple of their
 * size nor the reverse; for undirected graphs 8 bytes a vertex, 2 bytes an edge (4 with weights),
 * and 8 MiB a thread (14) or more where vertices have millions of edges. Triangles that are not cut
 * into strips, as older archives have them, take twice the bytes an edge, 8 a vertex and 5 a vertex
 * for each of up to 8 threads more. */
enum qn_status qn_archive_restore(const struct qn_container *archive, const char *path, bool force,
                                  struct qn_error *error);

/* The same, with a look at the result before it appears (qn_writer_commit_judged). */
enum qn_status qn_archive_restore_judged(const struct qn_container *archive, const char *path,
                                         bool force,
                                         enum qn_status (*judge)(void *context, int descriptor,
                                                                 struct qn_error *error),
                                         void *context, struct qn_error *error);

/* The same to a file without a name in the folder TMPDIR (or /tmp), mapped as a container called
 * `name`; the file is gone when that is unmapped. */
enum qn_status qn_archive_restore_nameless(const struct qn_container *archive, const char *name,
                                           struct qn_container **out, struct qn_error *error);

/* Restore to such a file, let `judge` look at it, and drop it: the answer is that of `judge` if all
 * else is well. */
enum qn_status qn_archive_judge(const struct qn_container *archive,
                                enum qn_status (*judge)(void *context, int descriptor,
                                                        struct qn_error *error),
                                void *context, struct qn_error *error);

/* Decode and compare everything without writing. Memory as above. */
enum qn_status qn_archive_check(const struct qn_container *archive, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
