/* The hybrid layout's rows as algorithms on triangles walk them
 * (kernels/cpu/triangles/triangles.h). */
#pragma once

#include "kernels/cpu/triangles/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

qn_orient_view qn_hybrid_orient;

#ifdef __cplusplus
}
#endif
