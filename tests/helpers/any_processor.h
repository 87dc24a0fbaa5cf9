/* Included before all else: what is compiled so asks the processor for nothing, and takes the ways
 * that any processor can go. */
#ifndef QN_TESTS_ANY_PROCESSOR_H
#define QN_TESTS_ANY_PROCESSOR_H

#define __builtin_cpu_supports(feature) 0

#endif
