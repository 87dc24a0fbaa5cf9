/* The archive form of containers (specs/archive.md): the same sections, filtered and compressed by
 * zstd in independent frames; the plain form is restored byte for byte. */
#ifndef QUERN_ARCHIVE_H
#define QUERN_ARCHIVE_H

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_ARCHIVE_DEFAULT_LEVEL 6
#define QN_ARCHIVE_MAX_LEVEL 19

/* Write the archive form of a plain `container`, which is no part of a set, to `path`, at zstd's
 * `level` (1 to 19). The result does not depend on the number of threads. Check the contents first
 * (qn_container_check): offsets are used without checks, and sections that can be derived from
 * others are left out.
 *
 * Memory: some 10 MiB for each thread, or six pages if slotted pages are larger; for undirected
 * graphs also 4 bytes an edge (8 with weights) and 8 bytes a vertex. */
enum qn_status qn_archive_write(const struct qn_container *container, const char *path, bool force,
                                int level, struct qn_error *error);

/* Write it, of a part too, to a file that never appears, in the folder of `path`, and let `judge`
 * look at it, which may keep a duplicate of the descriptor. */
enum qn_status qn_archive_write_aside(const struct qn_container *container, const char *path,
                                      int level,
                                      enum qn_status (*judge)(void *context, int descriptor,
                                                              struct qn_error *error),
                                      void *context, struct qn_error *error);

/* Write the plain form of `archive` to `path`. Each decoded section is compared with its checksum;
 * QN_INVALID names the section that is damaged.
 *
 * Memory, for each thread: 5 MiB. Graphs whose columns are kept by references take 8 bytes a vertex,
 * too. Slotted pages take 5 MiB or four pages, whichever is more; if
 * neither 1 MiB nor the page size is a multiple of the other, all pages are held in memory.
 * Undirected graphs take 8 MiB a thread (14 MiB with weights, 20 MiB with those of 8 bytes; more if
 * vertices have millions of edges), 8 bytes a vertex, and 2 bytes an edge (4 with weights, 6 with
 * those of 8 bytes). If the triangle is not cut into strips, an edge takes twice as much, a vertex
 * 8 bytes more, and each of up to 8 threads another 5 bytes a vertex. */
enum qn_status qn_archive_restore(const struct qn_container *archive, const char *path, bool force,
                                  struct qn_error *error);

/* The same; `judge` checks the result before it appears (qn_writer_commit_judged). */
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
