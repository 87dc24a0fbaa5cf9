/* Archives on servers, of which the frames come that are needed. */
#pragma once

#include <quern/container.h>

/* The plain form of an archive on a server, whose chunks are decoded when they are needed, each
 * from its own frame, and compared with their hashes. Then it owns `*archive`, which becomes NULL.
 * `*out` is NULL if that cannot be: of undirected graphs, where a row is in many frames, of slotted
 * pages, and from servers without ranges. */
enum qn_status qn_archive_open_by_parts(struct qn_container **archive, struct qn_container **out,
                                        struct qn_error *error);
