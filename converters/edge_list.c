#include "converters/edge_list.h"

#include <assert.h>

#include "converters/edge_blocks.h"
#include "converters/spill.h"
#include "support/memory.h"

static_assert(sizeof(struct qn_edge_block) <= QN_EDGE_BLOCK_HEADER, "block header");

enum qn_status qn_edge_list_create(struct qn_edge_list **out, struct qn_error *error) {
  struct qn_edge_list *list;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&list, 1, sizeof *list, "an edge list", error);
  if (status)
    return status;
  status = qn_block_pool_create(&list->pool, error);
  if (status) {
    qn_free(list);
    return status;
  }
  pthread_mutex_init(&list->mutex, NULL);
  *out = list;
  return QN_OK;
}

enum qn_status qn_edge_list_create_on_disk(const struct qn_spill_options *options,
                                           struct qn_edge_list **out, struct qn_error *error) {
  enum qn_status status = qn_edge_list_create(out, error);
  if (!status)
    status = qn_spill_create(options, &(*out)->spill, error);
  if (status) {
    qn_edge_list_destroy(*out);
    *out = NULL;
  }
  return status;
}

void qn_edge_list_destroy(struct qn_edge_list *list) {
  if (!list)
    return;
  qn_spill_destroy(list->spill);
  qn_block_pool_destroy(list->pool);
  pthread_mutex_destroy(&list->mutex);
  qn_free(list->blocks);
  qn_free(list);
}

uint64_t qn_edge_list_count(const struct qn_edge_list *list) {
  return list->num_edges;
}

static uint64_t largest_id(struct qn_edge_block *block) {
  const uint64_t *ids = qn_edge_block_ids(block);
  if (block->wide) {
    uint64_t largest = 0;
    for (uint32_t i = 0; i < 2 * block->count; i++)
      largest = ids[i] > largest ? ids[i] : largest;
    return largest;
  }
  uint32_t source = 0, destination = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    uint32_t u = (uint32_t)ids[i], v = (uint32_t)(ids[i] >> 32);
    source = u > source ? u : source;
    destination = v > destination ? v : destination;
  }
  return source > destination ? source : destination;
}

/* Under the list's mutex. */
static void count_block(struct qn_edge_list *list, const struct qn_edge_block *block) {
  list->num_edges += block->count;
  list->blocks_of[block->weight_type]++;
  list->largest = block->largest > list->largest ? block->largest : list->largest;
}

static enum qn_status append_block(struct qn_edge_list *list, struct qn_edge_block *block,
                                   struct qn_error *error) {
  enum qn_status status = QN_OK;
  pthread_mutex_lock(&list->mutex);
  uint64_t n = list->num_blocks;
  if ((n & (n - 1)) == 0)
    status = qn_realloc(&list->blocks, n ? 2 * n : 1, sizeof *list->blocks,
                        "the list of edge blocks", error);
  if (!status) {
    list->blocks[list->num_blocks++] = block;
    count_block(list, block);
  }
  pthread_mutex_unlock(&list->mutex);
  return status;
}

static void spill_block(struct qn_edge_stream *stream, struct qn_edge_block *block) {
  struct qn_edge_list *list = stream->list;
  stream->status = qn_spill_block(list, stream, block, &stream->error);
  pthread_mutex_lock(&list->mutex);
  count_block(list, block);
  pthread_mutex_unlock(&list->mutex);
  qn_block_give(list->pool, block);
}

/* Hand the stream's block over to the list. */
static void finish_block(struct qn_edge_stream *stream) {
  struct qn_edge_block *block = stream->block;
  if (!block)
    return;
  stream->block = NULL;
  stream->plain_capacity = stream->weighted_capacity = 0;
  block->count = stream->count;
  stream->count = 0;
  block->largest = largest_id(block);
  if (stream->list->spill)
    spill_block(stream, block);
  else
    stream->status = append_block(stream->list, block, &stream->error);
}

/* The block's weights follow its last pair, wherever its edges end. */
static void begin_block(struct qn_edge_stream *stream, bool wide, enum qn_weight_type type) {
  struct qn_edge_block *block = qn_block_take(stream->list->pool);
  if (!block) {
    stream->status = qn_block_pool_exhausted(stream->list->pool, &stream->error);
    return;
  }
  *block = (struct qn_edge_block){.sequence = stream->sequence,
                                  .position = stream->num_blocks++,
                                  .wide = wide,
                                  .weight_type = type};
  uint32_t capacity = qn_edge_block_capacity(wide, type != QN_WEIGHT_NONE);
  stream->block = block;
  stream->pairs = qn_edge_block_ids(block);
  stream->weights = qn_edge_block_weights(block);
  stream->weight_type = type;
  stream->count = 0;
  stream->plain_capacity = !wide && type == QN_WEIGHT_NONE ? capacity : 0;
  stream->weighted_capacity = !wide && type != QN_WEIGHT_NONE ? capacity : 0;
}

void qn_edge_stream_open(struct qn_edge_stream *stream, struct qn_edge_list *list,
                         uint64_t sequence) {
  *stream = (struct qn_edge_stream){.list = list, .sequence = sequence};
}

enum qn_status qn_edge_stream_close(struct qn_edge_stream *stream, struct qn_error *error) {
  if (!stream->status)
    finish_block(stream);
  enum qn_status closed = qn_divider_close(stream->divider, stream->status ? NULL : &stream->error);
  stream->divider = NULL;
  stream->status = stream->status ? stream->status : closed;
  if (stream->status && error)
    *error = stream->error;
  return stream->status;
}

static uint32_t float_bits(uint32_t number) {
  float value = (float)number;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* From here on the stream's weights are f32: a block has one type. */
static void make_weights_float(struct qn_edge_stream *stream) {
  for (uint32_t i = 0; i < stream->count; i++)
    stream->weights[i] = float_bits(stream->weights[i]);
  stream->block->weight_type = stream->weight_type = QN_WEIGHT_F32;
}

void qn_edge_push_slowly(struct qn_edge_stream *stream, uint64_t source, uint64_t destination,
                         enum qn_weight_type weight_type, uint32_t weight_bits) {
  if (stream->status)
    return;
  struct qn_edge_block *block = stream->block;
  if (block && (block->weight_type == QN_WEIGHT_NONE) != (weight_type == QN_WEIGHT_NONE)) {
    stream->status =
        qn_fail(&stream->error, QN_INVALID, "some edges have a weight and some have none");
    return;
  }
  if (weight_type == QN_WEIGHT_U32 && stream->weight_type == QN_WEIGHT_F32) {
    weight_type = QN_WEIGHT_F32;
    weight_bits = float_bits(weight_bits);
  } else if (block && weight_type == QN_WEIGHT_F32 && block->weight_type == QN_WEIGHT_U32) {
    make_weights_float(stream);
  }
  bool needs_wide = ((source | destination) >> 32) != 0;
  bool wide = needs_wide || (block && block->wide); /* a wide block takes narrow edges too */
  if (!block || block->wide != wide ||
      stream->count == qn_edge_block_capacity(wide, weight_type != QN_WEIGHT_NONE)) {
    wide = needs_wide;
    finish_block(stream);
    if (!stream->status)
      begin_block(stream, wide, weight_type);
    if (stream->status)
      return;
  }
  uint32_t i = stream->count++;
  if (weight_type != QN_WEIGHT_NONE)
    stream->weights[i] = weight_bits;
  if (wide) {
    stream->pairs[2 * (uint64_t)i] = source;
    stream->pairs[2 * (uint64_t)i + 1] = destination;
  } else {
    stream->pairs[i] = source | destination << 32;
  }
}
