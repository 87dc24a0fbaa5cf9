/* The rows of a tile that are needed, and no more of its words than they take: for tiles that lie
 * in pinned memory of the host (read_in_place.cuh), and for searches, wherever a tile lies.
 *
 * A block brings sectors of 32 bytes to shared memory, to the places that they had if all of the
 * tile came: first its codes and, as a rule, its lengths, then the gaps of rows that are needed,
 * and their weights. There it decodes them like any other tile (decode.cuh); what did not come
 * makes columns that nobody looks at.
 *
 * What bounds it: the bus. Of a tile cross it 16 bytes, half a byte for four rows and for four
 * edges, the lengths, and what the rows take, each sector once. The loads of a step do not wait for
 * each other; the two to four steps of a tile do, while other blocks go on. */
#pragma once

#include "kernels/cuda/packed/decode.cuh"
#include "kernels/cuda/packed/frontier.cuh"
#if PROGRAM_FIRST_SUFFICES
#include "kernels/cuda/sweep/bottom_up.cuh"
#endif

#define PART_SECTOR 8u /* words */
#define PART_TILE_SECTORS ((PACKED_MOST_WORDS + 2 * PART_SECTOR) / PART_SECTOR)
#define PART_WEIGHT_SECTORS (PROGRAM_USES_WEIGHTS ? QN_PACKED_TILE / PART_SECTOR + 2 : 0)
#define PART_SECTORS (PART_TILE_SECTORS + PART_WEIGHT_SECTORS)
#define PART_AT_ONCE 3 /* loads of a thread */
/* Bits of a row's length that are brought with the codes. Few tiles need more on average. */
#define PART_LENGTH_BITS 6

