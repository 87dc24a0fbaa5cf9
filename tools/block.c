/* quern-block: graph container in, blocked-csr container out. */
#include "partitioner/blocked_csr.h"
#include "support/options.h"
#include "tools/builder.h"

enum { KEY_BLOCK_VERTICES = 0x1001, KEY_L2_BYTES, KEY_OUT_EDGES };

static const char *const direction_words[] = {"pull", "push", "both", NULL};
static const uint32_t directions[] = {QN_BLOCKED_PULL, QN_BLOCKED_PUSH,
                                      QN_BLOCKED_PULL | QN_BLOCKED_PUSH};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_blocked_csr_options *options = state->input;
  switch (key) {
  case 'd':
    options->directions =
        directions[qn_option_choice(state, "--direction", direction_words, argument)];
    return 0;
  case KEY_BLOCK_VERTICES:
    options->block_vertices = qn_option_number(state, "--block-vertices", argument, 1, UINT32_MAX);
    return 0;
  case KEY_L2_BYTES:
    options->l2_bytes = qn_option_size(state, "--l2-bytes", argument, 1);
    return 0;
  case KEY_OUT_EDGES:
    options->out_edges = true;
    return 0;
  case ARGP_KEY_END:
    if (options->block_vertices && options->l2_bytes)
      argp_error(state, "give --block-vertices or --l2-bytes, not both");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option table[] = {
    {"direction", 'd', "DIRECTION", 0,
     "pull: blocks of sources, for programs that gather; push: blocks of destinations; both "
     "(default: pull)",
     1},
    {"block-vertices", KEY_BLOCK_VERTICES, "N", 0, "Vertices of a block (default: by --l2-bytes)",
     1},
    {"l2-bytes", KEY_L2_BYTES, "SIZE", 0,
     "Size of the cache to block for: a block's vertex values take about a third of it (default: "
     "60M, for 4194304 vertices a block)",
     1},
    {"out-edges", KEY_OUT_EDGES, NULL, 0,
     "Store the out-edges as plain CSR too, so that traversals (bfs, sssp, ...) need not derive "
     "them when they begin",
     1},
    {0}};

static const char documentation[] =
    "Cut a graph into blocks whose vertex values fit a cache (GraphCage's TOCAB): the layout "
    "blocked-csr.\v"
    "Memory beside the output: for pull blocks of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next "
    "to nothing. The summary tells "
    "how many blocks there are, how many local vertices (rows with an edge in a block) they have, "
    "and how the size compares with plain CSR.";

int main(int argc, char **argv) {
  struct qn_blocked_csr_options options = {0};
  const struct qn_builder builder = {.tool = "quern-block",
                                     .layout = QN_LAYOUT_BLOCKED_CSR,
                                     .build = qn_blocked_csr_build,
                                     .options = &options,
                                     .edge_output = 8};
  return qn_builder_main(&builder, table, parse, &options, documentation, argc, argv);
}
