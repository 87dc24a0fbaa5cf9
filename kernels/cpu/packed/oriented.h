/* Packed rows as algorithms on triangles walk them (kernels/cpu/csr/orientation.h), decoded band by
 * band. */
#pragma once

#include "kernels/cpu/csr/orientation.h"
#include <quern/packed.h>

/* Of a directed graph with rows in one direction alone these are unpacked first, to be turned
 * round. Owned until qn_orientation_destroy. */
enum qn_status qn_packed_orient(const struct qn_packed *packed, bool wants_ways,
                                struct qn_orientation *orientation, struct qn_error *error);
