/* The tests of test_emulated_hybrid_medium.c again, for blocks of 64 threads: nothing may depend on
 * the size of a block. */
#include "tests/unit/test_emulated_hybrid_medium.c"