namespace {

#if SWEEP_FRONTIER

/* What a block has of a tile. Sectors are counted from that of the tile's first word on, and after
 * PART_TILE_SECTORS from that of its first weight. */
struct packed_part {
  struct packed_place place;
  struct packed_tile tile;       /* here */
  struct packed_weights weights; /* here */
  const uint4 *words_from, *weights_from;
  uint4 *here;
  uint32_t *wanted, *brought; /* bits of sectors */
  uint32_t words_lead;        /* bits of its first sector before the tile */
  uint32_t weights_lead;      /* bits before the first weight */
  uint32_t weight_bits;       /* of an edge; 0: there are none */
};

/* Where the sector of a word begins, and how many of its words lie before. */
QN_DEVICE_INLINE const uint4 *part_sector_of(const uint32_t *word, uint32_t *lead) {
  *lead = (uint32_t)((uintptr_t)word / sizeof *word % PART_SECTOR);
  return (const uint4 *)(word - *lead);
}

/* All of the block call. Nothing is here yet, and no row begins. */
QN_DEVICE_INLINE void part_begin(const struct packed_place &place,
                                 const struct packed_weights &weights, struct packed_part *part) {
  QN_SHARED(uint4, here, 2 * PART_SECTORS);
  QN_SHARED(uint4, row_at, PACKED_THREADS);
  QN_SHARED(uint32_t, wanted, (PART_SECTORS + 31) / 32);
  QN_SHARED(uint32_t, brought, (PART_SECTORS + 31) / 32);
  part->place = place;
  part->weights = weights;
  part->here = here;
  part->wanted = wanted;
  part->brought = brought;
  uint32_t lead;
  part->words_from = part_sector_of(place.words, &lead);
  part->words_lead = 32 * lead;
  part->tile = {(const uint32_t *)here + lead, (uint16_t *)row_at};
  part->weights_from = NULL;
  part->weights_lead = part->weight_bits = 0;
  if (PROGRAM_USES_WEIGHTS && weights.words) {
    const uint32_t *first = weights.codes.there ? weights.words + weights.bit / 32
                                                : (const uint32_t *)weights.plain.data;
    part->weights_from = part_sector_of(first, &lead);
    part->weight_bits = weights.codes.there ? weights.codes.bits : 32;
    part->weights.words = (const uint32_t *)(here + 2 * PART_TILE_SECTORS) + lead;
    part->weights.plain.data = part->weights.words;
    part->weights.bit %= 32;
    part->weights_lead = 32 * lead + (weights.codes.there ? (uint32_t)part->weights.bit : 0);
  }
  row_at[threadIdx.x] = make_uint4(~0u, ~0u, ~0u, ~0u);
  for (uint32_t i = threadIdx.x; i < 2 * PART_SECTORS; i += PACKED_THREADS)
    here[i] = make_uint4(0, 0, 0, 0); /* decoders read past what they use, and what is not needed */
  if (threadIdx.x < (PART_SECTORS + 31) / 32)
    wanted[threadIdx.x] = brought[threadIdx.x] = 0;
  __syncthreads();
}

/* Ask for the sectors with the bits [begin, end) that are counted from the first of `sector` on. */
QN_DEVICE_INLINE void part_want(const struct packed_part &part, uint32_t sector, uint32_t begin,
                                uint32_t end) {
  if (begin >= end)
    return;
  const uint32_t first = sector + begin / (32 * PART_SECTOR);
  const uint32_t last = sector + (end - 1) / (32 * PART_SECTOR);
  for (uint32_t word = first / 32; word <= last / 32; word++) {
    uint32_t bits = word == first / 32 ? ~0u << first % 32 : ~0u;
    bits &= word == last / 32 ? ~0u >> (31 - last % 32) : ~0u;
    atomicOr(&part.wanted[word], bits);
  }
}

/* ... with such bits of the tile, as far as it has them. */
QN_DEVICE_INLINE void part_want_bits(const struct packed_part &part, uint32_t begin, uint32_t end) {
  const uint32_t most = 32 * part.place.num_words, lead = part.words_lead;
  part_want(part, 0, lead + begin, lead + (end < most ? end : most));
}

/* Has half a sector something of the tile, or of its weights? What lies beside them may be
 * nobody's. */
QN_DEVICE_INLINE bool part_has(const struct packed_part &part, uint32_t half) {
  const bool is_word = half < 2 * PART_TILE_SECTORS;
  const uint32_t bit = 16 * 8 * (is_word ? half : half - 2 * PART_TILE_SECTORS);
  const uint32_t begin = is_word ? part.words_lead : part.weights_lead;
  const uint32_t bits =
      is_word ? 32 * part.place.num_words : part.weight_bits * part.place.num_edges;
  return bit + 16 * 8 > begin && bit < begin + bits;
}

/* Bring what was asked for. All of the block call. Returns the bytes that the thread brought, in
 * whole sectors. */
QN_DEVICE_INLINE uint32_t part_bring(const struct packed_part &part) {
  uint32_t bytes = 0;
  __syncthreads(); /* all have asked */
  for (uint32_t base = threadIdx.x; base < 2 * PART_SECTORS;
       base += PART_AT_ONCE * PACKED_THREADS) {
    uint4 loaded[PART_AT_ONCE];
    bool comes[PART_AT_ONCE];
    QN_UNROLL
    for (uint32_t i = 0; i < PART_AT_ONCE; i++) {
      const uint32_t half = base + i * PACKED_THREADS, sector = half / 2;
      comes[i] = half < 2 * PART_SECTORS &&
                 ((part.wanted[sector / 32] & ~part.brought[sector / 32]) >> sector % 32 & 1);
      bytes += comes[i] && half % 2 == 0 ? (uint32_t)(PART_SECTOR * sizeof(uint32_t)) : 0;
      comes[i] = comes[i] && part_has(part, half);
      if (comes[i])
        loaded[i] =
            __ldcs(sector < PART_TILE_SECTORS ? &part.words_from[half]
                                              : &part.weights_from[half - 2 * PART_TILE_SECTORS]);
    }
    QN_UNROLL
    for (uint32_t i = 0; i < PART_AT_ONCE; i++)
      if (comes[i])
        part.here[base + i * PACKED_THREADS] = loaded[i];
  }
  __syncthreads();
  if (threadIdx.x < (PART_SECTORS + 31) / 32)
    part.brought[threadIdx.x] |= part.wanted[threadIdx.x];
  return bytes;
}

/* Bring codes and lengths. All of the block call. */
QN_DEVICE_INLINE uint32_t part_bring_lengths(const struct packed_part &part) {
  const struct packed_place &place = part.place;
  const uint32_t numbers = 8 * packed_code_bytes(place);
  const uint32_t expected = PART_LENGTH_BITS * place.num_rows;
  if (threadIdx.x == 0)
    part_want_bits(part, 0, numbers + expected);
  uint32_t bytes = part_bring(part), sum = 0;
  for (uint32_t byte = qn_lane(); byte < (place.num_rows + 7) / 8; byte += 32) {
    const uint32_t codes = packed_byte(part.tile.words, QN_PACKED_HEAD + byte);
    sum += (codes & 15) + (codes >> 4);
  }
  __syncwarp();
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(QN_FULL_WARP, sum, step);
  if (QN_PACKED_GROUP * sum > expected) { /* the same for all */
    if (threadIdx.x == 0)
      part_want_bits(part, numbers + expected, numbers + QN_PACKED_GROUP * sum);
    bytes += part_bring(part);
  }
  return bytes;
}

/* ---- Which rows -------------------------------------------------------------------------- */

/* Bits of the rows of which needs(row) is true, in shared memory; NULL if there are none. All of
 * the block call, of which each row is asked once: so all see the same. */
template <class Needs>
QN_DEVICE_INLINE uint32_t *part_needed_rows(const struct packed_place &place, Needs needs) {
  QN_SHARED(uint32_t, needed, QN_PACKED_RANGE / 32);
  bool any = false;
  for (uint32_t base = 0; base < place.num_rows; base += PACKED_THREADS) {
    const uint32_t row = base + threadIdx.x;
    const uint32_t bits = __ballot_sync(QN_FULL_WARP, row < place.num_rows && needs(row));
    if (qn_lane() == 0)
      needed[row / 32] = bits;
    any = any || bits != 0;
  }
  return __syncthreads_or(any) ? needed : NULL;
}

QN_DEVICE_INLINE bool part_needs(const uint32_t *needed, uint32_t row) {
  return ((const volatile uint32_t *)needed)[row / 32] >> row % 32 & 1;
}

/* ---- Their edges ------------------------------------------------------------------------- */

/* What the last thread before this one has that has something but 0; 0: none has. All of the block
 * call, and a barrier lies before a next call. */
QN_DEVICE_INLINE uint32_t part_last_before(uint32_t own) {
  QN_SHARED(uint32_t, warps, PACKED_WARPS);
  const unsigned have = __ballot_sync(QN_FULL_WARP, own != 0), before = have & qn_lanes_below();
  const int last = have ? 31 - __clz((int)have) : 0, lane = before ? 31 - __clz((int)before) : 0;
  const uint32_t of_lane = __shfl_sync(QN_FULL_WARP, own, lane);
  const uint32_t of_warp = __shfl_sync(QN_FULL_WARP, own, last);
  if (qn_lane() == 0)
    warps[qn_warp()] = of_warp;
  __syncthreads();
  uint32_t found = before ? of_lane : 0;
  for (unsigned warp = qn_warp(); warp > 0 && !found; warp--)
    found = warps[warp - 1];
  return found;
}

/* The edge that begins the row of the edge before the thread's first, and one more; 0: none does.
 */
QN_DEVICE_INLINE uint32_t part_begin_before(const struct packed_tile &tile) {
  uint32_t own = 0;
  QN_UNROLL
  for (uint32_t edge = threadIdx.x * PACKED_ITEMS; edge < (threadIdx.x + 1) * PACKED_ITEMS; edge++)
    own = tile.row_at[edge] != PACKED_NO_ROW ? edge + 1 : own;
  return part_last_before(own);
}

/* each(i, row, begin) for the thread's edges, of a row that begins with an edge of the tile. */
template <class Each>
QN_DEVICE_INLINE void part_each_edge(const struct packed_part &part, uint32_t begin_before,
                                     Each each) {
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  uint32_t begin = begin_before ? begin_before - 1 : 0;
  uint32_t row = begin_before ? part.tile.row_at[begin] : PACKED_NO_ROW;
  QN_UNROLL
  for (uint32_t i = 0; i < PACKED_ITEMS; i++) {
    const uint32_t mark = part.tile.row_at[first + i];
    begin = mark != PACKED_NO_ROW ? first + i : begin;
    row = mark != PACKED_NO_ROW ? mark : row;
    if (first + i < part.place.num_edges && row < part.place.num_rows)
      each(i, row, begin);
  }
}

/* Bits of the tile, from its first on. */
struct part_bits {
  uint32_t begin, end;
};

/* Of the thread's group 0 or 1 of gaps. */
QN_DEVICE_INLINE struct part_bits part_group_bits(const struct packed_gap_place &gaps,
                                                  uint32_t group) {
  const uint32_t begin = gaps.bit + (group ? QN_PACKED_GROUP * gaps.width0 : 0);
  return {begin, begin + QN_PACKED_GROUP * (group ? gaps.width1 : gaps.width0)};
}

QN_DEVICE_INLINE bool part_has_bit(const struct packed_part &part, uint32_t bit) {
  const uint32_t sector = (part.words_lead + bit) / (32 * PART_SECTOR);
  return sector < PART_TILE_SECTORS && (part.brought[sector / 32] >> sector % 32 & 1);
}

/* Has all of it come? It lies in two sectors at most. */
QN_DEVICE_INLINE bool part_has_come(const struct packed_part &part,
                                    const struct packed_gap_place &gaps, uint32_t group) {
  const struct part_bits bits = part_group_bits(gaps, group);
  return bits.begin == bits.end ||
         (part_has_bit(part, bits.begin) && part_has_bit(part, bits.end - 1));
}

/* Ask for what the thread's edges take. */
QN_DEVICE_INLINE void part_want_edges(const struct packed_part &part,
                                      const struct packed_gap_place &gaps) {
  const uint32_t first = threadIdx.x * PACKED_ITEMS;
  const uint32_t left = part.place.num_edges - first;
  const uint32_t end = first + (left < PACKED_ITEMS ? left : PACKED_ITEMS);
  part_want_bits(part, gaps.bit, gaps.bit + QN_PACKED_GROUP * (gaps.width0 + gaps.width1));
  if (PROGRAM_USES_WEIGHTS)
    part_want(part, PART_TILE_SECTORS, part.weights_lead + first * part.weight_bits,
              part.weights_lead + end * part.weight_bits);
}

/* ---- What is done with them -------------------------------------------------------------- */

/* Rows of a tile that are needed, and what of their edges is here. */
struct packed_needed {
  struct packed_part part;
  uint32_t *rows; /* bits */
  struct packed_gap_place gaps;
  uint32_t begin_before;
  struct packed_edges edges; /* the thread's */
  uint32_t bytes;            /* that the thread brought */
};

/* Find rows of which needs(row) is true, and where their edges lie. False if there is nothing to
 * do. All of the block call. */
template <class Needs>
QN_DEVICE_INLINE bool needed_begin(const struct packed_place &place,
                                   const struct packed_weights &weights, Needs needs,
                                   struct packed_needed *needed) {
  if (place.num_words * 4 < packed_code_bytes(place)) /* the same for all */
    return false;
  needed->rows = part_needed_rows(place, needs);
  if (!needed->rows)
    return false;
  part_begin(place, weights, &needed->part);
  needed->bytes = part_bring_lengths(needed->part);
  needed->gaps = packed_find_gaps(place, needed->part.tile);
  needed->begin_before = part_begin_before(needed->part.tile);
  return true;
}

/* each(i, row, begin) for the thread's edges in rows that are needed. */
template <class Each>
QN_DEVICE_INLINE void needed_edges(const struct packed_needed &needed, Each each) {
  part_each_edge(needed.part, needed.begin_before, [&](uint32_t i, uint32_t row, uint32_t begin) {
    if (part_needs(needed.rows, row))
      each(i, row, begin);
  });
}

/* Ask for all of their edges. */
QN_DEVICE_INLINE void needed_want(const struct packed_needed &needed) {
  bool wants = false;
  needed_edges(needed, [&](uint32_t, uint32_t, uint32_t) { wants = true; });
  if (wants)
    part_want_edges(needed.part, needed.gaps);
}

/* Bring and decode what was asked for. All of the block call. */
QN_DEVICE_INLINE void needed_bring(uint64_t num_vertices, struct packed_needed *needed) {
  needed->bytes += part_bring(needed->part);
  packed_decode_gaps(num_vertices, needed->part.place, needed->part.tile, needed->gaps,
                     &needed->edges);
}

/* Push from the tile's active rows. All of the block call, and a barrier follows. Returns the bytes
 * that the thread brought. */
QN_DEVICE_INLINE uint32_t push_tile_part(const struct sweep_state &state,
                                         const struct qn_program_context &context,
                                         const struct packed_place &place,
                                         const struct packed_weights &weights) {
  struct packed_needed needed;
  auto sends = [&](uint32_t row) {
    const uint32_t vertex = place.first_row + row;
    return sweep_is_active(state, vertex) && state.layout.lengths[vertex] > 0;
  };
  if (!needed_begin(place, weights, sends, &needed))
    return 0;
  needed_want(needed);
  needed_bring(state.layout.tiles.num_vertices, &needed);
  needed_edges(needed, [&](uint32_t i, uint32_t row, uint32_t) {
    packed_push<false>(state, context, place.first_row + row,
                       packed_weight(needed.part.weights, threadIdx.x * PACKED_ITEMS + i),
                       needed.edges.columns[i]);
  });
  return needed.bytes;
}

#if PROGRAM_FIRST_SUFFICES

/* ---- Searches ---------------------------------------------------------------------------- */

static_assert(!PROGRAM_USES_WEIGHTS, "weights come with all of a row alone");

/* Of the thread's two groups: from which group on have all come, up to it? */
struct part_here {
  uint32_t from[2];

