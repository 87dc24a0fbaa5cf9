#include "tools/build_options.h"

#include "converters/build_settings.h"

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

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  return qn_settings_parse(argp_options, qn_build_settings, key, argument, state, state->input);
}

const struct argp qn_build_argp = {.options = argp_options, .parser = parse_option};
