/* What this build knows. */
#include <jansson.h>

#include "converters/build_settings.h"
#include "converters/export/export.h"
#include "converters/format.h"
#include "converters/generate/run.h"
#include "converters/import/options.h"
#include "converters/partition/options.h"
#include "converters/transform/run.h"
#include "kernels/cuda/device/device.h"
#include "library/call.h"
#include "library/session.h"
#include "partitioner/builders.h"
#include "runtime/inputs.h"
#include "runtime/list.h"
#include "runtime/options.h"
#include <quern/export.h>

/* {"katz": ["alpha", ...]} */
static json_t *list_uses(void) {
  json_t *uses = json_object();
  for (const struct qn_algorithm *const *algorithm = qn_algorithms(); *algorithm; algorithm++) {
    json_t *names = json_array();
    for (const struct qn_input_option *option = qn_input_options; option->name; option++)
      if (option->inputs & (*algorithm)->inputs)
        json_array_append_new(names, json_string(option->name));
    for (uint32_t i = 0; i < (*algorithm)->num_parameters; i++)
      json_array_append_new(names, json_string((*algorithm)->parameters[i].name));
    json_object_set_new(uses, (*algorithm)->name, names);
  }
  return uses;
}

/* Also those of devices, if there is one. */
static json_t *list_algorithms(void) {
  int devices;
  qn_cuda_count(&devices, NULL);
  json_t *list = qn_kernel_list();
  json_object_set_new(list, "uses", list_uses());
  return list;
}

static json_t *list_layouts(void) {
  json_t *list = json_array();
  for (const struct qn_builder *builder = qn_builders; builder->tool; builder++) {
    json_t *options = json_array();
    qn_settings_list(builder->settings, options);
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:o}", "layout", qn_layout_name(builder->layout),
                                    "tool", builder->tool, "options", options));
  }
  return json_pack("{s:o}", "layouts", list);
}

static void add_settings(json_t *object, const char *call, const struct qn_setting *first,
                         const struct qn_setting *second) {
  json_t *list = json_array();
  qn_settings_list(first, list);
  if (second)
    qn_settings_list(second, list);
  json_object_set_new(object, call, list);
}

static json_t *list_options(void) {
  json_t *object = json_object();
  add_settings(object, "import", qn_import_settings, qn_build_settings);
  add_settings(object, "transform", qn_part_settings, qn_transform_settings);
  qn_settings_list(qn_partition_settings, json_object_get(object, "transform"));
  add_settings(object, "run", qn_run_settings, qn_place_settings);
  add_settings(object, "export", qn_export_settings, NULL);
  add_settings(object, "generate", qn_generate_settings, qn_build_settings);
  return object;
}

struct listing {
  enum qn_list what;
  char **json;
};

static enum qn_status list(void *argument, struct qn_error *error) {
  static json_t *(*const lists[])(void) = {[QN_LIST_ALGORITHMS] = list_algorithms,
                                           [QN_LIST_FORMATS] = qn_formats_json,
                                           [QN_LIST_LAYOUTS] = list_layouts,
                                           [QN_LIST_OPTIONS] = list_options};
  const struct listing *listing = argument;
  return qn_text_of_json(lists[listing->what](), listing->json, error);
}

enum qn_status qn_list(enum qn_list what, char **json, struct qn_error *error) {
  struct listing listing = {what, json};
  *json = NULL;
  if (what < QN_LIST_ALGORITHMS || what > QN_LIST_OPTIONS)
    return qn_fail(error, QN_USAGE, "there is no list %d", (int)what);
  return qn_call(NULL, list, &listing, error);
}
