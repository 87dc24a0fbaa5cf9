/* quern-partition: a graph as edge partitions, to be streamed through a device. */
#include "tools/builder.h"

enum { KEY_PARTITIONS = 'p', KEY_PARTITION_BYTES = 0x1001 };

static const struct argp_option table[] = {
    {"partitions", KEY_PARTITIONS, "N", 0, "At most N partitions, as equal as can be (32)", 0},
    {"partition-bytes", KEY_PARTITION_BYTES, "SIZE", 0,
     "Partitions of at most SIZE bytes, e.g. 64M", 0},
    {0}};

static const char documentation[] =
    "Build edge partitions (Graphie) from a graph container: an edge list sorted by source and cut "
    "into partitions, with vertices renamed so that the partition of a vertex is its id divided by "
    "a constant.\v"
    "Without options there are at most 32 partitions of equal size, one for each queue of a GPU. A "
    "vertex's edges stay together unless they exceed a partition; then they go on in continuation "
    "partitions.\n\n"
    "The layout suits traversals of graphs that exceed the device's memory: it takes 8 bytes an "
    "edge (12 with weights), twice what plain CSR takes. Many continuation partitions, or more "
    "virtual than real vertices, say that partitions are too small for the graph's largest "
    "degrees.\n\n"
    "Memory: 4 bytes a vertex beside the mapped input and output.";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_EDGE_PARTITIONS, table, NULL, documentation, argc, argv);
}
