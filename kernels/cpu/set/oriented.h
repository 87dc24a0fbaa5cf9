/* A set's edges as algorithms on triangles walk them (kernels/cpu/triangles/orientation.h),
 * gathered band by band: half of the edges are kept, in temporary files where memory is limited. */
#pragma once

#include "kernels/cpu/triangles/triangles.h"

qn_orient_view qn_set_orient;
