#include "tools/build_options.h"

#include "converters/provenance.h"
#include "support/options.h"

enum { KEY_UNDIRECTED = 0x3101, KEY_TRANSPOSE, KEY_SELF_LOOPS, KEY_DUPLICATES };

static const struct argp_option argp_options[] = {
    {"undirected", KEY_UNDIRECTED, NULL, 0,
     "Add the reverse of every edge; mark the graph undirected", 2},
    {"transpose", KEY_TRANSPOSE, "also|no", 0,
     "also: store the in-edges of every vertex as well (default: no)", 2},
    {"self-loops", KEY_SELF_LOOPS, "keep|remove", 0,
     "Edges from a vertex to itself (default: keep)", 2},
    {"duplicates", KEY_DUPLICATES, "keep|remove|min|sum", 0,
     "Edges with the same ends: remove leaves the first, min and sum merge their weights (default: "
     "keep)",
     2},
    {0}};

static const char *const transpose_words[] = {"no", "also", NULL};
static const char *const loop_words[] = {"keep", "remove", NULL};
static const char *const duplicate_words[] = {"keep", "remove", "min", "sum", NULL};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_build *build = state->input;
  switch (key) {
  case KEY_UNDIRECTED:
    build->undirected = true;
    return 0;
  case KEY_TRANSPOSE:
    build->transpose = qn_option_choice(state, "--transpose", transpose_words, argument);
    return 0;
  case KEY_SELF_LOOPS:
    build->self_loops =
        (enum qn_self_loops)qn_option_choice(state, "--self-loops", loop_words, argument);
    return 0;
  case KEY_DUPLICATES:
    build->duplicates =
        (enum qn_duplicates)qn_option_choice(state, "--duplicates", duplicate_words, argument);
    build->duplicates_chosen = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_build_argp = {.options = argp_options, .parser = parse_option};

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
