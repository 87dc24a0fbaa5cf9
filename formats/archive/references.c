/* Rows by references: one walk over the rows of a frame, the same for both ways. The decoder
 * believes nothing: what it copies is there, and what it writes has room. */
#include "formats/archive/references.h"

#include "formats/archive/symbols.h"
#include "support/search.h"

/* ---- Models ------------------------------------------------------------------- */

enum { BLOCK_PLACES = 4, BLOCK_LENGTHS = 12, FIRST_LENGTHS = 12, GAPS_LEFT = 5, GAP_LENGTHS = 24 };

struct models {
  struct qn_symbol_model back[3];                             /* by that of the row before */
  struct qn_symbol_model blocks[BLOCK_PLACES][BLOCK_LENGTHS]; /* by number, and what is left */
  struct qn_symbol_model firsts[FIRST_LENGTHS][2];            /* by how many rest; with copies? */
  struct qn_symbol_model gaps[GAPS_LEFT][GAP_LENGTHS]; /* by how many are left, and the last one */
  struct qn_number_models of_back, of_blocks, of_firsts, of_gaps;
};

static void reset(struct models *models) {
  qn_symbol_models_reset((struct qn_symbol_model *)(void *)models,
                         sizeof *models / sizeof(struct qn_symbol_model));
}

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static struct qn_symbol_model *model_of_back(struct models *models, uint32_t back_before) {
  return &models->back[least(back_before, 2)];
}

/* Blocks are copied and skipped by turns, `left` elements of the other row are left. */
static struct qn_symbol_model *model_of_block(struct models *models, uint32_t number,
                                              uint32_t left) {
  return &models->blocks[number < BLOCK_PLACES ? number : 2 + (number & 1)]
                        [least(qn_number_length(left), BLOCK_LENGTHS - 1)];
}

static struct qn_symbol_model *model_of_first(struct models *models, uint32_t count, bool copies) {
  return &models->firsts[least(qn_number_length(count), FIRST_LENGTHS - 1)][copies];
}

static struct qn_symbol_model *model_of_gap(struct models *models, uint32_t number, uint32_t left,
                                            uint32_t before) {
  return &models->gaps[number == 1 ? 0 : least(qn_number_length(left), GAPS_LEFT - 1)]
                      [least(qn_number_length(before), GAP_LENGTHS - 1)];
}

static uint32_t zigzag(uint32_t difference) {
  return difference << 1 ^ (uint32_t) - (int32_t)(difference >> 31);
}

static uint32_t unzigzag(uint32_t code) {
  return code >> 1 ^ (uint32_t) - (int32_t)(code & 1);
}

/* ---- Rows of a frame ---------------------------------------------------------- */

/* The rows at hand: the last QN_MOST_BACK with columns here, by number modulo that. */
struct walk {
  const struct qn_row_slices *slices;
  uint64_t row, place; /* the next row; columns before it */
  uint32_t num_rows;   /* that had columns */
  uint32_t begins[QN_MOST_BACK], lengths[QN_MOST_BACK];
  uint32_t back; /* of the row before */
};

/* The row in which column `first` lies: the last that begins there or before. */
static void walk_begin(struct walk *walk, const struct qn_row_slices *slices) {
  *walk = (struct walk){
      .slices = slices,
      .row = qn_range_at_u64(slices->row_offsets, 0, slices->num_rows, slices->first)};
}

/* Columns of the next row that has any here; 0 at the end. */
static uint32_t next_row(struct walk *walk) {
  const struct qn_row_slices *slices = walk->slices;
  const uint64_t at = slices->first + walk->place, end = slices->first + slices->count;
  while (walk->row < slices->num_rows && slices->row_offsets[walk->row + 1] <= at)
    walk->row++;
  if (at >= end || walk->row >= slices->num_rows)
    return 0;
  const uint64_t row_end = slices->row_offsets[walk->row + 1];
  return (uint32_t)((row_end < end ? row_end : end) - at);
}

static void end_row(struct walk *walk, uint32_t length, uint32_t back) {
  walk->begins[walk->num_rows % QN_MOST_BACK] = (uint32_t)walk->place;
  walk->lengths[walk->num_rows % QN_MOST_BACK] = length;
  walk->num_rows++;
  walk->place += length;
  walk->row++;
  walk->back = back;
}

/* The row that is `back` rows before. */
static uint32_t number_of(const struct walk *walk, uint32_t back) {
  return (walk->num_rows - back) % QN_MOST_BACK;
}

static uint32_t most_back(const struct walk *walk) {
  return least(walk->num_rows, QN_MOST_BACK);
}

/* ---- Encoding ----------------------------------------------------------------- */

struct row {
  const uint32_t *columns;
  uint32_t length, number;
};

/* A row split by another. */
struct split {
  uint32_t *blocks, *rest; /* [length + 1], [length] */
  uint32_t num_blocks, num_rest;
  uint32_t other_length;
};

struct encoder {
  struct models models;
  struct split best, trial;
  struct qn_symbols_out out;
};

