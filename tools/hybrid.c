/* quern-hybrid: graph container in, hybrid container out. */
#include "tools/builder.h"

enum { KEY_WIDTH = 0x1001 };

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
  return qn_builder_main(QN_LAYOUT_HYBRID, table, NULL, documentation, argc, argv);
}
