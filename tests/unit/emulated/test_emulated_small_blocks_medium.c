/* The tests of kernels in test_emulated_csr_medium.c again, for blocks of 64 threads: nothing may
 * depend on the size of a block. */
#define SMALL_BLOCKS
#include "tests/unit/emulated/test_emulated_csr_medium.c"
