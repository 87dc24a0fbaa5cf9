/* The rows of shards as algorithms on triangles walk them (kernels/cpu/triangles/triangles.h). */
#pragma once

#include "kernels/cpu/triangles/triangles.h"

qn_orient_view qn_shards_orient;
