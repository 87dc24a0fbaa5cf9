/* Recipes (specs/recipe.md): how a container is made of public files. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>

struct qn_recipe_file {
  const char *name;
  const json_t *urls;            /* NULL: none */
  uint64_t bytes;                /* 0: it does not say */
  const char *sha256, *xxh3_128; /* NULL: it does not say */
};

struct qn_recipe_step {
  const char *tool;
  const char *name;               /* of what it makes; NULL: none */
  const json_t *inputs, *options; /* NULL: none */
  const char *identity;           /* NULL: it does not say */
};

struct qn_recipe {
  json_t *json; /* all that follows is in it */
  const char *name;
  bool tested;
  struct qn_recipe_file *files;
  uint64_t num_files;
  struct qn_recipe_step *steps;
  uint64_t num_steps;
  const char *identity, *version, *content; /* of what must come out; NULL: it does not say */
};

/* Check the text of a recipe by every rule. QN_INVALID names the first that is broken,
 * QN_UNSUPPORTED is of a newer version. Owned until release. */
enum qn_status qn_recipe_parse(const char *text, uint64_t bytes, struct qn_recipe *recipe,
                               struct qn_error *error);
/* The same of a file or what a URL names, which messages name, too. */
enum qn_status qn_recipe_read(const char *path, struct qn_recipe *recipe, struct qn_error *error);
/* The same of a JSON object that was made here, which is taken over; NULL: memory ran out. */
enum qn_status qn_recipe_take(json_t *json, struct qn_recipe *recipe, struct qn_error *error);
/* Allows one that is zeroed. */
void qn_recipe_release(struct qn_recipe *recipe);

/* The recipe by which a container was made, from its metadata. QN_UNSUPPORTED says what its
 * metadata does not tell, or what no recipe has. */
enum qn_status qn_recipe_of(const struct qn_container *container, const char *name, json_t **out,
                            struct qn_error *error);

/* The same of the set at `path`: of its files, not of its graph in one. */
enum qn_status qn_recipe_of_set(const char *path, const char *name, json_t **out,
                                struct qn_error *error);

/* ---- What comes out --------------------------------------------------------- */

#define QN_HASH_TEXT 17 /* 16 hexadecimal digits */

struct qn_recipe_result {
  char identity[QN_HASH_TEXT], content[QN_HASH_TEXT]; /* of a set no content: "" */
  char version[32]; /* of Quern, by its metadata; "" if that does not say */
  uint64_t num_vertices, num_edges;
};

/* Of a container, from its table of sections and its metadata. */
enum qn_status qn_recipe_result_of(const struct qn_container *container,
                                   struct qn_recipe_result *result, struct qn_error *error);
struct qn_set;
enum qn_status qn_recipe_result_of_set(const struct qn_set *set, struct qn_recipe_result *result,
                                       struct qn_error *error);
/* Of whichever of them is at `path`. */
enum qn_status qn_recipe_result_find(const char *path, struct qn_recipe_result *result,
                                     struct qn_error *error);
/* {"identity", "version", "content", "vertices", "edges"}; NULL: memory ran out. */
json_t *qn_recipe_result_json(const struct qn_recipe_result *result);

/* QN_OK if it is what the recipe makes, QN_NEGATIVE if not, as the error says. `*known` false: the
 * recipe does not say what must come out. */
enum qn_status qn_recipe_compare(const struct qn_recipe *recipe,
                                 const struct qn_recipe_result *result, bool *known,
                                 struct qn_error *error);
