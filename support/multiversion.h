/* Function multiversioning: loops compiled for several instruction sets, of which the processor's
 * best is chosen when the program is loaded. Binaries stay portable. */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define QN_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
/* For shifts and masks by amounts that are no constants: one instruction each since 2013. */
#define QN_SCALAR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
/* For counting bits: one instruction for eight words. */
#define QN_COUNTING_CLONES __attribute__((target_clones("arch=icelake-server", "avx2", "default")))
#else
#define QN_VECTOR_CLONES
#define QN_SCALAR_CLONES
#define QN_COUNTING_CLONES
#endif
