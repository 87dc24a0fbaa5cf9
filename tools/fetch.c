/* quern-fetch: a public graph by its recipe: downloaded, verified, imported, and proven to be what
 * it must be. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/recipe/step_options.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/tool.h"
#include "tools/recipe/catalogue.h"
#include "tools/recipe/making.h"
#include "tools/recipe/report.h"

enum { KEY_LIST = 0x100, KEY_SHOW, KEY_DRY_RUN, KEY_PIN };

struct options {
  struct qn_tool_options shared;
  struct qn_memory_options memory;
  struct qn_sources sources;
  const char *recipe, *output, *pin;
  bool list, show, dry_run;
};

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE (default: the recipe's name and .qrn)",
     1},
    {"pin", KEY_PIN, "FILE", 0,
     "Write the recipe to FILE with the sums and the identity that were found, so that it gives "
     "the same from now on, or fails",
     1},
    {NULL, 0, NULL, 0, "Without fetching anything:", 2},
    {"list", KEY_LIST, NULL, 0,
     "List the catalogue: all of it, or what has the word in place of RECIPE in it", 3},
    {"show", KEY_SHOW, NULL, 0, "Print the recipe", 3},
    {"dry-run", KEY_DRY_RUN, NULL, 0,
     "Check the recipe, and print what would be downloaded and run", 3},
    {0}};

static void finish_command_line(struct argp_state *state, struct options *options) {
  if (options->list + options->show + options->dry_run > 1)
    argp_error(state, "--list, --show and --dry-run exclude each other");
  if ((options->list || options->show || options->dry_run) && (options->output || options->pin))
    argp_error(state, "--list, --show and --dry-run write no files");
  if (!options->recipe && !options->list)
    argp_error(state, "name a recipe: one of quern-fetch --list, or a file or URL that ends in "
                      ".json");
  if (options->output && qn_is_stream(options->output))
    argp_error(state, "the container is written to a file");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->memory;
    state->child_inputs[1] = &options->sources;
    state->child_inputs[2] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_PIN:
    options->pin = argument;
    return 0;
  case KEY_LIST:
    options->list = true;
    return 0;
  case KEY_SHOW:
    options->show = true;
    return 0;
  case KEY_DRY_RUN:
    options->dry_run = true;
    return 0;
  case ARGP_KEY_ARG:
    if (options->recipe)
      argp_error(state, "one recipe at a time; '%s' is too much", argument);
    options->recipe = argument;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Fetch a public graph: download the files of a recipe, verify them, import them with the "
    "recipe's options, and compare the container with what must come out.\v"
    "RECIPE is one of the catalogue's names (--list), a file NAME.json, or the URL of one. Files "
    "come from the folders of --from, from the cache ($XDG_CACHE_HOME/quern), or from the "
    "recipe's URLs, one after the other; a download that was interrupted resumes. No file is read "
    "before its length and SHA-256 were compared, and a container that is not what the recipe "
    "makes is dropped.\n\n"
    "Of a recipe that is not tested nobody knows the sums: what comes is imported, with a "
    "warning, and the sums and the identity that were found are printed. --pin writes them into "
    "a recipe. The licence of a graph is its publisher's; --show tells it, and whom to cite.\n\n"
    "Exit status: 0; 1 if the container is not what the recipe makes; 2 for a wrong command line; "
    "3 for a recipe that breaks its rules, or a file that is not the recipe's; 4 for a newer "
    "recipe; 5 if a file cannot be found or downloaded; or that of a step that failed.\n\n"
    "Example:\n"
    "  quern-fetch --list web\n"
    "  quern-fetch wiki-Vote\n"
    "  quern-fetch graph.json --from downloads -o graph.qrn";

/* ---- Without fetching ---------------------------------------------------------- */

static enum qn_status list(const struct options *options, struct qn_error *error) {
  json_t *found;
  enum qn_status status = qn_catalogue_list(options->recipe, &found, error);
  if (status)
    return status;
  if (options->shared.json)
    qn_tool_print_json(json_pack("{s:O}", "recipes", found));
  else
    qn_catalogue_print(found, stdout);
  json_decref(found);
  return QN_OK;
}

static void print_word(const char *word, FILE *stream) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "._-/=:,+%@";
  if (strspn(word, plain) == strlen(word)) {
    fputs(word, stream);
    return;
  }
  fputc('\'', stream);
  for (; *word; word++)
    fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
  fputc('\'', stream);
}

static enum qn_status print_step(const struct qn_recipe *recipe, uint64_t number,
                                 struct qn_error *error) {
  char **words;
  enum qn_status status = qn_step_words(recipe, number, ".", &words, error);
  if (status)
    return status;
  for (uint64_t i = 0; words[i]; i++) {
    fputs(i ? " " : "", stdout);
    print_word(words[i], stdout);
  }
  if (number > 0)
    printf(" step-%" PRIu64 ".qrn", number);
  if (number + 1 < recipe->num_steps)
    printf(" -o step-%" PRIu64 ".qrn\n", number + 1);
  else
    printf(" -o %s.qrn\n", recipe->name);
  qn_step_words_free(words);
  return QN_OK;
}

static enum qn_status print_plan(const struct qn_recipe *recipe, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < recipe->num_files; i++) {
    const struct qn_recipe_file *file = &recipe->files[i];
    char size[32] = "of unknown size";
    if (file->bytes)
      qn_size_text(file->bytes, size, sizeof size);
    printf("# %s, %s\n", file->name, size);
    for (size_t j = 0; j < json_array_size(file->urls); j++)
      printf("#   %s\n", json_string_value(json_array_get(file->urls, j)));
  }
  for (uint64_t i = 0; !status && i < recipe->num_steps; i++)
    status = print_step(recipe, i, error);
  return status;
}

/* ---- Fetching ------------------------------------------------------------------ */

static enum qn_status fetch(const struct options *options, const struct qn_recipe *recipe,
                            struct qn_error *error) {
  char name[128];
  snprintf(name, sizeof name, "%s.qrn", recipe->name);
  const struct qn_recipe_job job = {.recipe = recipe,
                                    .sources = options->sources,
                                    .memory = options->memory,
                                    .shared = &options->shared,
                                    .output = options->output ? options->output : name,
                                    .keep = true};
  struct qn_recipe_made made;
  enum qn_status status = qn_recipe_make(&job, &made, error);
  if (!status && options->pin)
    status = qn_recipe_write(qn_recipe_pinned(recipe, &made), options->pin, options->shared.force,
                             error);
  if (!status) {
    qn_recipe_report(&job, &made);
    status = qn_recipe_keep(&job, &made, error);
  }
  qn_recipe_made_end(&made);
  return status;
}

static enum qn_status work(const struct options *options, struct qn_error *error) {
  struct qn_recipe recipe;
  if (options->list)
    return list(options, error);
  enum qn_status status = qn_catalogue_open(options->recipe, &recipe, error);
  if (!status && options->show)
    qn_recipe_print(recipe.json, stdout);
  else if (!status && options->dry_run)
    status = print_plan(&recipe, error);
  else if (!status)
    status = fetch(options, &recipe, error);
  qn_recipe_release(&recipe);
  return status;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_memory_argp, 0, NULL, 0},
                                               {&qn_sources_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {argp_options, parse_option, "[RECIPE]", documentation,
                                   children,     NULL,         NULL};
  struct options options = {0};
  struct qn_error error;
  qn_tool_parse("quern-fetch", &argp, argc, argv, &options, &options.shared);
  return qn_tool_exit(work(&options, &error), &error);
}
