/* Cutting a shards layout into chunks of equal work for CPU threads (Garaph, section 4.1). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/shards.h>

/* Edges and rows of one chunk. Chunks do not depend on the number of threads, so that sums have one
 * order. */
#define QN_SH_CHUNK_COST ((uint64_t)1 << 14)
/* Edges and rows that are worked on between two barriers, at least: a page, or several small ones.
 */
#define QN_SH_BATCH_COST ((uint64_t)1 << 20)

/* In-edges [edge_begin, edge_end). Rows [row_begin, row_end) end in the chunk; row_begin may have
 * begun in a chunk before, and row_end goes on in the next one. */
struct qn_sh_chunk {
  uint64_t edge_begin, edge_end;
  uint32_t row_begin, row_end;
};

struct qn_sh_chunks {
  uint64_t num_batches;
  uint64_t *batches; /* [num_batches + 1] batch b is the chunks [batches[b], batches[b + 1]) */
  uint64_t num_chunks;
  struct qn_sh_chunk *chunks;
};

/* Of a checked layout. Owned until qn_sh_chunks_destroy. */
enum qn_status qn_sh_chunks_create(struct qn_sh_chunks *chunks, const struct qn_shards *view,
                                   struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_sh_chunks_destroy(struct qn_sh_chunks *chunks);

/* Did the chunk's first row begin in a chunk before? */
static inline bool qn_sh_chunk_is_cut(const struct qn_shards *view,
                                      const struct qn_sh_chunk *chunk) {
  return chunk->row_begin < view->num_vertices &&
         chunk->edge_begin > view->in.row_offsets[chunk->row_begin];
}
