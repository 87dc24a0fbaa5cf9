/* Records on disk, by the piles that they belong to: edges by the blocks of a set, ids by ranges of
 * them. Threads add to it, each through a sorter of its own; then a pile's records are read, in no
 * order. A record is some words of 64 bits. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

#define QN_SPILL_MOST_WORDS 4

struct qn_block_spill;
struct qn_block_sorter;

/* For `num_blocks` piles of records of `words` words, in the folder for temporary files. Owned
 * until destroy; NULL is allowed there. */
enum qn_status qn_block_spill_create(uint64_t num_blocks, unsigned words,
                                     struct qn_block_spill **out, struct qn_error *error);
void qn_block_spill_destroy(struct qn_block_spill *spill);

/* Of one thread. Closed by finish, also after a failure, which writes what is left. */
enum qn_status qn_block_sorter_open(struct qn_block_spill *spill, struct qn_block_sorter **out,
                                    struct qn_error *error);
enum qn_status qn_block_spill_add(struct qn_block_sorter *sorter, uint64_t block,
                                  const uint64_t *record, struct qn_error *error);
enum qn_status qn_block_sorter_finish(struct qn_block_sorter *sorter, enum qn_status status,
                                      struct qn_error *error);

/* Add some records of one pile, not through a sorter. From one thread at a time. */
enum qn_status qn_block_spill_put(struct qn_block_spill *spill, uint64_t block,
                                  const uint64_t *records, uint64_t count, struct qn_error *error);

uint64_t qn_block_spill_count(const struct qn_block_spill *spill, uint64_t block);
/* The records of a pile: [qn_block_spill_count][words]. */
enum qn_status qn_block_spill_look(const struct qn_block_spill *spill, uint64_t block,
                                   uint64_t *records, struct qn_error *error);
/* The same, once: their space is given back. */
enum qn_status qn_block_spill_take(const struct qn_block_spill *spill, uint64_t block,
                                   uint64_t *records, struct qn_error *error);

/* A pile comes in pieces of at most so many records, if nothing was put. Piece `index` is taken,
 * too:
 * `*count` records. From any thread. */
uint64_t qn_block_spill_piece_room(const struct qn_block_spill *spill);
uint64_t qn_block_spill_num_pieces(const struct qn_block_spill *spill, uint64_t block);
enum qn_status qn_block_spill_take_piece(const struct qn_block_spill *spill, uint64_t block,
                                         uint64_t index, uint64_t *records, uint64_t *count,
                                         struct qn_error *error);
