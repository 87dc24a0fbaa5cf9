/* A container made ready to run kernels on: mapped, checked, viewed. */
#ifndef QN_RUNTIME_SESSION_H
#define QN_RUNTIME_SESSION_H

#include <quern/ids.h>
#include <quern/layouts.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_session {
  struct qn_container *container;
  const struct qn_container_info *info;
  const struct qn_layout_operations *layout;
  void *view; /* of the layout, layout->view_bytes */
  struct qn_ids ids;
  uint32_t *order;     /* [V] vertex at each position of the original order; NULL: the same */
  uint32_t *positions; /* [V] the inverse; NULL: the same */
  double map_seconds;
  double validate_seconds;
};

/* Map `path` and check all that kernels rely on; with `trust` the contents are not checked (a
 * damaged file may then crash the process). Owned until qn_session_close. */
enum qn_status qn_session_open(const char *path, bool trust, struct qn_session *session,
                               struct qn_error *error);
/* A zeroed session is allowed. */
void qn_session_close(struct qn_session *session);

#ifdef __cplusplus
}
#endif
#endif
