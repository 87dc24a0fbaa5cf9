/* quern-hybrid: graph container in, hybrid container out. */
#include "tools/builder.h"

static const char documentation[] =
    "Split a graph's rows into a dense part of fixed width (ELL) and a sparse rest (COO), as "
    "HPGraph does: the layout hybrid.\v"
    "Memory beside the output: for the in-edges of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next to nothing. The summary shows the width, how much of the ELL part is padding, how many "
    "edges are in the COO part, and how the size compares with plain CSR.";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_HYBRID, NULL, documentation, argc, argv);
}
