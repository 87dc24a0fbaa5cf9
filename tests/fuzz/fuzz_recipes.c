/* Recipes, and what servers say and give of ranges. What a recipe that is taken asks for stays
 * among its files: command lines name nothing else. */
#include <string.h>

#include "converters/recipe/step_options.h"
#include "fuzz/fuzz.h"
#include "support/remote/multipart.h"
#include "support/remote/version.h"

#define PLACE "/\1place" /* which no string of a recipe has (RC-5) */

/* A path in a word is the folder, a slash and a file's name. */
static void check_word(const struct qn_recipe *recipe, const char *word) {
  const char *path = strstr(word, PLACE "/");
  FUZZ_PROMISE(word[0] != '-' || (word[1] == '-' && word[2] >= 'a' && word[2] <= 'z'));
  if (!path)
    return;
  path += strlen(PLACE "/");
  FUZZ_PROMISE(qn_recipe_file_find(recipe, path, strlen(path)) ||
               qn_recipe_file_find(recipe, path, strcspn(path, ":")));
}

static void check_steps(const struct qn_recipe *recipe) {
  char **words;
  for (uint64_t i = 0; i < recipe->num_files; i++)
    FUZZ_PROMISE(!strchr(recipe->files[i].name, '/') && recipe->files[i].name[0] != '.');
  for (uint64_t i = 0; i < recipe->num_steps; i++) {
    if (qn_step_words(recipe, i, PLACE, &words, NULL))
      continue;
    FUZZ_PROMISE(words[0] && strncmp(words[0], "quern-", 6) == 0);
    for (uint64_t j = 1; words[j]; j++)
      check_word(recipe, words[j]);
    qn_step_words_free(words);
  }
}

static bool run_recipe(const uint8_t *data, size_t size) {
  struct qn_recipe recipe;
  struct qn_error error;
  enum qn_status status = qn_recipe_parse((const char *)data, size, &recipe, &error);
  FUZZ_PROMISE(status || recipe.num_steps > 0);
  FUZZ_PROMISE(!status || strncmp(error.message, "RC-", 3) == 0 || status == QN_SYSTEM);
  if (!status)
    check_steps(&recipe);
  qn_recipe_release(&recipe);
  return !status;
}

static bool run_range(const uint8_t *data, size_t size) {
  char text[96];
  uint64_t first, last, total;
  const size_t length = size < sizeof text ? size : sizeof text - 1;
  memcpy(text, data, length);
  text[length] = '\0';
  const bool taken = qn_content_range(text, &first, &last, &total);
  FUZZ_PROMISE(!taken || (first <= last && last < total));
  return taken;
}

/* Several ranges at once: what is taken in pieces is what is taken whole, and nothing else is
 * written to. */
static bool run_parts(const uint8_t *data, size_t size) {
  char into[2][16] = {{0}};
  bool taken[2];
  for (unsigned in_pieces = 0; in_pieces < 2; in_pieces++) {
    const struct qn_part parts[] = {{into[in_pieces], 2, 3}, {into[in_pieces] + 4, 7, 5}};
    struct qn_multipart multipart;
    const size_t step = in_pieces ? 1 + size % 7 : size;
    taken[in_pieces] =
        qn_multipart_begin(&multipart, "multipart/byteranges; boundary=x", parts, 2, 100);
    for (size_t at = 0; at < size && taken[in_pieces]; at += step)
      taken[in_pieces] = qn_multipart_take(&multipart, (const char *)data + at,
                                           size - at < step ? size - at : step);
    taken[in_pieces] = taken[in_pieces] && qn_multipart_is_complete(&multipart);
    FUZZ_PROMISE(into[in_pieces][3] == 0 && into[in_pieces][9] == 0);
  }
  FUZZ_PROMISE(taken[0] == taken[1] && (!taken[0] || memcmp(into[0], into[1], 16) == 0));
  return taken[0];
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  return kind == 0   ? run_recipe(data, size)
         : kind == 1 ? run_range(data, size)
                     : run_parts(data, size);
}

static const char *const kinds[] = {"json", "ranges", "parts", NULL};
const struct fuzz_family fuzz_recipes = {"recipes", kinds, run};
