#include "tools/recipe/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/progress.h"
#include "support/sizes.h"

static void print_json(const struct qn_recipe_job *job, const struct qn_recipe_made *made) {
  qn_tool_print_json(json_pack("{s:o*, s:s, s:b, s:b, s:o, s:o}", "output",
                               job->keep ? qn_json_text(job->output) : NULL, "recipe",
                               job->recipe->name, "tested", job->recipe->tested, "compared",
                               made->known, "files", qn_recipe_made_files_json(job->recipe, made),
                               "container", qn_recipe_result_json(&made->result)));
}

static void print_found(const struct qn_recipe_job *job, const struct qn_recipe_made *made) {
  for (uint64_t i = 0; i < made->num_files; i++)
    printf("  %s: %" PRIu64 " bytes, SHA-256 %s\n", job->recipe->files[i].name,
           made->files[i].sums.digest.bytes, made->files[i].sums.sha256);
  printf("  identity %s (Quern %s)%s%s\n", made->result.identity, made->result.version,
         made->result.content[0] ? ", content " : "", made->result.content);
}

void qn_recipe_report(const struct qn_recipe_job *job, const struct qn_recipe_made *made) {
  const struct qn_recipe_result *result = &made->result;
  char vertices[32], edges[32];
  if (!made->known)
    qn_note(QN_NOTE_UNTESTED,
            "the recipe %s does not say what must come out, so that nobody has verified it; what "
            "was found can be pinned by --pin FILE",
            job->recipe->name);
  if (job->shared->json) {
    print_json(job, made);
    return;
  }
  if (!job->shared->quiet) {
    printf("%s%s%s vertices, %s edges stored%s\n", job->keep ? job->output : "",
           job->keep ? ": " : "", qn_count_text(result->num_vertices, vertices, sizeof vertices),
           qn_count_text(result->num_edges, edges, sizeof edges),
           made->known ? "; it is what the recipe makes" : "");
    print_found(job, made);
  }
}

void qn_recipe_print(const json_t *recipe, FILE *stream) {
  json_dumpf(recipe, stream, JSON_INDENT(2));
  fputc('\n', stream);
}

enum qn_status qn_recipe_write(json_t *recipe, const char *path, bool replace,
                               struct qn_error *error) {
  struct qn_atomic_file *file = NULL;
  FILE *stream;
  enum qn_status status =
      recipe ? qn_json_check_memory(error) : qn_fail_memory(error, "a recipe", 0);
  if (!status)
    status = qn_atomic_file_create_or_stream(path, replace, &file, error);
  if (!status)
    status = qn_atomic_file_stream(file, &stream, error);
  if (!status) {
    qn_recipe_print(recipe, stream);
    status = qn_atomic_file_commit(file, error);
  } else {
    qn_atomic_file_abort(file);
  }
  json_decref(recipe);
  return status;
}

char *qn_recipe_name_of(const char *path, char name[QN_RECIPE_NAME]) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  length = length < QN_RECIPE_NAME ? length : QN_RECIPE_NAME - 1;
  for (size_t i = 0; i < length; i++)
    name[i] = isalnum((unsigned char)base[i]) || (i && strchr("._-", base[i])) ? base[i] : '_';
  name[length] = '\0';
  if (!length)
    snprintf(name, QN_RECIPE_NAME, "graph");
  return name;
}
