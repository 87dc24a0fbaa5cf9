#include "tools/layout/making.h"

#include <stdlib.h>
#include <string.h>

#include "formats/container/figures.h"
#include <quern/layouts.h>
#include <quern/open.h>

/* "NAME=VALUE", or a switch's name; `text` is cut. */
static enum qn_status set_option(struct qn_layout_making *making, char *text,
                                 struct qn_error *error) {
  char *value = strchr(text, '=');
  if (value)
    *value++ = 0;
  const struct qn_setting *setting =
      making->builder.settings ? qn_setting_find(making->builder.settings, text) : NULL;
  return setting ? qn_setting_set(setting, &making->own, value, error)
                 : qn_fail(error, QN_USAGE, "%s has no option --%s", making->builder.tool, text);
}

static enum qn_status parse(char *text, struct qn_layout_making *making, struct qn_error *error) {
  const struct qn_builder *found;
  char *rest = text;
  enum qn_status status = qn_builder_named(strsep(&rest, ","), &found, error);
  if (status)
    return status;
  making->builder = qn_builder_with(found, &making->own);
  while (!status && rest)
    status = set_option(making, strsep(&rest, ","), error);
  return !status && making->builder.settle ? making->builder.settle(&making->own, error) : status;
}

static enum qn_status parse_copy(const char *text, struct qn_layout_making *making,
                                 struct qn_error *error) {
  char *words = strdup(text);
  enum qn_status status =
      words ? parse(words, making, error) : qn_fail(error, QN_SYSTEM, "no memory is left");
  free(words);
  return status;
}

enum { KEY_LAYOUT = 0x3701 };

static const struct argp_option options[] = {
    {"layout", KEY_LAYOUT, "LAYOUT[,OPTION=VALUE...]", 0,
     "Write blocked-csr, edge-partitions, hybrid, packed, shards or slotted-pages, as quern-block "
     "and its kin make them, by default with their options' defaults; with --block-vertices "
     "packed: each block is packed as it is made, so that no more than one lies there in plain "
     "rows",
     1},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_error error;
  if (key != KEY_LAYOUT)
    return ARGP_ERR_UNKNOWN;
  if (parse_copy(argument, state->input, &error))
    argp_error(state, "--layout: %s", error.message);
  return 0;
}

const struct argp qn_layout_making_argp = {options, parse_option, NULL, NULL, NULL, NULL, NULL};

enum qn_status qn_layout_making_check(const struct qn_layout_making *making, bool set,
                                      struct qn_error *error) {
  return set && making->builder.tool && making->builder.layout != QN_LAYOUT_PACKED
             ? qn_fail(error, QN_USAGE, "--layout is for one container: make the set, then %s it",
                       making->builder.tool)
             : QN_OK;
}

static enum qn_status describe(const struct qn_container *built, json_t *object,
                               struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(built);
  const struct qn_layout_operations *operations;
  json_t *figures = json_object();
  json_object_set_new(object, "layout", json_string(qn_layout_name(info->layout)));
  json_object_set_new(object, "bytes", json_integer((json_int_t)info->file_bytes));
  json_object_set_new(object, "layout_figures", figures);
  enum qn_status status = qn_layout_operations(built, &operations, error);
  return status ? status : operations->describe(built, figures, error);
}

enum qn_status qn_layout_making_build(const struct qn_layout_making *making,
                                      const struct qn_memory_options *memory,
                                      struct qn_container *graph, const char *path, bool replace,
                                      json_t *object, struct qn_error *error) {
  struct qn_source source = {0};
  struct qn_container *built = NULL;
  struct qn_memory_plan plan;
  enum qn_status status = qn_builder_plan(&making->builder, graph, memory, path, &plan, error);
  if (status) {
    qn_container_unmap(graph);
    return status;
  }
  status = qn_source_view(graph, &source, error);
  if (!status)
    status = qn_builder_run(&making->builder, &source, path, replace, &built, error);
  qn_source_close(&source);
  if (!status)
    status = describe(built, object, error);
  qn_container_unmap(built);
  return status;
}
