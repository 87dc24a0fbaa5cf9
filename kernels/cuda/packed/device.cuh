/* Packed rows in device memory. Needs a completed program. */
#pragma once

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/device/memory.cuh"
#include "kernels/cuda/sweep/in_place_device.cuh"
#include "kernels/engine.h"
#include <quern/packed.h>

namespace {

/* Weights that are stored as codes (specs/packed.md): what of them is the same for all tiles. */
struct packed_codes {
  bool there;
  unsigned bits; /* of a code */
  uint32_t most; /* code */
  uint32_t least;
  const uint32_t *values; /* by code; NULL: the code is added to the least */
};

/* The weights of a tile's edges. */
struct packed_weights {
  struct qn_weights plain; /* their type alone if they are codes */
  struct packed_codes codes;
  const uint32_t *words;
  uint64_t bit; /* of the first code in the words */
};

/* Of one direction. */
struct packed_tiles {
  uint64_t num_vertices, num_tiles;
  uint64_t num_words;        /* of tiles that are not moved, without those behind them */
  const uint32_t *rows;      /* [T + 1] */
  const uint64_t *edges;     /* [T + 1] */
  const uint64_t *starts;    /* [T + 1] */
  const uint32_t *words;     /* NULL if they are streamed */
  struct qn_weights weights; /* their type alone if they are streamed, or codes */
  struct packed_codes codes;
  const uint32_t *code_words; /* NULL if they are streamed */
};

struct engine_device {
  struct packed_tiles tiles;     /* of in-edges where all vertices are active, else of out-edges */
  struct packed_tiles below;     /* of in-edges where some vertices are, or no words */
  const uint32_t *unit_tiles;    /* [units + 1] if they are streamed */
  uint64_t first_tile, end_tile; /* of several devices: this one's; all of one that is alone */
  const uint32_t *degrees;       /* [V] if the program uses out-degrees */
  program_accumulator *heads;    /* all active: [T] of the first row of each tile */
  /* Frontier programs, where all is resident: */
  uint32_t *listed;          /* [T] tiles with active vertices: frontier.cuh */
  uint32_t *num_listed;      /* [2] of them from the front on, and from the back on */
  unsigned long long *edges; /* of active vertices, where it is asked for */
  /* Searches, where all is resident: search.cuh */
  uint32_t *open;      /* [V / 32 + 1] bits: may be, and may have in-edges */
  unsigned int *ended; /* [3] blocks that have ended the level, vertices reached, open */
  /* Frontier programs, where tiles are read where they lie, on the host: read_in_place.cuh */
  struct packed_tiles host_tiles;
  const uint16_t *lengths; /* [V] of rows, UINT16_MAX at most */
  struct units_in_place in_place;
};

/* The weights of a tile whose first edge is edge `first` of those whose weights lie at `data`, and
 * `before` edges behind the first one of these. */
QN_DEVICE_INLINE struct packed_weights packed_weights_from(const struct packed_tiles &tiles,
                                                           const void *data, uint64_t first,
                                                           uint64_t before) {
  struct packed_weights weights;
  weights.plain.type = PROGRAM_USES_WEIGHTS ? tiles.weights.type : QN_WEIGHT_NONE;
  weights.plain.data = NULL;
  weights.codes = tiles.codes;
  weights.words = NULL;
  weights.bit = 0;
  if (PROGRAM_USES_WEIGHTS && data) {
    weights.words = (const uint32_t *)data;
    weights.plain.data = weights.words + (tiles.codes.there ? 0 : before);
    weights.bit = first % 32 * tiles.codes.bits % 32 + before * tiles.codes.bits;
  }
  return weights;
}

/* The weight of an edge, counted from the tile's first. */
QN_DEVICE_INLINE program_weight packed_weight(const struct packed_weights &weights, uint32_t edge) {
  if (!PROGRAM_USES_WEIGHTS || weights.plain.type == QN_WEIGHT_NONE || !weights.codes.there)
    return engine_weight(&weights.plain, edge);
  const struct packed_codes &codes = weights.codes;
  const uint64_t bit = weights.bit + (uint64_t)edge * codes.bits;
  const uint32_t *at = weights.words + bit / 32;
  const uint64_t both = (uint64_t)at[1] << 32 | at[0];
  uint32_t code = (uint32_t)(both >> bit % 32 & (((uint64_t)1 << codes.bits) - 1));
  code = code < codes.most ? code : codes.most;
  const uint32_t value = codes.values ? codes.values[code] : codes.least + code;
  struct qn_weights one;
  one.type = weights.plain.type;
  one.data = &value;
  return engine_weight(&one, 0);
}

QN_DEVICE_INLINE uint64_t engine_out_degree(const struct engine_device &device, uint32_t vertex) {
  return device.degrees[vertex];
}

} /* namespace */
