/* quern-shard: a graph as shards that fit a GPU's shared memory. */
#include "tools/builder.h"

static const char documentation[] =
    "Build shards (Garaph) from a graph container: in-edges grouped by ranges of at most 65,536 "
    "destinations, each named by 16 bits; row offsets for CPU threads; and out-edges without "
    "weights that say which vertices to notify.\v"
    "Without options the accumulators of a shard, 4 bytes for each replica, take 112K, so that "
    "those of two shards would fit the shared memory of a current multiprocessor, and a page takes "
    "64M or the largest shard. Quern's kernels keep accumulators in registers instead.\n\n"
    "The layout suits programs that pull from all edges in every iteration, and runs that CPU and "
    "GPU share. A streamed edge takes 6 bytes (10 with weights); the CPU's side takes 4 more and "
    "16 a vertex, for undirected graphs 8 a vertex only.\n\n"
    "Memory: beside the mapped input and output, 4 bytes an edge (8 with weights) of a directed "
    "graph that was stored without its in-edges (quern-import --transpose=also stores them).";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_SHARDS, NULL, documentation, argc, argv);
}
