#include "kernels/cpu/shards/chunks.h"

#include "support/memory.h"
#include "support/used_files.h"

/* Edges and rows before a row. */
static uint64_t cost_before(const struct qn_shards *view, uint64_t row) {
  return view->in.row_offsets[row] + row;
}

/* The last row of [first, last] that has at most `cost` before it. */
static uint64_t row_at_cost(const struct qn_shards *view, uint64_t first, uint64_t last,
                            uint64_t cost) {
  while (first < last) {
    uint64_t middle = first + (last - first + 1) / 2;
    if (cost_before(view, middle) <= cost)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/* The first vertex of the page where the batch that begins with `page` ends, and that page. */
static uint64_t batch_end(const struct qn_shards *view, uint64_t page, uint64_t *next_page) {
  uint64_t begin = cost_before(view, view->vertex_offsets[view->page_shards[page]]), end = begin;
  uint64_t row = 0;
  while (page < view->num_pages && end - begin < QN_SH_BATCH_COST) {
    row = view->vertex_offsets[view->page_shards[++page]];
    end = cost_before(view, row);
  }
  *next_page = page;
  return row;
}

/* Cut the rows [first, last) like a merge of edges and row ends: a chunk takes the next
 * QN_SH_CHUNK_COST of both. */
static void cut_batch(const struct qn_shards *view, uint64_t first, uint64_t last,
                      struct qn_sh_chunk *chunks, uint64_t count) {
  uint64_t cost = cost_before(view, first), row = first, edge = view->in.row_offsets[first];
  for (uint64_t i = 0; i < count; i++) {
    cost += QN_SH_CHUNK_COST;
    chunks[i].row_begin = (uint32_t)row;
    chunks[i].edge_begin = edge;
    row = i + 1 == count ? last : row_at_cost(view, row, last, cost);
    edge = i + 1 == count ? view->in.row_offsets[last] : cost - row;
    chunks[i].row_end = (uint32_t)row;
    chunks[i].edge_end = edge;
  }
}

static uint64_t chunks_between(const struct qn_shards *view, uint64_t first, uint64_t last) {
  uint64_t cost = cost_before(view, last) - cost_before(view, first);
  return (cost + QN_SH_CHUNK_COST - 1) / QN_SH_CHUNK_COST;
}

enum qn_status qn_sh_chunks_create(struct qn_sh_chunks *chunks, const struct qn_shards *view,
                                   struct qn_error *error) {
  uint64_t cost = view->num_vertices + view->num_edges;
  *chunks = (struct qn_sh_chunks){0};
  const uint64_t room = cost / QN_SH_BATCH_COST + 1,
                 chunk_room = cost / QN_SH_CHUNK_COST + room + 1;
  enum qn_status status =
      qn_alloc(&chunks->batches, room + 1, sizeof *chunks->batches, "batches of pages", error);
  if (!status)
    status =
        qn_alloc(&chunks->chunks, chunk_room, sizeof *chunks->chunks, "chunks of pages", error);
  if (status) {
    qn_sh_chunks_destroy(chunks);
    return status;
  }
  chunks->batches[0] = 0;
  for (uint64_t page = 0, row = 0; page < view->num_pages;) {
    uint64_t last = batch_end(view, page, &page);
    uint64_t count = chunks_between(view, row, last);
    if (chunks->num_batches == room || count > chunk_room - chunks->num_chunks) {
      qn_sh_chunks_destroy(chunks);
      return qn_input_changed(error);
    }
    cut_batch(view, row, last, chunks->chunks + chunks->num_chunks, count);
    chunks->num_chunks += count;
    chunks->batches[++chunks->num_batches] = chunks->num_chunks;
    row = last;
  }
  return QN_OK;
}

void qn_sh_chunks_destroy(struct qn_sh_chunks *chunks) {
  qn_free(chunks->batches);
  qn_free(chunks->chunks);
  *chunks = (struct qn_sh_chunks){0};
}
