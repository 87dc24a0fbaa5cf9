/* Other layouts from sessions. */
#include <quern/build.h>

#include <string.h>

#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include "partitioner/builders.h"
#include "support/used_files.h"

struct building {
  struct qn_session *session;
  const char *layout;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  struct qn_memory_options memory;
  struct qn_session **out;
  bool replace;
  union qn_builder_options options;
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct building, replace)}, {0}};

static enum qn_status run_builder(struct building *building, const struct qn_builder *builder,
                                  struct qn_error *error) {
  struct qn_session *session = building->session;
  struct qn_container *container = NULL;
  struct qn_memory_plan plan;
  bool wanted = building->out || !building->path;
  enum qn_status status = qn_input_kept(building->path, session->path, error);
  if (!status)
    status = qn_builder_plan(builder, session->container, &building->memory, building->path, &plan,
                             error);
  if (!status)
    status = qn_session_ensure_graph(session, QN_VERIFY_ALL, error);
  struct qn_source source = {.graph = session->graph};
  source.graph.container = session->container;
  if (!status)
    status = qn_builder_run(builder, &source, building->path, building->replace,
                            wanted ? &container : NULL, error);
  if (status || !wanted)
    return status;
  return qn_session_of_output(container, building->path, building->out, error);
}

static enum qn_status build(void *argument, struct qn_error *error) {
  struct building *building = argument;
  const struct qn_builder *found;
  enum qn_status status = qn_builder_named(building->layout, &found, error);
  if (status)
    return status;
  const struct qn_builder builder = qn_builder_with(found, &building->options);
  const struct qn_settings settings[] = {
      {builder.settings, &building->options}, {output_settings, building}, {0}};
  status = qn_options_apply(building->given, building->num_given, settings, error);
  if (!status && builder.settle)
    status = builder.settle(&building->options, error);
  return status ? status : run_builder(building, &builder, error);
}

enum qn_status qn_session_build(struct qn_session *session, const char *layout,
                                const struct qn_option *options, uint64_t num_options,
                                const char *path, const struct qn_job *job, struct qn_session **out,
                                struct qn_error *error) {
  struct building building = {.session = session,
                              .layout = layout,
                              .given = options,
                              .num_given = num_options,
                              .path = path,
                              .memory = qn_memory_options_of(job),
                              .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, build, &building, error);
}
