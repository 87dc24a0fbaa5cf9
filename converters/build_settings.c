#include "converters/build_settings.h"

#include "converters/provenance.h"

static const char *const transpose_words[] = {"no", "also", NULL};
static const char *const loop_words[] = {"keep", "remove", NULL};
static const char *const duplicate_words[] = {"keep", "remove", "min", "sum", NULL};

static enum qn_status set_transpose(void *build, const char *text, struct qn_error *error) {
  int chosen = 0;
  enum qn_status status = qn_word_parse(transpose_words, text, &chosen, error);
  ((struct qn_build *)build)->transpose = chosen == 1;
  return status;
}

static enum qn_status set_duplicates(void *target, const char *text, struct qn_error *error) {
  struct qn_build *build = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(duplicate_words, text, &chosen, error);
  build->duplicates = (enum qn_duplicates)chosen;
  build->duplicates_chosen = true;
  return status;
}

const struct qn_setting qn_build_settings[] = {
    {"undirected", QN_SETTING_SWITCH, offsetof(struct qn_build, undirected), .group = 2,
     .help = "Add the reverse of every edge; mark the graph undirected"},
    {"transpose", QN_SETTING_OWN, .words = transpose_words, .set = set_transpose,
     .argument = "also|no", .group = 2,
     .help = "also: store the in-edges of every vertex as well (default: no)"},
    {"self-loops", QN_SETTING_CHOICE, offsetof(struct qn_build, self_loops), .words = loop_words,
     .group = 2, .help = "Edges from a vertex to itself (default: keep)"},
    {"duplicates", QN_SETTING_OWN, .words = duplicate_words, .set = set_duplicates, .group = 2,
     .help = "Edges with the same endpoints: remove keeps the first, min and sum merge their "
             "weights (default: keep)"},
    {0}};

enum qn_status qn_provenance_build(json_t *provenance, const struct qn_build *build,
                                   struct qn_error *error) {
  enum qn_status status;
  if ((status = qn_provenance_option(provenance, "undirected", json_boolean(build->undirected),
                                     error)) ||
      (status = qn_provenance_option(provenance, "transpose",
                                     json_string(transpose_words[build->transpose]), error)) ||
      (status = qn_provenance_option(provenance, "self_loops",
                                     json_string(loop_words[build->self_loops]), error)))
    return status;
  return qn_provenance_option(provenance, "duplicates",
                              json_string(duplicate_words[build->duplicates]), error);
}
