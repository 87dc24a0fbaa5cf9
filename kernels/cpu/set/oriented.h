/* A set's edges as algorithms on triangles walk them (kernels/cpu/csr/orientation.h), gathered
 * band by band: half of the edges are kept, in temporary files where memory is limited. */
#pragma once

#include "kernels/cpu/csr/orientation.h"
#include "kernels/set_view.h"

/* Owned until qn_orientation_destroy. */
enum qn_status qn_set_orient(const struct qn_set_view *view, bool wants_ways,
                             struct qn_orientation *orientation, struct qn_error *error);
