/* What engines derive from the hybrid layout before a run: where rows have entries in the COO part.
 */
#pragma once

#include <quern/error.h>
#include <quern/hybrid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The COO part as runs of entries of one row each. */
struct qn_hybrid_rest {
  uint64_t num_rows;
  uint32_t *rows;    /* [num_rows] vertices, ascending */
  uint64_t *offsets; /* [num_rows + 1] where their entries begin */
};

/* Of a checked matrix. Owned until qn_hybrid_rest_destroy. */
enum qn_status qn_hybrid_rest_create(struct qn_hybrid_rest *rest,
                                     const struct qn_hybrid_matrix *matrix, struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_hybrid_rest_destroy(struct qn_hybrid_rest *rest);

/* Where the COO entries of every row begin, [V + 1], within the entries whatever became of the file
 * since it was checked. `degrees` [V] are the numbers of entries of all rows; NULL: not known,
 * which takes a look at all of the COO part. Owned by the caller (qn_pages_free). */
enum qn_status qn_hybrid_rest_offsets(const struct qn_hybrid_matrix *matrix,
                                      const uint32_t *degrees, uint64_t **offsets,
                                      struct qn_error *error);

/* Programs gather along in-edges: QN_UNSUPPORTED, with what to do, if the container has none. */
enum qn_status qn_hybrid_need_in(const struct qn_hybrid *hybrid, struct qn_error *error);

#ifdef __cplusplus
}
#endif
