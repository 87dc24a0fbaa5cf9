#include "tools/import/layout.h"

#include <stdlib.h>
#include <string.h>

#include "formats/container/figures.h"
#include <quern/layouts.h>
#include <quern/open.h>

/* "NAME=VALUE", or a switch's name; `text` is cut. */
static enum qn_status set_option(struct qn_import_layout *layout, char *text,
                                 struct qn_error *error) {
  char *value = strchr(text, '=');
  if (value)
    *value++ = 0;
  const struct qn_setting *setting =
      layout->builder.settings ? qn_setting_find(layout->builder.settings, text) : NULL;
  return setting ? qn_setting_set(setting, &layout->own, value, error)
                 : qn_fail(error, QN_USAGE, "%s has no option --%s", layout->builder.tool, text);
}

static enum qn_status parse(char *text, struct qn_import_layout *layout, struct qn_error *error) {
  const struct qn_builder *found;
  char *rest = text;
  enum qn_status status = qn_builder_named(strsep(&rest, ","), &found, error);
  if (status)
    return status;
  layout->builder = qn_builder_with(found, &layout->own);
  while (!status && rest)
    status = set_option(layout, strsep(&rest, ","), error);
  return !status && layout->builder.settle ? layout->builder.settle(&layout->own, error) : status;
}

enum qn_status qn_import_layout_parse(const char *text, struct qn_import_layout *layout,
                                      struct qn_error *error) {
  char *words = strdup(text);
  enum qn_status status =
      words ? parse(words, layout, error) : qn_fail(error, QN_SYSTEM, "no memory is left");
  free(words);
  return status;
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

enum qn_status qn_import_layout_build(const struct qn_import_layout *layout,
                                      const struct qn_memory_options *memory,
                                      struct qn_container *graph, const char *path, bool replace,
                                      json_t *object, struct qn_error *error) {
  struct qn_source source = {0};
  struct qn_container *built = NULL;
  struct qn_memory_plan plan;
  enum qn_status status = qn_builder_plan(&layout->builder, graph, memory, path, &plan, error);
  if (status) {
    qn_container_unmap(graph);
    return status;
  }
  status = qn_source_view(graph, &source, error);
  if (!status)
    status = qn_builder_run(&layout->builder, &source, path, replace, &built, error);
  qn_source_close(&source);
  if (!status)
    status = describe(built, object, error);
  qn_container_unmap(built);
  return status;
}
