/* Files of a cache in the user's own folder: XDG_CACHE_HOME/quern, or ~/.cache/quern. They are
 * sparse, filled by and by, and no proof of anything: what is read from one is verified as if it
 * came from the server. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Open the file `name` of `bytes` bytes, holes if it is new, for reading and writing; several
 * processes may. Those that were not used for longest go until QUERN_CACHE_SIZE, or 16 GiB, is
 * enough for what is there. A file that others than this user could write, or have, is not used:
 * then, with a size of 0 and where nothing can be written, it is one without a name (temp_file.h).
 */
enum qn_status qn_cache_open(const char *name, uint64_t bytes, int *descriptor,
                             struct qn_error *error);
/* The same of a file that is there already, and how long it is; -1: there is none. */
int qn_cache_find(const char *name, uint64_t *bytes);
/* The file `name` is called `other` from now on, if it can be. */
void qn_cache_rename(const char *name, const char *other);
/* Takes the descriptor. */
void qn_cache_close(int descriptor);
