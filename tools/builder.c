#include "tools/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/container/figures.h"
#include "formats/set/set.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/text/terminal.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/set_report.h"
#include "tools/striping.h"
#include <quern/layouts.h>
#include <quern/open.h>

enum qn_status qn_names_device(const char *value, bool *is_device, uint64_t *index,
                               struct qn_error *error) {
  static const char word[] = "device";
  const char *rest = value + strlen(word);
  *index = 0;
  *is_device = strncmp(value, word, strlen(word)) == 0 && (*rest == ':' || *rest == 0);
  return *is_device && *rest == ':' ? qn_whole_parse(rest + 1, 0, INT32_MAX, index, error) : QN_OK;
}

struct options {
  struct qn_builder builder;
  qn_option_reader *read;
  union qn_builder_options own;
  struct qn_striping_options stripes;
  struct qn_memory_options memory;
  struct qn_tool_options shared;
  const char *input;
  const char *output;
};

static const struct argp_option common_table[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE, - for standard output", 0}, {0}};

/* The layout's options. */
static error_t parse_own(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_error error;
  char text[QN_OPTION_TEXT];
  const char *value = argument;
  const struct qn_setting *setting = qn_setting_of_key(options->builder.settings, key);
  if (setting && options->read && value &&
      !(value = options->read(setting->name, value, text, &error)))
    exit(qn_tool_exit(error.status, &error));
  if (key == ARGP_KEY_END && options->builder.settle &&
      options->builder.settle(&options->own, &error))
    argp_error(state, "%s", error.message);
  return setting ? qn_setting_parse(setting, value, state, &options->own) : ARGP_ERR_UNKNOWN;
}

static error_t parse_common(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = options;
    state->child_inputs[1] = &options->stripes;
    state->child_inputs[2] = &options->memory;
    state->child_inputs[3] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case ARGP_KEY_ARG:
    if (options->input)
      argp_error(state, "one graph at a time");
    options->input = argument;
    return 0;
  case ARGP_KEY_END:
    if (!options->input)
      argp_error(state, "name a graph container");
    if (!options->output)
      argp_error(state, "name the output with -o FILE");
    qn_tool_check_output(&options->shared, options->output, state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static enum qn_status describe(const struct qn_container *container, double seconds, json_t *object,
                               struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_layout_operations *operations;
  json_t *figures = json_object();
  json_object_set_new(object, "layout", json_string(qn_layout_name(info->layout)));
  json_object_set_new(object, "vertices", json_integer((json_int_t)info->num_vertices));
  json_object_set_new(object, "edges", json_integer((json_int_t)info->num_edges));
  json_object_set_new(object, "bytes", json_integer((json_int_t)info->file_bytes));
  json_object_set_new(object, "seconds", json_real(seconds));
  json_object_set_new(object, "layout_figures", figures);
  enum qn_status status = qn_layout_operations(container, &operations, error);
  return status ? status : operations->describe(container, figures, error);
}

/* The figures of the finished container, and how its size compares with plain CSR. */
static enum qn_status report(const struct options *options, const struct qn_memory_plan *plan,
                             const struct qn_container *container, double seconds, json_t *steps,
                             struct qn_error *error) {
  json_t *object = json_object();
  enum qn_status status = describe(container, seconds, object, error);
  if (json_object_size(steps) > 0)
    json_object_set(object, "seconds_of_steps", steps);
  if (!status && options->shared.json) {
    json_object_set_new(object, "output", qn_json_text(options->output));
    json_object_set_new(object, "estimate", qn_memory_plan_json(plan));
    qn_tool_print_json(json_incref(object));
  } else if (!status && !options->shared.quiet) {
    const struct qn_container_info *info = qn_container_info(container);
    char edges[QN_EDGES_TEXT];
    json_object_set_new(
        object, "edges",
        json_string(qn_edges_text(info->directedness, info->num_edges,
                                  qn_undirected_edges(container, info->num_edges), edges)));
    qn_figures_print(object, qn_terminal_width(), qn_beside_output(options->output));
  }
  json_decref(object);
  return status;
}

static enum qn_status open_source(const struct options *options, struct qn_memory_plan *plan,
                                  struct qn_source *source, struct qn_error *error) {
  struct qn_container *container;
  enum qn_status status = qn_container_open(options->input, 0, &container, error);
  if (!status)
    status = qn_builder_plan(&options->builder, container, &options->memory, options->output, plan,
                             error);
  if (!status)
    return qn_source_view(container, source, error);
  qn_container_unmap(container);
  return status;
}

static enum qn_status build(const struct options *options, struct qn_error *error) {
  json_t *steps = json_object();
  struct qn_source source = {0};
  struct qn_container *built = NULL;
  struct qn_memory_plan plan;
  double begin = qn_seconds();
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status && options->stripes.striping.num_folders)
    status = qn_striping_check(&options->stripes.striping, options->output, options->shared.force,
                               error);
  if (!status)
    status = open_source(options, &plan, &source, error);
  source.steps = steps;
  if (!status)
    status = qn_builder_run(&options->builder, &source, options->output, options->shared.force,
                            &built, error);
  if (!status)
    status = qn_striping_replace(&options->stripes, built, options->output, options->shared.force,
                                 error);
  qn_source_close(&source);
  if (!status && (options->shared.json || !options->shared.quiet)) /* which looks at the sections */
    status = report(options, &plan, built, qn_seconds() - begin, steps, error);
  json_decref(steps);
  qn_container_unmap(built);
  return status;
}

/* ---- Sets ------------------------------------------------------------------ */

enum qn_status qn_build_part(void *user, struct qn_container *part, const char *path,
                             struct qn_container **out, struct qn_error *error) {
  const struct qn_part_building *building = user;
  struct qn_source source = {0};
  struct qn_memory_plan plan;
  enum qn_status status =
      qn_builder_plan(&building->builder, part, &building->memory, path, &plan, error);
  if (status) {
    qn_container_unmap(part);
    return status;
  }
  status = qn_source_view(part, &source, error);
  if (!status)
    status = qn_builder_run(&building->builder, &source, path, false, out, error);
  qn_source_close(&source);
  return status;
}

static enum qn_status build_set(struct options *options, struct qn_error *error) {
  struct qn_part_building building = {options->builder, options->memory};
  struct qn_set *set = NULL;
  double begin = qn_seconds();
  if (options->stripes.striping.num_folders)
    return qn_fail(error, QN_USAGE, "--stripe is for one container, and %s is a set",
                   options->input);
  enum qn_status status = qn_input_kept(options->output, options->input, error);
  if (!status)
    status =
        qn_set_rebuild(options->input, options->builder.layout, qn_build_part, &building,
                       options->builder.tool, options->output, options->shared.force, &set, error);
  if (!status)
    qn_set_report(set, options->output, qn_seconds() - begin, &options->shared);
  qn_set_close(set);
  return status;
}

int qn_builder_main(enum qn_layout layout, qn_option_reader *read, const char *documentation,
                    int argc, char **argv) {
  struct argp own = qn_settings_argp(qn_builder_find(layout)->settings);
  own.parser = parse_own;
  const struct argp_child children[] = {{&own, 0, NULL, 0},
                                        {&qn_striping_argp, 0, NULL, 0},
                                        {&qn_memory_argp, 0, NULL, 0},
                                        {&qn_tool_output_argp, 0, NULL, 0},
                                        {0}};
  const struct argp argp = {common_table, parse_common, "GRAPH -o FILE", documentation, children,
                            NULL,         NULL};
  struct options options = {.read = read};
  struct qn_error error;
  options.builder = qn_builder_with(qn_builder_find(layout), &options.own);
  qn_tool_parse(options.builder.tool, &argp, argc, argv, &options, &options.shared);
  qn_tool_spare_threads(&options.shared, &options.input, 1, QN_FEW_BYTES, qn_stripes_recognise);
  qn_outputs_hold();
  const bool in_parts = qn_set_recognise(options.input) && !qn_set_has_generations(options.input);
  return qn_tool_exit(in_parts ? build_set(&options, &error) : build(&options, &error), &error);
}
