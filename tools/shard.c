/* quern-shard: a graph as shards that fit a GPU's shared memory. */
#include "tools/builder.h"

enum { KEY_SHARD_VERTICES = 0x1001, KEY_SHARED_MEMORY, KEY_PAGE_BYTES };

static const struct argp_option table[] = {
    {"shard-vertices", KEY_SHARD_VERTICES, "N", 0,
     "Shards of N destinations each (at most 65536), whatever their accumulators take", 0},
    {"shared-memory", KEY_SHARED_MEMORY, "SIZE", 0,
     "Shards whose accumulators of 4 bytes, replicated, fit SIZE (112K)", 0},
    {"page-bytes", KEY_PAGE_BYTES, "SIZE", 0, "Pages of at most SIZE bytes (64M)", 0},
    {0}};

static const char documentation[] =
    "Build shards (Garaph) from a graph container: in-edges grouped by ranges of at most 65,536 "
    "destinations, each named by 16 bits; row offsets for CPU threads; and out-edges without "
    "weights that tell whom to notify.\v"
    "Without options the accumulators of a shard, 4 bytes for each replica, take 112K, so that "
    "those of two shards would fit the shared memory of a current multiprocessor, and a page takes "
    "64M or the largest shard. Quern's kernels keep accumulators in registers instead.\n\n"
    "The layout suits programs that pull from all edges in every iteration, and runs that CPU and "
    "GPU share. A streamed edge takes 6 bytes (10 with weights); the CPU's side takes 4 more and "
    "16 a vertex, for undirected graphs 8 a vertex only.\n\n"
    "Memory: beside the mapped input and output, 4 bytes an edge (8 with weights) of a directed "
    "graph that was stored without its in-edges (quern-import --transpose=also stores them).";

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_SHARDS, table, NULL, documentation, argc, argv);
}
