/* The next level (aggregate.cuh), made by the host where edges are read there: a device that has no
 * room for them has none to sort them. Rows are the same, as only whole numbers are added up. They
 * stay in pinned memory, and lie on the device, too, where there is room. */
#pragma once

#include <algorithm>
#include <omp.h>

#include "kernels/cuda/communities/work.cuh"
#include "kernels/cuda/edges/fit_or_read.cuh"

namespace {

/* The rows of a level as the host has them. */
struct host_level {
  uint64_t num_vertices;
  const uint64_t *offsets;
  const uint32_t *neighbors;
  const fixed_weight *weights; /* NULL: all 1 */
};

/* Pinned arrays of one that was made. */
struct host_memory {
  void *offsets, *neighbors, *weights;
};

struct between_groups {
  uint32_t group;
  fixed_weight weight;
};

/* How one is made. */
struct host_aggregation {
  struct host_level fine;
  uint32_t *group; /* [V] labels below num_groups, */
  uint64_t num_groups;
  uint64_t *first;              /* [groups + 1] of each group in `members`, */
  uint32_t *members;            /* [V] */
  uint64_t most;                /* entries of a group's members */
  struct between_groups *found; /* [threads][most] */
};

inline void list_members(struct host_aggregation *work) {
  const uint64_t V = work->fine.num_vertices, *offsets = work->fine.offsets;
  for (uint64_t v = 0; v < V; v++)
    work->first[work->group[v] + 1]++;
  for (uint64_t g = 0; g < work->num_groups; g++)
    work->first[g + 1] += work->first[g];
  for (uint64_t v = 0; v < V; v++)
    work->members[work->first[work->group[v]]++] = (uint32_t)v;
  for (uint64_t g = work->num_groups; g > 0; g--)
    work->first[g] = work->first[g - 1];
  work->first[0] = 0;
  for (uint64_t g = 0; g < work->num_groups; g++) {
    uint64_t entries = 0;
    for (uint64_t i = work->first[g]; i < work->first[g + 1]; i++)
      entries += offsets[work->members[i] + 1] - offsets[work->members[i]];
    work->most = entries > work->most ? entries : work->most;
  }
}

/* visit(g, entries to other groups, how many) of every group, the entries sorted by these. */
template <class Visit> void visit_groups(const struct host_aggregation &work, Visit visit) {
  const struct host_level &fine = work.fine;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t g = 0; g < work.num_groups; g++) {
    struct between_groups *found = work.found + (uint64_t)omp_get_thread_num() * work.most;
    uint64_t count = 0;
    for (uint64_t i = work.first[g]; i < work.first[g + 1]; i++)
      for (uint64_t entry = fine.offsets[work.members[i]];
           entry < fine.offsets[work.members[i] + 1]; entry++) {
        const uint32_t other = work.group[fine.neighbors[entry]];
        if (other != g)
          found[count++] = {other, fine.weights ? fine.weights[entry] : 1};
      }
    std::sort(found, found + count, [](const auto &a, const auto &b) { return a.group < b.group; });
    visit(g, found, count);
  }
}

inline bool is_head(const struct between_groups *found, uint64_t i) {
  return i == 0 || found[i].group != found[i - 1].group;
}

/* Where each group's row begins. */
inline void count_rows(const struct host_aggregation &work, uint64_t *offsets) {
  offsets[0] = 0;
  visit_groups(work, [&](uint64_t g, const struct between_groups *found, uint64_t count) {
    offsets[g + 1] = 0;
    for (uint64_t i = 0; i < count; i++)
      offsets[g + 1] += is_head(found, i);
  });
  for (uint64_t g = 0; g < work.num_groups; g++)
    offsets[g + 1] += offsets[g];
}

inline void make_rows(const struct host_aggregation &work, const uint64_t *offsets,
                      uint32_t *neighbors, fixed_weight *weights) {
  visit_groups(work, [&](uint64_t g, const struct between_groups *found, uint64_t count) {
    uint64_t end = offsets[g];
    for (uint64_t i = 0; i < count; i++) {
      if (is_head(found, i)) {
        neighbors[end] = found[i].group;
        weights[end++] = 0;
      }
      weights[end - 1] += found[i].weight;
    }
  });
}

/* Instead of what is there. */
inline enum qn_status pinned_room(struct qn_cuda_memory *memory, void **there, uint64_t bytes,
                                  void *out, struct qn_error *error) {
  qn_cuda_release(memory, *there);
  *there = NULL;
  enum qn_status status =
      qn_run_host_alloc(memory, there, bytes, "edges between communities", error);
  *(void **)out = *there;
  return status;
}

/* The rows, in pinned memory. */
inline enum qn_status host_rows_make(const struct host_aggregation &work,
                                     struct qn_cuda_memory *memory, struct host_memory *to,
                                     struct host_level *coarse, struct qn_error *error) {
  uint64_t *offsets;
  uint32_t *neighbors;
  fixed_weight *weights;
  enum qn_status status =
      pinned_room(memory, &to->offsets, (work.num_groups + 1) * sizeof *offsets, &offsets, error);
  if (status)
    return status;
  count_rows(work, offsets);
  const uint64_t count = offsets[work.num_groups];
  status = pinned_room(memory, &to->neighbors, count * sizeof *neighbors, &neighbors, error);
  if (!status)
    status = pinned_room(memory, &to->weights, count * sizeof *weights, &weights, error);
  if (status)
    return status;
  make_rows(work, offsets, neighbors, weights);
  *coarse = {work.num_groups, offsets, neighbors, weights};
  return QN_OK;
}

/* The level of the `num_groups` groups of `of`, which is on the device. */
inline enum qn_status host_aggregate(struct leiden_work *work, const struct host_level &fine,
                                     uint32_t num_groups, struct host_memory *to,
                                     struct host_level *coarse, struct qn_error *error) {
  const uint64_t V = fine.num_vertices;
  struct host_aggregation making = {fine, NULL, num_groups, NULL, NULL, 0, NULL};
  enum qn_status status = qn_pages_alloc(&making.group, V, sizeof *making.group, "groups", error);
  if (!status)
    status = qn_pages_alloc(&making.members, V, sizeof *making.members, "members", error);
  if (!status)
    status =
        qn_pages_alloc(&making.first, num_groups + 1ull, sizeof *making.first, "groups", error);
  if (!status)
    status = qn_cuda_download(work->memory, making.group, work->refined.of, V, sizeof *making.group,
                              "groups", error);
  if (!status) {
    list_members(&making);
    status = qn_pages_alloc(&making.found, qn_threads() * making.most, sizeof *making.found,
                            "edges between communities", error);
  }
  if (!status)
    status = host_rows_make(making, work->memory, to, coarse, error);
  qn_pages_free(making.found, qn_threads() * making.most, sizeof *making.found);
  qn_pages_free(making.first, num_groups + 1ull, sizeof *making.first);
  qn_pages_free(making.members, V, sizeof *making.members);
  qn_pages_free(making.group, V, sizeof *making.group);
  return status;
}

} /* namespace */
