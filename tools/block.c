/* quern-block: graph container in, blocked-csr container out. */
#include "tools/builder.h"

enum { KEY_BLOCK_VERTICES = 0x1001, KEY_L2_BYTES, KEY_OUT_EDGES };

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
  return qn_builder_main(QN_LAYOUT_BLOCKED_CSR, table, documentation, argc, argv);
}