/* Items of a row: its reference, as many blocks as it has columns and one more, and columns. */
static uint64_t most_items(uint64_t count) {
  return QN_ITEMS_OF_NUMBER * (2 * count + 2 * count);
}

uint64_t qn_references_bound(uint64_t count) {
  /* A row refers by two symbols and plain bits, an element takes three and plain bits. */
  return 16 + 13 * count;
}

uint64_t qn_references_scratch(uint64_t count, bool encode) {
  return encode ? sizeof(struct encoder) + 4 * (4 * (count + 1) + most_items(count))
                : sizeof(struct models) + 4 * count;
}

static void split_alone(const struct row *row, struct split *split) {
  memcpy(split->rest, row->columns, row->length * sizeof *split->rest);
  split->num_rest = row->length;
  split->num_blocks = split->other_length = 0;
}

/* Split by what is in `other`; false if that takes more blocks than the row has columns. The last
 * block is not counted: it reaches to the end. */
static bool split_by(const struct row *row, const uint32_t *other, uint32_t other_length,
                     struct split *split) {
  uint32_t i = 0, j = 0, copied = 0, num_rest = 0, num_blocks = 0;
  bool copying = true;
  while (i < other_length && copied < row->length) {
    const uint32_t begin = i;
    for (; i < other_length && copied < row->length; i++) {
      while (j < row->length && row->columns[j] < other[i])
        split->rest[num_rest++] = row->columns[j++];
      const bool same = j < row->length && row->columns[j] == other[i];
      if (same != copying)
        break;
      j += same;
      copied += same;
    }
    if (num_blocks > row->length)
      return false;
    split->blocks[num_blocks++] = i - begin;
    copying = !copying;
  }
  while (j < row->length)
    split->rest[num_rest++] = row->columns[j++];
  split->num_rest = num_rest;
  split->num_blocks = num_blocks;
  split->other_length = other_length;
  return copied > 0;
}

/* A block as a number: 0 to the end, of the first block one more than its length. */
static uint32_t block_code(const struct split *split, uint32_t number) {
  if (number + 1 == split->num_blocks)
    return 0;
  return split->blocks[number] + (number == 0);
}

static uint32_t cost_of(struct models *models, const struct row *row, const struct split *split,
                        uint32_t back, uint32_t back_before, uint32_t most) {
  uint32_t cost = qn_number_cost(model_of_back(models, back_before), &models->of_back, back);
  uint32_t left = split->other_length, last = row->number, before = 0;
  for (uint32_t i = 0; i < split->num_blocks && cost < most; i++) {
    cost +=
        qn_number_cost(model_of_block(models, i, left), &models->of_blocks, block_code(split, i));
    left -= split->blocks[i];
  }
  for (uint32_t i = 0; i < split->num_rest && cost < most; i++) {
    const uint32_t code = i ? split->rest[i] - last - 1 : zigzag(split->rest[i] - last);
    cost += i ? qn_number_cost(model_of_gap(models, i, split->num_rest - i, before),
                               &models->of_gaps, code)
              : qn_number_cost(model_of_first(models, split->num_rest, back > 0),
                               &models->of_firsts, code);
    last = split->rest[i];
    before = code;
  }
  return cost;
}

static void put_row(struct encoder *encoder, const struct walk *walk, const struct row *row,
                    uint32_t back) {
  struct models *models = &encoder->models;
  const struct split *split = &encoder->best;
  uint32_t left = split->other_length, last = row->number, before = 0;
  if (walk->num_rows)
    qn_put_number(&encoder->out, model_of_back(models, walk->back), &models->of_back, back);
  for (uint32_t i = 0; i < split->num_blocks; i++) {
    qn_put_number(&encoder->out, model_of_block(models, i, left), &models->of_blocks,
                  block_code(split, i));
    left -= split->blocks[i];
  }
  for (uint32_t i = 0; i < split->num_rest; i++) {
    const uint32_t code = i ? split->rest[i] - last - 1 : zigzag(split->rest[i] - last);
    if (i)
      qn_put_number(&encoder->out, model_of_gap(models, i, split->num_rest - i, before),
                    &models->of_gaps, code);
    else
      qn_put_number(&encoder->out, model_of_first(models, split->num_rest, back > 0),
                    &models->of_firsts, code);
    last = split->rest[i];
    before = code;
  }
}

/* The row to copy from that costs least, as models stand; 0 for none. */
static uint32_t find_reference(struct encoder *encoder, const struct walk *walk,
                               const struct row *row, const uint32_t *columns, unsigned most) {
  uint32_t best_back = 0;
  split_alone(row, &encoder->best);
  uint32_t best = cost_of(&encoder->models, row, &encoder->best, 0, walk->back, UINT32_MAX);
  for (uint32_t back = 1; back <= least(most, most_back(walk)); back++) {
    const uint32_t other = number_of(walk, back);
    if (!split_by(row, columns + walk->begins[other], walk->lengths[other], &encoder->trial))
      continue;
    const uint32_t cost = cost_of(&encoder->models, row, &encoder->trial, back, walk->back, best);
    if (cost >= best)
      continue;
    const struct split split = encoder->best;
    encoder->best = encoder->trial;
    encoder->trial = split;
    best = cost;
    best_back = back;
  }
  return best_back;
}

