/* What comes out of a recipe, and whether it is what must come out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "converters/recipe/recipe.h"
#include <quern/metadata.h>

static void add(XXH3_state_t *state, uint64_t number) {
  XXH3_64bits_update(state, &number, sizeof number);
}

/* specs/recipe.md, "Content". */
static void add_sections(XXH3_state_t *state, const struct qn_container *container) {
  const struct qn_container_info *info = qn_container_info(container);
  const uint64_t numbers[] = {info->layout, info->weight_type, info->directedness,
                              info->num_vertices, info->num_edges};
  for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    add(state, numbers[i]);
  for (uint32_t i = 0; i < info->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    char name[32] = {0};
    if (strcmp(section->name, "metadata") == 0 || strcmp(section->name, "chunk_hashes") == 0)
      continue;
    memcpy(name, section->name, strlen(section->name));
    XXH3_64bits_update(state, name, sizeof name);
    add(state, section->count);
    add(state, section->checksum);
  }
}

static enum qn_status find_content(const struct qn_container *container, char text[QN_HASH_TEXT],
                                   struct qn_error *error) {
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return qn_fail_memory(error, "a hash", 0);
  XXH3_64bits_reset(state);
  add_sections(state, container);
  snprintf(text, QN_HASH_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(state));
  XXH3_freeState(state);
  return QN_OK;
}

enum qn_status qn_recipe_result_of(const struct qn_container *container,
                                   struct qn_recipe_result *result, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t identity = info->header_checksum;
  json_t *metadata = NULL;
  *result =
      (struct qn_recipe_result){.num_vertices = info->num_vertices, .num_edges = info->num_edges};
  enum qn_status status = info->incompatible_features & QN_FEATURE_ARCHIVE
                              ? qn_container_identity(container, &identity, error)
                              : QN_OK;
  if (!status)
    status = find_content(container, result->content, error);
  if (!status)
    status = qn_container_metadata(container, &metadata, error);
  if (status)
    return status;
  const char *version = json_string_value(json_object_get(metadata, "version"));
  snprintf(result->identity, QN_HASH_TEXT, "%016" PRIx64, identity);
  snprintf(result->version, sizeof result->version, "%s", version ? version : "");
  json_decref(metadata);
  return QN_OK;
}

json_t *qn_recipe_result_json(const struct qn_recipe_result *result) {
  return json_pack("{s:s, s:s*, s:s*, s:I, s:I}", "identity", result->identity, "version",
                   result->version[0] ? result->version : NULL, "content",
                   result->content[0] ? result->content : NULL, "vertices",
                   (json_int_t)result->num_vertices, "edges", (json_int_t)result->num_edges);
}

enum qn_status qn_recipe_compare(const struct qn_recipe *recipe,
                                 const struct qn_recipe_result *result, bool *known,
                                 struct qn_error *error) {
  const bool same_version = recipe->version && strcmp(recipe->version, result->version) == 0;
  const bool by_identity =
      recipe->identity && (same_version || !recipe->content || !result->content[0]);
  const char *found = by_identity ? result->identity : result->content;
  const char *expected = by_identity ? recipe->identity : recipe->content;
  *known = expected != NULL;
  if (!expected || strcmp(found, expected) == 0)
    return QN_OK;
  return qn_fail(error, QN_NEGATIVE,
                 "this is not what the recipe %s makes: the %s is %s; expected %s", recipe->name,
                 by_identity ? "identity" : "content", found, expected);
}
