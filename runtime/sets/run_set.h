/* A set made ready to run kernels on, part by part. */
#ifndef QN_RUNTIME_SETS_RUN_SET_H
#define QN_RUNTIME_SETS_RUN_SET_H

#include "formats/set/set.h"
#include "kernels/set_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The parts that this process walks, open. */
struct qn_run_set {
  struct qn_set *set;
  struct qn_container_info info; /* of the graph, as if one container held it */
  uint64_t num_parts;
  struct qn_set_open_part *parts; /* [num_parts] */
  struct qn_part_rows *rows;      /* [num_parts] */
  uint64_t *first_parts, *first_vertices;
};

/* Open the parts of a set that the process of this rank walks (`exchange` NULL: all), with the
 * checks that kernels rely on unless it is trusted. Takes over `set` whatever the outcome. `*view`
 * is made, and belongs to the caller (qn_free). Owned until qn_run_set_close. */
enum qn_status qn_run_set_open(struct qn_set *set, const struct qn_exchange *exchange, bool trust,
                               struct qn_run_set **out, struct qn_set_view **view,
                               struct qn_error *error);
/* NULL is allowed. */
void qn_run_set_close(struct qn_run_set *set);

/* The weights of the parts that are open. */
enum qn_status qn_run_set_verify_weights(const struct qn_run_set *set, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
