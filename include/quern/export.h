/* Files for other systems, archives, and what this build knows. */
#ifndef QUERN_EXPORT_H
#define QUERN_EXPORT_H

#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write the graph of a session of any layout to `path` in the format with that name, "edges",
 * "csv", "matrix-market", ...; NULL: the format for the ending of `path`, as in quern-export.
 * Further options are those of quern-export: "both-directions", "header", "strict", "record",
 * "parts", "force". Some formats, and "parts", make a folder. What the format does not keep of this
 * graph is reported by notices of the job. QN_UNSUPPORTED if it cannot hold the graph. */
enum qn_status qn_session_export(struct qn_session *session, const char *format,
                                 const struct qn_option *options, uint64_t num_options,
                                 const char *path, const struct qn_job *job,
                                 struct qn_error *error);

/* Write the container itself to `path`, in its plain form or, with the option "archive", in archive
 * form ("level", 1 to 19; 6 by default). This works for a container in memory, too. Option "force".
 */
enum qn_status qn_session_save(struct qn_session *session, const struct qn_option *options,
                               uint64_t num_options, const char *path, const struct qn_job *job,
                               struct qn_error *error);

enum qn_list {
  QN_LIST_ALGORITHMS = 1, /* as quern-run --list --json; "uses": the options that not all have */
  QN_LIST_FORMATS = 2,    /* as quern-export --formats --json */
  QN_LIST_LAYOUTS = 3,    /* that qn_session_build makes, with the options of each */
  QN_LIST_OPTIONS = 4,    /* of "import", "transform", "run", "export", "generate" */
};

/* What this build knows, as JSON. Free it with qn_text_free. */
enum qn_status qn_list(enum qn_list what, char **json, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
