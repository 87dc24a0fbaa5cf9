#include "runtime/session.h"

#include "support/memory.h"
#include "support/threads.h"
#include <quern/open.h>

/* The original order and its inverse, where they are not the vertex order. */
static enum qn_status find_order(struct qn_session *session, struct qn_error *error) {
  uint64_t num_vertices = session->info->num_vertices;
  enum qn_status status = qn_ids_original_order(&session->ids, &session->order, error);
  if (status || !session->order)
    return status;
  status = qn_pages_alloc(&session->positions, num_vertices, sizeof *session->positions,
                          "positions in original order", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t position = 0; position < num_vertices; position++)
    session->positions[session->order[position]] = (uint32_t)position;
  return QN_OK;
}

static enum qn_status view_container(struct qn_session *session, struct qn_error *error) {
  enum qn_status status = qn_layout_operations(session->container, &session->layout, error);
  if (status)
    return status;
  if (!session->layout->view)
    return qn_fail(error, QN_UNSUPPORTED, "this build has no kernels for the layout %s",
                   session->layout->name);
  status = qn_alloc_zeroed(&session->view, 1, session->layout->view_bytes, "view", error);
  if (!status)
    status = session->layout->view(session->container, session->view, error);
  if (!status)
    status = qn_ids_view(session->container, &session->ids, error);
  return status;
}

enum qn_status qn_session_open(const char *path, bool trust, struct qn_session *session,
                               struct qn_error *error) {
  *session = (struct qn_session){.trusted = trust};
  double begin = qn_seconds();
  enum qn_status status = qn_container_open(path, 0, &session->container, error);
  if (status)
    return status;
  session->info = qn_container_info(session->container);
  status = view_container(session, error);
  session->map_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status && !trust)
    status = qn_container_confirm(session->container,
                                  session->layout->check(session->container, session->view, error),
                                  qn_container_verify_structure, error);
  if (!status)
    status = find_order(session, error);
  session->validate_seconds = qn_seconds() - begin;
  if (status)
    qn_session_close(session);
  return status;
}

void qn_session_close(struct qn_session *session) {
  uint64_t num_vertices = session->info ? session->info->num_vertices : 0;
  qn_pages_free(session->order, num_vertices, sizeof *session->order);
  qn_pages_free(session->positions, num_vertices, sizeof *session->positions);
  qn_free(session->view);
  qn_container_unmap(session->container);
  *session = (struct qn_session){0};
}
