/* quern-hybrid: graph container in, hybrid container out. */
#include "partitioner/hybrid.h"
#include "support/options.h"
#include "tools/builder.h"

enum { KEY_WIDTH = 0x1001 };

static const char *const direction_words[] = {"in", "out", "both", NULL};
static const uint32_t directions[] = {QN_HYBRID_IN, QN_HYBRID_OUT, QN_HYBRID_IN | QN_HYBRID_OUT};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_hybrid_options *options = state->input;
  switch (key) {
  case 'd':
    options->directions =
        directions[qn_option_choice(state, "--direction", direction_words, argument)];
    return 0;
  case KEY_WIDTH:
    options->width = qn_option_number(state, "--width", argument, 0, UINT32_MAX);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option table[] = {
    {"direction", 'd', "DIRECTION", 0,
     "in: the in-edges of every vertex, which programs gather along; out: the out-edges; both: "
     "then searches can push too (default: in). An undirected graph is stored once",
     1},
    {"width", KEY_WIDTH, "K", 0,
     "Entries of a row in the ELL part (default: as many as a third of the rows have)", 1},
    {0}};

static const char documentation[] =
    "Split a graph's rows into a dense part of fixed width (ELL) and a sparse rest (COO), as "
    "HPGraph does: the layout hybrid.\v"
    "Memory beside the output: for the in-edges of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next to nothing. The summary tells the width, how much of the ELL part is padding, how many "
    "edges are in the COO part, and how "
    "the size compares with plain CSR.";

int main(int argc, char **argv) {
  struct qn_hybrid_options options = {.width = QN_HYBRID_AUTO_WIDTH};
  const struct qn_builder builder = {.tool = "quern-hybrid",
                                     .layout = QN_LAYOUT_HYBRID,
                                     .build = qn_hybrid_build,
                                     .options = &options,
                                     .edge_output = 8};
  return qn_builder_main(&builder, table, parse, &options, documentation, argc, argv);
}
