/* quern-page: a graph container into slotted pages. */
#include "tools/builder.h"

static const char documentation[] =
    "Convert a graph to slotted pages, the layout of GTS: pages of one size, to be streamed.\v"
    "A page holds the edges of consecutive vertices; a vertex too large for one page gets large "
    "pages of its own. Edges name their destination by page id (p bytes) and slot number (q "
    "bytes): 2,2 is the shortest and holds 65,535 pages of up to 1.25 MiB; 3,3 pages of up to 320 "
    "MiB; 2,4 few and larger ones; 4,2 many. By default the first of these that fits is used, and "
    "a page size with which the graph needs some hundred pages, up to 1 MiB (64 MiB where slot "
    "numbers are longer than 2 bytes).\n\n"
    "Memory beside input and output, which are mapped: 4 bytes a vertex, 8 with ids of 6 bytes.";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_SLOTTED_PAGES, NULL, documentation, argc, argv);
}
