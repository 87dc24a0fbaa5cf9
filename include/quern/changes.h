/* Changes to a graph that is not written again (docs/changes.md): sets of generations, each of
 * which holds what is new. qn_session_open opens such a set as the graph that it is, and "FOLDER@G"
 * as it was after generation G. */
#ifndef QUERN_CHANGES_H
#define QUERN_CHANGES_H

#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make one generation more: of a container or a set at `base`, in a new folder `path` beside it; of
 * a set with generations in its own folder, if that is `path`. The base is never written, and the
 * generation is there whole or not at all. Options are "append" and "remove", files in any format
 * that qn_import_files reads, each of which may be given several times; "append-vertices", a table;
 * "strict"; and "force". `*json` (NULL: not wanted), which is freed by qn_text_free, is what
 * quern-transform --json says. QN_INVALID for what does not fit the graph, and for a base that is
 * damaged or another; QN_SYSTEM while another process changes the set. */
enum qn_status qn_changes_append(const char *base, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 char **json, struct qn_error *error);

/* The generations of a set, as JSON: {"base": {"name", "identity"}, "log": [{"generation",
 * "vertices", "edges", "added", "removed", "missing", "new_vertices", "bytes", "metadata"}]}; an
 * empty log for any other container. Free it with qn_text_free. */
enum qn_status qn_changes_describe(const char *path, char **json, struct qn_error *error);

/* One container of a base and its generations: what an import of all edges gives. `path` and `out`
 * are as in import.h; the only option is "force". */
enum qn_status qn_changes_compact(const char *set, const struct qn_option *options,
                                  uint64_t num_options, const char *path, const struct qn_job *job,
                                  struct qn_session **out, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