  __device__ bool has(uint32_t i, uint32_t begin) const {
    return from[i / QN_PACKED_GROUP] <= begin / QN_PACKED_GROUP;
  }
};

/* All of the block call, after a barrier that follows what was brought. */
QN_DEVICE_INLINE struct part_here needed_here(const struct packed_needed &needed) {
  const uint32_t first = 2 * threadIdx.x, after0 = first + 1, after1 = first + 2;
  const bool has0 = part_has_come(needed.part, needed.gaps, 0);
  const bool has1 = part_has_come(needed.part, needed.gaps, 1);
  const uint32_t before = part_last_before(!has1 ? after1 : !has0 ? after0 : 0);
  const uint32_t from0 = has0 ? before : after0;
  return {{from0, has1 ? from0 : after1}};
}

/* Ask for the sectors with each row's first group: where one of its first edges leads to an active
 * vertex, they are enough. */
QN_DEVICE_INLINE void needed_want_first(const struct packed_needed &needed) {
  needed_edges(needed, [&](uint32_t i, uint32_t, uint32_t begin) {
    const struct part_bits bits = part_group_bits(needed.gaps, i / QN_PACKED_GROUP);
    if (begin == threadIdx.x * PACKED_ITEMS + i)
      part_want_bits(needed.part, bits.begin, bits.end);
  });
}

/* Along edges that are here: one that leads to an active vertex ends its row, which is needed no
 * longer. Returns whether rows are left of which edges have not come. */
QN_DEVICE_INLINE bool search_edges(const struct sweep_state &state,
                                   const struct qn_program_context &context,
                                   const struct packed_needed &needed) {
  const struct part_here here = needed_here(needed);
  bool is_left = false;
  needed_edges(needed, [&](uint32_t i, uint32_t row, uint32_t begin) {
    const uint32_t vertex = needed.part.place.first_row + row, sender = needed.edges.columns[i];
    if (!here.has(i, begin)) {
      is_left = true;
    } else if (sweep_is_active(state, sender)) {
      atomicAnd(&needed.rows[row / 32], ~(1u << row % 32));
      search_receive(state, context, sender, 1, vertex);
      sweep_mark_received(state, vertex);
    }
  });
  return is_left;
}

/* Rows of the tile, undirected, that may be reached look for an active neighbour. As above. */
QN_DEVICE_INLINE uint32_t search_tile_part(const struct sweep_state &state,
                                           const struct qn_program_context &context,
                                           const struct packed_place &place,
                                           const struct packed_weights &weights) {
  struct packed_needed needed;
  auto looks = [&](uint32_t row) {
    const uint32_t vertex = place.first_row + row;
    return sweep_may_receive(state, context, vertex) && state.layout.lengths[vertex] > 0;
  };
  if (!needed_begin(place, weights, looks, &needed))
    return 0;
  needed_want_first(needed);
  needed_bring(state.layout.tiles.num_vertices, &needed);
  if (__syncthreads_or(search_edges(state, context, needed))) {
    needed_want(needed);
    needed_bring(state.layout.tiles.num_vertices, &needed);
    search_edges(state, context, needed);
  }
  return needed.bytes;
}

#endif

#endif

} /* namespace */
