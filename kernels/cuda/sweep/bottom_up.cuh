/* Steps of searches in which much would be pushed: whoever has not been reached looks for an active
 * neighbour along its own edges instead, and stops at the first (Beamer, Asanovic, Patterson:
 * Direction-Optimizing Breadth-First Search, SC 2012).
 *
 * A vertex that is found early costs where its edges begin, and a sector or two of them; a pushed
 * edge costs its receiver's number and a look at that, anywhere. */
#pragma once

#include "kernels/cuda/sweep/sweeps.cuh"

/* What a lane looks at by itself; then its warp does. */
#define SEARCH_ALONE 16
/* Edges whose loads don't wait for one another. */
#define SEARCH_AT_ONCE 4
#define SEARCH_NONE UINT64_MAX

namespace {

/* Which of the edges first, first + step, ... `leads` to an active vertex: a bit for each. */
template <class Leads>
QN_DEVICE_INLINE unsigned search_hits(Leads leads, uint64_t first, unsigned step, uint64_t end) {
  unsigned hits = 0;
  QN_UNROLL
  for (unsigned i = 0; i < SEARCH_AT_ONCE; i++)
    if (first + i * step < end)
      hits |= (unsigned)leads(first + i * step) << i;
  return hits;
}

/* An edge that `leads` to an active vertex among the first ones, by a lane alone; SEARCH_NONE if
 * there is none. */
template <class Leads> QN_DEVICE_INLINE uint64_t search_alone(Leads leads, uint64_t num_edges) {
  const uint64_t end = num_edges < SEARCH_ALONE ? num_edges : SEARCH_ALONE;
  for (uint64_t first = 0; first < end; first += SEARCH_AT_ONCE)
    if (const unsigned hits = search_hits(leads, first, 1, end))
      return first + (unsigned)(__ffs((int)hits) - 1);
  return SEARCH_NONE;
}

/* The same among the others, by a whole warp. */
template <class Leads> QN_DEVICE_INLINE uint64_t search_together(Leads leads, uint64_t num_edges) {
  for (uint64_t first = SEARCH_ALONE; first < num_edges; first += 32 * SEARCH_AT_ONCE) {
    const unsigned hits = search_hits(leads, first + qn_lane(), 32, num_edges);
    const unsigned lanes = __ballot_sync(QN_FULL_WARP, hits != 0);
    if (lanes) {
      const int lane = __ffs((int)lanes) - 1;
      const unsigned its_hits = __shfl_sync(QN_FULL_WARP, hits, lane);
      return first + (unsigned)lane + 32 * (unsigned)(__ffs((int)its_hits) - 1);
    }
  }
  return SEARCH_NONE;
}

/* A lane's row, without edges if it does not look, and where its search has ended. */
template <class Row> struct search_end {
  Row row;
  uint64_t edge; /* that leads to an active vertex, or SEARCH_NONE */
};

/* Each lane that `looks` has a vertex, whose row is row_of(vertex), with its number of edges as
 * num_edges; leads(row, edge) says whether an edge of it leads to an active vertex. All of the warp
 * call. */
template <class Row, class RowOf, class Leads>
QN_DEVICE_INLINE struct search_end<Row> search_row(uint32_t vertex, bool looks, RowOf row_of,
                                                   Leads leads) {
  struct search_end<Row> end;
  bool is_left = false;
  memset(&end, 0, sizeof end);
  end.edge = SEARCH_NONE;
  if (looks) {
    end.row = row_of(vertex);
    end.edge = search_alone([&](uint64_t edge) { return leads(end.row, edge); }, end.row.num_edges);
    is_left = end.edge == SEARCH_NONE && end.row.num_edges > SEARCH_ALONE;
  }
  for (unsigned left = __ballot_sync(QN_FULL_WARP, is_left); left; left &= left - 1) {
    const int owner = __ffs((int)left) - 1;
    const Row row = row_of(__shfl_sync(QN_FULL_WARP, vertex, owner));
    const uint64_t edge =
        search_together([&](uint64_t other) { return leads(row, other); }, row.num_edges);
    end.edge = (int)qn_lane() == owner ? edge : end.edge;
  }
  return end;
}

/* `vertex` receives what an active neighbour sends along an edge of that weight. All that one may
 * receive in an iteration is the same, so that it does not matter who stores it. */
QN_DEVICE_INLINE void
search_receive(const struct sweep_state &state, const struct qn_program_context &context,
               uint32_t sender, program_weight weight, uint32_t vertex) {
  state.sums[vertex] = program_gather(&context, state.messages[sender], weight);
}

/* Open vertices of a layout that has rows: rows.row_of(vertex), rows.sender(row, edge) and
 * rows.weight(row, edge). It comes before others that mark receivers: whole words are stored. */
template <class Rows>
__global__ void __launch_bounds__(SWEEP_THREADS)
    search_rows(const struct sweep_state state, const struct qn_program_context context,
                const Rows rows) {
  sweep_words(state.held, [&](uint32_t v, bool valid) {
    const auto end = search_row<typename Rows::row>(
        v, valid && sweep_may_receive(state, context, v),
        [&](uint32_t vertex) { return rows.row_of(vertex); },
        [&](const typename Rows::row &row, uint64_t edge) {
          return sweep_is_active(state, rows.sender(row, edge));
        });
    const bool found = end.edge != SEARCH_NONE;
    if (found)
      search_receive(state, context, rows.sender(end.row, end.edge), rows.weight(end.row, end.edge),
                     v);
    const unsigned word = __ballot_sync(QN_FULL_WARP, found);
    if (word && qn_lane() == 0)
      state.received[v / 32] = word;
  });
}

} /* namespace */
