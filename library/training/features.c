/* Features: rows of the properties of sessions. */
#include <quern/features.h>

#include <string.h>

#include "formats/properties/row_source.h"
#include "library/call.h"
#include "library/session.h"
#include "library/sized.h"
#include "support/memory.h"

/* Threads that wait for a disk. */
#define WAITING_THREADS 32
/* So many bytes take less time than giving them to others. */
#define FEW_BYTES ((uint64_t)1 << 18)

struct qn_features {
  struct qn_session *session;
  struct qn_row_source source;
};

static enum qn_status find(const struct qn_features_shape *shape, struct qn_property_array *found,
                           struct qn_error *error) {
  uint64_t counts[2];
  enum qn_status status = qn_session_properties(shape->session, &counts[0], &counts[1], error);
  for (uint64_t i = 0; i < counts[shape->of_edges] && !status; i++) {
    status = qn_session_property(shape->session, shape->of_edges, i, found, error);
    if (status || strcmp(found->name, shape->name) != 0)
      continue;
    return found->offsets ? qn_fail(error, QN_USAGE, "the property '%s' is of texts", shape->name)
                          : QN_OK;
  }
  return status ? status
                : qn_fail(error, QN_USAGE, "%s have no property '%s'",
                          shape->of_edges ? "edges" : "vertices", shape->name);
}

enum qn_status qn_features_open(const struct qn_features_shape *given, struct qn_features **out,
                                struct qn_error *error) {
  struct qn_features_shape shape;
  struct qn_property_array found = {.size = sizeof found};
  *out = NULL;
  qn_sized_read(&shape, sizeof shape, given);
  if (!shape.session || !shape.name)
    return qn_fail(error, QN_USAGE, "features are a session's, and have a name");
  enum qn_status status = find(&shape, &found, error);
  if (!status)
    status = qn_alloc_zeroed(out, 1, sizeof **out, "features", error);
  if (status)
    return status;
  status = qn_row_source_create(&(*out)->source, found.values, found.count,
                                found.dimension * qn_type_bytes(found.type), 0, shape.from_file,
                                shape.cache_bytes, error);
  if (status) {
    qn_row_source_destroy(&(*out)->source);
    qn_free(*out);
    *out = NULL;
    return status;
  }
  (*out)->session = qn_session_refer(shape.session);
  return QN_OK;
}

void qn_features_close(struct qn_features *features) {
  if (!features)
    return;
  qn_row_source_destroy(&features->source);
  qn_session_close(features->session);
  qn_free(features);
}

/* ---- Gathering ------------------------------------------------------------- */

struct gathering {
  struct qn_features *features;
  const int64_t *numbers;
  uint64_t count;
  void *out;
  bool alone; /* by the calling thread, to which nothing is handed over */
};

static enum qn_status gather(void *argument, struct qn_error *error) {
  const struct gathering *gathering = argument;
  struct qn_row_source *source = &gathering->features->source;
  enum qn_status status =
      gathering->alone
          ? qn_rows_copy(source, gathering->numbers, gathering->count, gathering->out, error)
          : qn_rows_gather(source, gathering->numbers, gathering->count, gathering->out, error);
  return status ? status : qn_container_unchanged(gathering->features->session->container, error);
}

enum qn_status qn_features_gather(struct qn_features *features, const int64_t *numbers,
                                  uint64_t count, const struct qn_job *given, void *out,
                                  struct qn_error *error) {
  struct gathering gathering = {features, numbers, count, out, false};
  struct qn_job job;
  qn_sized_read(&job, sizeof job, given);
  job.size = sizeof job;
  const bool reads = features->source.descriptor >= 0;
  const bool few = count <= FEW_BYTES / (features->source.row_bytes + 1);
  if (!count)
    return QN_OK;
  gathering.alone = !reads && (job.threads == 1 || (!job.threads && few));
  if (gathering.alone)
    return gather(&gathering, error);
  job.threads = !job.threads && reads ? WAITING_THREADS : job.threads;
  return qn_call(&job, gather, &gathering, error);
}

void qn_features_info(const struct qn_features *features, struct qn_features_info *out) {
  const struct qn_row_source *source = &features->source;
  const struct qn_features_info info = {
      .num_rows = source->num_rows,
      .row_bytes = source->row_bytes,
      .how = source->descriptor < 0 ? "memory"
             : source->ring         ? "io_uring"
                                    : "pread",
      .cache_bytes = qn_row_cache_bytes(&source->cache),
      .rows_found = source->found,
      .rows_read = source->read,
      .bytes_read = source->bytes,
  };
  qn_sized_copy(out, &info, sizeof info);
}
