/* Packed rows as engines walk them. */
#ifndef QN_KERNELS_CUTS_PACKED_UNITS_H
#define QN_KERNELS_CUTS_PACKED_UNITS_H

#include <quern/packed.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of in-edges, or of out-edges, whichever is asked for. QN_UNSUPPORTED if the container
 * has none. */
enum qn_status qn_packed_need(const struct qn_packed *packed, enum qn_packed_directions direction,
                              const struct qn_packed_rows **rows, struct qn_error *error);

/* Every vertex's out-degree, [V], in memory of its own: qn_pages_free. */
enum qn_status qn_packed_degrees_create(uint32_t **degrees, const struct qn_packed *packed,
                                        struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
