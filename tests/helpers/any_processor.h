/* Included before all else: what is compiled so asks the processor for nothing, and takes the ways
 * that any processor can go. */
#pragma once

#define __builtin_cpu_supports(feature) 0
