#include "kernels/sample.h"

#include "support/memory.h"
#include "support/arrays/reserve.h"

enum qn_status qn_sample_create(uint32_t num_hops, struct qn_sample **sample,
                                struct qn_error *error) {
  const uint64_t ends = (uint64_t)num_hops + 1;
  enum qn_status status = qn_alloc_zeroed(sample, 1, sizeof **sample, "a sample", error);
  if (status)
    return status;
  (*sample)->num_hops = num_hops;
  status = qn_alloc_zeroed(&(*sample)->node_ends, ends, sizeof(uint64_t), "hops", error);
  if (!status)
    status = qn_alloc_zeroed(&(*sample)->edge_ends, ends, sizeof(uint64_t), "hops", error);
  if (status) {
    qn_sample_destroy(*sample);
    *sample = NULL;
  }
  return status;
}

void qn_sample_destroy(struct qn_sample *sample) {
  if (!sample)
    return;
  qn_free(sample->nodes);
  qn_free(sample->from);
  qn_free(sample->to);
  qn_free(sample->node_ends);
  qn_free(sample->edge_ends);
  qn_free(sample);
}

enum qn_status qn_sample_reserve_nodes(struct qn_sample *sample, uint64_t count,
                                       struct qn_error *error) {
  return qn_reserve(&sample->nodes, &sample->node_capacity, count, sizeof *sample->nodes,
                    "sampled vertices", error);
}

enum qn_status qn_sample_reserve_edges(struct qn_sample *sample, uint64_t count,
                                       struct qn_error *error) {
  uint64_t capacity = sample->edge_capacity;
  enum qn_status status =
      qn_reserve(&sample->from, &capacity, count, sizeof *sample->from, "sampled edges", error);
  return status ? status
                : qn_reserve(&sample->to, &sample->edge_capacity, count, sizeof *sample->to,
                             "sampled edges", error);
}
