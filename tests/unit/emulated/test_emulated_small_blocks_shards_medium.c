/* The tests of kernels in test_emulated_shards_medium.c again, for blocks of 64 threads: nothing
 * may depend on the size of a block, and tasks of 512 edges make hubs of more vertices. */
#define SMALL_BLOCKS
#include "tests/unit/emulated/test_emulated_shards_medium.c"