/* The same, but for 0 where that takes more than its bound. */
static uint64_t encode(const struct qn_row_slices *slices, const uint32_t *columns, unsigned back,
                       void *scratch, uint8_t *out) {
  struct encoder *encoder = scratch;
  uint32_t *memory = (uint32_t *)(encoder + 1);
  const uint64_t room = slices->count + 1;
  struct walk walk;
  struct row row;
  reset(&encoder->models);
  encoder->best = (struct split){.blocks = memory, .rest = memory + room};
  encoder->trial = (struct split){.blocks = memory + 2 * room, .rest = memory + 3 * room};
  encoder->out = (struct qn_symbols_out){.items = memory + 4 * room};
  walk_begin(&walk, slices);
  while ((row.length = next_row(&walk))) {
    row.columns = columns + walk.place;
    row.number = slices->first_row + (uint32_t)walk.row;
    const uint32_t reference = find_reference(encoder, &walk, &row, columns, back);
    put_row(encoder, &walk, &row, reference);
    end_row(&walk, row.length, reference);
  }
  return qn_symbols_finish(&encoder->out, out, qn_references_bound(slices->count));
}

uint64_t qn_references_encode(const struct qn_row_slices *slices, const uint32_t *columns,
                              unsigned back, void *scratch, uint8_t *out) {
  const uint64_t bytes = encode(slices, columns, back, scratch, out);
  return bytes ? bytes : encode(slices, columns, 0, scratch, out);
}

/* ---- Decoding ----------------------------------------------------------------- */

struct decoder {
  struct models *models;
  uint32_t *copied; /* [count] of the row at hand */
  uint32_t *columns;
  struct qn_symbols_in in;
};

/* Copy blocks of the row that is `back` rows before; false if they are not of it. */
static bool get_copies(struct decoder *decoder, const struct walk *walk, uint32_t back,
                       uint32_t length, uint32_t *num_copied) {
  const uint32_t number = number_of(walk, back), other_length = walk->lengths[number];
  const uint32_t *other = decoder->columns + walk->begins[number];
  uint32_t place = 0, copied = 0;
  for (uint32_t block = 0; place < other_length && copied < length; block++) {
    const bool copying = block % 2 == 0;
    const uint32_t left = other_length - place;
    const uint32_t most = copying ? least(left, length - copied) : left;
    const uint32_t code = qn_get_number(&decoder->in, model_of_block(decoder->models, block, left),
                                        &decoder->models->of_blocks);
    const uint32_t block_length = code ? code - (block == 0) : most;
    if (block_length > most || decoder->in.over)
      return false;
    if (copying) {
      memcpy(decoder->copied + copied, other + place, block_length * sizeof *other);
      copied += block_length;
    }
    place += block_length;
  }
  *num_copied = copied;
  return true;
}

/* The rest of a row, and what is copied, in ascending order. */
static void get_rest(struct decoder *decoder, uint32_t row, uint32_t length, uint32_t num_copied,
                     bool copies, uint32_t *out) {
  const uint32_t *copied = decoder->copied, *copied_end = copied + num_copied;
  const uint32_t num_rest = length - num_copied;
  uint32_t column = row, before = 0;
  for (uint32_t i = 0; i < num_rest; i++) {
    if (i) {
      before = qn_get_number(&decoder->in, model_of_gap(decoder->models, i, num_rest - i, before),
                             &decoder->models->of_gaps);
      column += before + 1;
    } else {
      before = qn_get_number(&decoder->in, model_of_first(decoder->models, num_rest, copies),
                             &decoder->models->of_firsts);
      column += unzigzag(before);
    }
    while (copied < copied_end && *copied <= column)
      *out++ = *copied++;
    *out++ = column;
  }
  memcpy(out, copied, (size_t)(copied_end - copied) * sizeof *out);
}

bool qn_references_decode(const struct qn_row_slices *slices, const uint8_t *in, uint64_t bytes,
                          void *scratch, uint32_t *columns) {
  struct decoder decoder = {.models = scratch, .columns = columns};
  struct walk walk;
  uint32_t length;
  decoder.copied = (uint32_t *)(decoder.models + 1);
  if (!qn_symbols_begin(&decoder.in, in, bytes))
    return false;
  reset(decoder.models);
  walk_begin(&walk, slices);
  while ((length = next_row(&walk)) && !decoder.in.over) {
    uint32_t back = 0, num_copied = 0;
    if (walk.num_rows)
      back = qn_get_number(&decoder.in, model_of_back(decoder.models, walk.back),
                           &decoder.models->of_back);
    if (back > most_back(&walk) ||
        (back && !get_copies(&decoder, &walk, back, length, &num_copied)))
      return false;
    get_rest(&decoder, slices->first_row + (uint32_t)walk.row, length, num_copied, back > 0,
             columns + walk.place);
    end_row(&walk, length, back);
  }
  return walk.place == slices->count && qn_symbols_at_end(&decoder.in);
}
