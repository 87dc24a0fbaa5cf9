#include "converters/blocks/spill.h"

#include <stdbool.h>

#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* What a sorter has in memory, of all blocks together, if so much is allowed; and of one. */
#define SORTER_BYTES ((uint64_t)32 << 20)
#define LEAST_RECORDS 64
#define MOST_RECORDS 8192

/* A piece of the file that is of one block. */
struct piece {
  uint64_t offset, count;
};

struct pieces {
  struct piece *list; /* [room] */
  uint64_t count, room, num_records;
};

struct qn_block_spill {
  struct qn_temp_file *file;
  uint64_t num_blocks;
  unsigned words; /* of a record */
  uint64_t batch; /* records of a piece, but for the last ones */
  struct pieces *blocks;
};

struct qn_block_sorter {
  struct qn_block_spill *spill;
  uint64_t *records; /* [num_blocks][batch][words] */
  uint32_t *counts;  /* [num_blocks] */
};

/* Sorters of all threads take a quarter of the memory that is allowed. */
static uint64_t sorter_bytes(void) {
  const uint64_t share = qn_memory_limit() / 4 / qn_threads();
  return qn_memory_limit() && share < SORTER_BYTES ? share : SORTER_BYTES;
}

enum qn_status qn_block_spill_create(uint64_t num_blocks, unsigned words,
                                     struct qn_block_spill **out, struct qn_error *error) {
  struct qn_block_spill *spill;
  const uint64_t batch = sorter_bytes() / (words * sizeof(uint64_t)) / num_blocks;
  const char *folder = qn_temp_folder() ? qn_temp_folder() : qn_default_temp_folder();
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&spill, 1, sizeof *spill, "edges on disk", error);
  if (status)
    return status;
  spill->num_blocks = num_blocks;
  spill->words = words;
  spill->batch = batch < LEAST_RECORDS  ? LEAST_RECORDS
                 : batch > MOST_RECORDS ? MOST_RECORDS
                                        : batch;
  status = qn_alloc_zeroed(&spill->blocks, num_blocks, sizeof *spill->blocks, "blocks", error);
  if (!status)
    status = qn_temp_file_create(folder, &spill->file, error);
  if (status)
    qn_block_spill_destroy(spill);
  else
    *out = spill;
  return status;
}

void qn_block_spill_destroy(struct qn_block_spill *spill) {
  if (!spill)
    return;
  for (uint64_t b = 0; spill->blocks && b < spill->num_blocks; b++)
    qn_free(spill->blocks[b].list);
  qn_free(spill->blocks);
  qn_temp_file_destroy(spill->file);
  qn_free(spill);
}

/* One thread at a time. */
static enum qn_status list_piece(struct pieces *pieces, struct piece piece,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (pieces->count == pieces->room) {
    const uint64_t room = pieces->room ? 2 * pieces->room : 8;
    status = qn_realloc(&pieces->list, room, sizeof *pieces->list, "edges on disk", error);
    pieces->room = status ? pieces->room : room;
  }
  if (!status) {
    pieces->list[pieces->count++] = piece;
    pieces->num_records += piece.count;
  }
  return status;
}

enum qn_status qn_block_sorter_open(struct qn_block_spill *spill, struct qn_block_sorter **out,
                                    struct qn_error *error) {
  struct qn_block_sorter *sorter;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&sorter, 1, sizeof *sorter, "edges of blocks", error);
  if (status)
    return status;
  sorter->spill = spill;
  status = qn_alloc_zeroed(&sorter->counts, spill->num_blocks, sizeof *sorter->counts,
                           "edges of blocks", error);
  if (!status)
    status = qn_pages_alloc(&sorter->records, spill->num_blocks * spill->batch,
                            spill->words * sizeof *sorter->records, "edges of blocks", error);
  if (status)
    qn_block_sorter_finish(sorter, status, error);
  else
    *out = sorter;
  return status;
}

