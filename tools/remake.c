/* quern-remake: a container made again, as its metadata says that it was made, and compared. */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "formats/set/set.h"
#include "support/output_stream.h"
#include "support/temp_file.h"
#include "support/tool.h"
#include "tools/recipe/making.h"
#include "tools/recipe/report.h"
#include <quern/open.h>
#include <quern/remote.h>

struct options {
  struct qn_tool_options shared;
  struct qn_memory_options memory;
  struct qn_sources sources;
  const char *file, *output;
};

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Keep the container that is made in FILE (default: compare it only)",
     1},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->memory;
    state->child_inputs[1] = &options->sources;
    state->child_inputs[2] = &options->shared;
    return 0;
  case 'o':
    if (qn_is_stream(argument))
      argp_error(state, "the container is written to a file");
    options->output = argument;
    return 0;
  case ARGP_KEY_ARG:
    if (options->file)
      argp_error(state, "one container at a time; '%s' is too much", argument);
    options->file = argument;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name a container");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Make a container again from its sources, by the steps that its metadata tells, and compare "
    "the two: their identities are the same if the version of Quern is, and else what they hold "
    "but for their metadata.\v"
    "The metadata of a container has the name, length and XXH3-128 of each file that it was made "
    "from; the files of --from, or of the working folder without it, are compared with these "
    "before they are read. Of a set its files are made again. quern-info --recipe "
    "prints the steps as a recipe, and quern-fetch follows it elsewhere.\n\n"
    "Exit status: 0 if what was made is the same; 1 if it differs; 2 for a wrong command line; 3 "
    "if a file is not the one that the container was made from; 4 if the metadata does not tell "
    "all of the steps; 5 if a file is not found; or that of a step that failed.\n\n"
    "Example:\n"
    "  quern-remake wiki-Vote.qrn --from downloads";

static enum qn_status read_recipe(const char *file, struct qn_recipe *recipe,
                                  struct qn_error *error) {
  char name[QN_RECIPE_NAME];
  struct qn_container *container;
  json_t *json = NULL;
  *recipe = (struct qn_recipe){0};
  if (qn_set_recognise(file)) {
    enum qn_status status = qn_recipe_of_set(file, qn_recipe_name_of(file, name), &json, error);
    if (status && !error->file[0])
      qn_error_in_file(error, file);
    return status ? status : qn_recipe_take(json, recipe, error);
  }
  enum qn_status status = qn_container_open(file, QN_MAP_ARCHIVE | QN_MAP_PARTS, &container, error);
  if (!status)
    status = qn_recipe_of(container, qn_recipe_name_of(file, name), &json, error);
  if (status && !error->file[0])
    qn_error_in_file(error, file);
  qn_container_unmap(container);
  return status ? status : qn_recipe_take(json, recipe, error);
}

static enum qn_status remake(const struct options *options, const struct qn_recipe *recipe,
                             struct qn_error *error) {
  char beside[PATH_MAX];
  struct qn_sources sources = options->sources;
  if (sources.num_from == 0)
    sources.from[sources.num_from++] = ".";
  snprintf(beside, sizeof beside, "%s/%s", qn_default_temp_folder(), recipe->name);
  const struct qn_recipe_job job = {.recipe = recipe,
                                    .sources = sources,
                                    .memory = options->memory,
                                    .shared = &options->shared,
                                    .output = options->output ? options->output : beside,
                                    .keep = options->output != NULL};
  struct qn_recipe_made made;
  enum qn_status status = qn_recipe_make(&job, &made, error);
  if (!status) {
    qn_recipe_report(&job, &made);
    status = qn_recipe_keep(&job, &made, error);
  }
  qn_recipe_made_end(&made);
  return status;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_memory_argp, 0, NULL, 0},
                                               {&qn_sources_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {argp_options, parse_option, "FILE", documentation,
                                   children,     NULL,         NULL};
  struct options options = {0};
  struct qn_recipe recipe;
  struct qn_error error;
  qn_tool_parse("quern-remake", &argp, argc, argv, &options, &options.shared);
  enum qn_status status = read_recipe(options.file, &recipe, &error);
  if (!status)
    status = remake(&options, &recipe, &error);
  qn_recipe_release(&recipe);
  return qn_tool_exit(status, &error);
}
