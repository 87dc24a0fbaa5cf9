/* quern-pack: graph container in, packed container out. */
#include "tools/builder.h"

static const char documentation[] =
    "Pack a graph's rows into few bits an edge: gaps between sorted neighbours, in groups of four "
    "of one width, in tiles of 2048 edges that decode alone: the layout packed. Weights are stored "
    "in few bits where that is shorter: integers in a small range, and any weights with few "
    "distinct values.\v"
    "Memory beside the output: for the in-edges of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next to nothing. The summary shows the bits an edge, where rows and tiles begin included, and "
    "how the size compares with plain CSR.";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_PACKED, NULL, documentation, argc, argv);
}
