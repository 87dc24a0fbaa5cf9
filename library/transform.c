/* Transformed graphs. */
#include "converters/graph/graph_source.h"
#include "converters/partition/run.h"
#include "converters/transform/run.h"
#include "formats/temporal/between.h"
#include "formats/temporal/index_time.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include "support/used_files.h"
#include <quern/build.h>

struct transforming {
  struct qn_session *session;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  struct qn_memory_options memory;
  struct qn_session **out;
  bool replace;
  bool induced; /* by these vertices */
  const uint32_t *vertices;
  uint64_t num_vertices;
  struct qn_transform_options options;
  struct qn_partition_options partition; /* in place of steps */
  struct qn_between between;             /* before all steps */
  struct qn_index_options index;         /* in place of steps */
  struct qn_graph_source picked;         /* the edges of that time; zeroed: all */
  struct qn_memory_plan plan;            /* has the name of the folder for temporary files */
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct transforming, replace)}, {0}};

static enum qn_status choose_vertices(struct transforming *transforming, struct qn_error *error) {
  struct qn_part_choice *part = &transforming->options.part;
  if (part->part != QN_PART_ALL)
    return qn_fail(error, QN_USAGE, "the part is said twice: by vertices, and by an option");
  part->part = QN_PART_INDUCED;
  part->vertices = transforming->vertices;
  part->num_vertices = transforming->num_vertices;
  return QN_OK;
}

/* A partition is of a graph as it is. */
static enum qn_status settle(struct transforming *transforming, struct qn_error *error) {
  const struct qn_partition_options *partition = &transforming->partition;
  enum qn_status status = qn_transform_options_settle(&transforming->options, error);
  if (!status)
    status = qn_partition_options_settle(&transforming->partition, error);
  if (!status)
    status = qn_between_settle(&transforming->between, error);
  const bool indexes = transforming->index.property != NULL;
  if (status || !(partition->num_parts || indexes))
    return status;
  if (indexes && (partition->num_parts || transforming->induced ||
                  qn_transform_options_are_any(&transforming->options) ||
                  qn_between_is_asked(&transforming->between)))
    return qn_fail(error, QN_USAGE,
                   "--index-time is of a container as it is: take other steps before it");
  if (qn_transform_options_are_any(&transforming->options) ||
      qn_between_is_asked(&transforming->between))
    return qn_fail(error, QN_USAGE,
                   "--partition divides a graph as it is: take other steps before it or after it");
  return QN_OK;
}

static enum qn_status plan(struct transforming *transforming, struct qn_error *error) {
  const struct qn_container *container = transforming->session->container;
  if (transforming->partition.num_parts)
    return qn_partition_plan(&transforming->partition, container, &transforming->memory,
                             transforming->path, &transforming->plan, error);
  return qn_transform_plan(&transforming->options, container, &transforming->memory,
                           transforming->path, &transforming->plan, error);
}

static enum qn_status pick(struct transforming *transforming, struct qn_error *error) {
  struct qn_container *made;
  enum qn_status status =
      qn_between_pick(&transforming->between, transforming->session->container, true, &made, error);
  return status ? status : qn_graph_source_take(made, &transforming->picked, error);
}

static enum qn_status prepare(struct transforming *transforming, struct qn_error *error) {
  const struct qn_settings settings[] = {{qn_transform_settings, &transforming->options},
                                         {qn_part_settings, &transforming->options.part},
                                         {qn_partition_settings, &transforming->partition},
                                         {qn_between_settings, &transforming->between},
                                         {qn_index_settings, &transforming->index},
                                         {output_settings, transforming},
                                         {0}};
  struct qn_session *session = transforming->session;
  qn_transform_options_begin(&transforming->options);
  enum qn_status status =
      qn_options_apply(transforming->given, transforming->num_given, settings, error);
  if (!status && transforming->induced)
    status = choose_vertices(transforming, error);
  if (!status)
    status = settle(transforming, error);
  if (!status)
    status = qn_input_kept(transforming->path, session->path, error);
  if (!status)
    status = qn_input_kept(transforming->path, transforming->options.part.file, error);
  if (!status)
    status = qn_input_kept(transforming->path, transforming->options.transform.relabel_file, error);
  if (!status)
    status = qn_input_kept(transforming->path, transforming->partition.file, error);
  if (!status)
    status = plan(transforming, error);
  if (!status)
    status = qn_session_ensure_graph(session, QN_VERIFY_ALL, error);
  return status || !qn_between_is_asked(&transforming->between) ? status
                                                                : pick(transforming, error);
}

static enum qn_status make(const struct transforming *transforming, struct qn_container **out,
                           struct qn_error *error) {
  const struct qn_session *session = transforming->session;
  struct qn_transform_report report;
  struct qn_partition_report partitioned;
  if (transforming->partition.num_parts)
    return qn_partition_run(&transforming->partition, session->container, &session->graph,
                            transforming->path, transforming->replace, &partitioned, out, error);
  if (transforming->index.property)
    return qn_index_time(&transforming->index, session->container, transforming->path,
                         transforming->replace, out, error);
  const bool picked = transforming->picked.container != NULL;
  enum qn_status status = qn_transform_run(
      &transforming->options, picked ? transforming->picked.container : session->container,
      picked ? &transforming->picked.graph : &session->graph, "libquern", transforming->path,
      transforming->replace, &report, out, error);
  json_decref(report.provenance);
  return status;
}

static enum qn_status transform(void *argument, struct qn_error *error) {
  struct transforming *transforming = argument;
  struct qn_container *container = NULL;
  bool wanted = transforming->out || !transforming->path;
  enum qn_status status = prepare(transforming, error);
  if (!status)
    status = make(transforming, wanted ? &container : NULL, error);
  qn_graph_source_close(&transforming->picked);
  if (status || !wanted)
    return status;
  return qn_session_of_output(container, transforming->path, transforming->out, error);
}

enum qn_status qn_session_transform(struct qn_session *session, const struct qn_option *options,
                                    uint64_t num_options, const char *path,
                                    const struct qn_job *job, struct qn_session **out,
                                    struct qn_error *error) {
  struct transforming transforming = {.session = session,
                                      .given = options,
                                      .num_given = num_options,
                                      .path = path,
                                      .memory = qn_memory_options_of(job),
                                      .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, transform, &transforming, error);
}

enum qn_status qn_session_subgraph(struct qn_session *session, const uint32_t *vertices,
                                   uint64_t num_vertices, const struct qn_option *options,
                                   uint64_t num_options, const char *path, const struct qn_job *job,
                                   struct qn_session **out, struct qn_error *error) {
  struct transforming transforming = {.session = session,
                                      .given = options,
                                      .num_given = num_options,
                                      .path = path,
                                      .memory = qn_memory_options_of(job),
                                      .out = out,
                                      .induced = true,
                                      .vertices = vertices,
                                      .num_vertices = num_vertices};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, transform, &transforming, error);
}
