/* Containers by the names that users give: files, members of bundles, or the folders of sets. */
#ifndef QUERN_OPEN_H
#define QUERN_OPEN_H

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As qn_container_map, also for "-", which is standard input, and for "BUNDLE:MEMBER" where no file
 * has that name and BUNDLE is a bundle. With QN_MAP_ARCHIVE the member is mapped where it lies.
 * Without it the member is restored whole, with all checks, to a file without a name in the folder
 * TMPDIR (or /tmp), which is gone when the container is unmapped or the process ends in any way:
 * this needs the disk space of the plain container, and the time of `quern-archive extract`. The
 * graph of a set is assembled in such a file, too. */
enum qn_status qn_container_open(const char *path, unsigned flags, struct qn_container **out,
                                 struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
