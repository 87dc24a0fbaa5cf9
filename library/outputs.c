#include "library/outputs.h"

#include "library/session.h"

enum qn_status qn_output_begin(const char *path, struct qn_session **out, struct qn_error *error) {
  if (out)
    *out = NULL;
  if (out || path)
    return QN_OK;
  return qn_fail(error, QN_USAGE, "neither a path nor a session is asked for");
}

enum qn_status qn_session_of_output(struct qn_container *container, const char *path,
                                    struct qn_session **out, struct qn_error *error) {
  if (out && container) /* nobody else can have changed what has no name */
    return qn_session_take(container, path ? path : "(in memory)", !path, !path, out, error);
  qn_container_unmap(container);
  return QN_OK;
}

struct qn_memory_options qn_memory_options_of(const struct qn_job *job) {
  struct qn_job known;
  qn_sized_read(&known, sizeof known, job);
  return (struct qn_memory_options){.memory = known.memory, .tmpdir = known.tmpdir};
}