static enum qn_status put_piece(struct qn_block_spill *spill, uint64_t block,
                                const uint64_t *records, uint64_t count, struct qn_error *error) {
  struct piece piece = {.count = count};
  struct qn_error failure;
  enum qn_status status = qn_temp_file_append(
      spill->file, records, count * spill->words * sizeof *records, &piece.offset, &failure);
  if (!status) {
#pragma omp critical(qn_block_spill_pieces)
    status = list_piece(&spill->blocks[block], piece, &failure);
  }
  if (status)
    *error = failure;
  return status;
}

enum qn_status qn_block_spill_put(struct qn_block_spill *spill, uint64_t block,
                                  const uint64_t *records, uint64_t count, struct qn_error *error) {
  return count ? put_piece(spill, block, records, count, error) : QN_OK;
}

static uint64_t *records_of(const struct qn_block_sorter *sorter, uint64_t block) {
  return sorter->records + block * sorter->spill->batch * sorter->spill->words;
}

static enum qn_status write_batch(struct qn_block_sorter *sorter, uint64_t block,
                                  struct qn_error *error) {
  const uint64_t count = sorter->counts[block];
  sorter->counts[block] = 0;
  return put_piece(sorter->spill, block, records_of(sorter, block), count, error);
}

enum qn_status qn_block_spill_add(struct qn_block_sorter *sorter, uint64_t block,
                                  const uint64_t *record, struct qn_error *error) {
  const unsigned words = sorter->spill->words;
  uint64_t *to = records_of(sorter, block) + (uint64_t)sorter->counts[block]++ * words;
  for (unsigned i = 0; i < words; i++)
    to[i] = record[i];
  return sorter->counts[block] == sorter->spill->batch ? write_batch(sorter, block, error) : QN_OK;
}

enum qn_status qn_block_sorter_finish(struct qn_block_sorter *sorter, enum qn_status status,
                                      struct qn_error *error) {
  const struct qn_block_spill *spill = sorter->spill;
  for (uint64_t b = 0; !status && b < spill->num_blocks; b++)
    if (sorter->counts[b])
      status = write_batch(sorter, b, error);
  qn_pages_free(sorter->records, spill->num_blocks * spill->batch,
                spill->words * sizeof *sorter->records);
  qn_free(sorter->counts);
  qn_free(sorter);
  return status;
}

/* ---- Reading ------------------------------------------------------------------ */

uint64_t qn_block_spill_count(const struct qn_block_spill *spill, uint64_t block) {
  return spill->blocks[block].num_records;
}

uint64_t qn_block_spill_piece_room(const struct qn_block_spill *spill) {
  return spill->batch;
}

uint64_t qn_block_spill_num_pieces(const struct qn_block_spill *spill, uint64_t block) {
  return spill->blocks[block].count;
}

static enum qn_status read_piece(const struct qn_block_spill *spill, const struct piece *piece,
                                 bool take, uint64_t *records, struct qn_error *error) {
  const uint64_t bytes = piece->count * spill->words * sizeof *records;
  enum qn_status status = qn_temp_file_read(spill->file, records, bytes, piece->offset, error);
  if (take)
    qn_temp_file_drop(spill->file, bytes, piece->offset);
  return status;
}

enum qn_status qn_block_spill_take_piece(const struct qn_block_spill *spill, uint64_t block,
                                         uint64_t index, uint64_t *records, uint64_t *count,
                                         struct qn_error *error) {
  const struct piece *piece = &spill->blocks[block].list[index];
  *count = piece->count;
  return read_piece(spill, piece, true, records, error);
}

static enum qn_status read_pile(const struct qn_block_spill *spill, uint64_t block, bool take,
                                uint64_t *records, struct qn_error *error) {
  const struct pieces *pieces = &spill->blocks[block];
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < pieces->count; i++) {
    status = read_piece(spill, &pieces->list[i], take, records, error);
    records += pieces->list[i].count * spill->words;
  }
  return status;
}

enum qn_status qn_block_spill_look(const struct qn_block_spill *spill, uint64_t block,
                                   uint64_t *records, struct qn_error *error) {
  return read_pile(spill, block, false, records, error);
}

enum qn_status qn_block_spill_take(const struct qn_block_spill *spill, uint64_t block,
                                   uint64_t *records, struct qn_error *error) {
  return read_pile(spill, block, true, records, error);
}
