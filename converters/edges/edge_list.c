#include "converters/edges/edge_list.h"

#include <assert.h>
#include <math.h>

#include "converters/edges/edge_blocks.h"
#include "converters/edges/spill.h"
#include "formats/container/prefault.h"
#include "formats/text/exact_numbers.h"
#include "support/context.h"
#include "support/memory.h"

static_assert(sizeof(struct qn_edge_block) <= QN_EDGE_BLOCK_HEADER, "block header");

struct qn_kept {
  void *object;
  void (*release)(void *);
  struct qn_kept *next;
};

/* In this pool, or in one of its own. */
static enum qn_status create(struct qn_block_pool *pool, struct qn_edge_list **out,
                             struct qn_error *error) {
  struct qn_edge_list *list;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&list, 1, sizeof *list, "an edge list", error);
  if (status)
    return status;
  list->pool = pool;
  list->borrows_pool = pool != NULL;
  if (!pool)
    status = qn_block_pool_create(&list->pool, error);
  if (status) {
    qn_free(list);
    return status;
  }
  pthread_mutex_init(&list->mutex, NULL);
  *out = list;
  return QN_OK;
}

enum qn_status qn_edge_list_create(struct qn_edge_list **out, struct qn_error *error) {
  return create(NULL, out, error);
}

enum qn_status qn_edge_list_create_beside(struct qn_edge_list *other, struct qn_edge_list **out,
                                          struct qn_error *error) {
  return create(other->pool, out, error);
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
  for (uint64_t b = 0; b < list->num_blocks; b++)
    qn_edge_list_drop(list, b);
  while (list->kept) {
    struct qn_kept *kept = list->kept;
    list->kept = kept->next;
    kept->release(kept->object);
    qn_free(kept);
  }
  qn_spill_destroy(list->spill);
  qn_edge_marks_drop(&list->marks);
  if (!list->borrows_pool)
    qn_block_pool_destroy(list->pool);
  pthread_mutex_destroy(&list->mutex);
  qn_free(list->blocks);
  qn_free(list);
}

void qn_edge_list_mark_ids(struct qn_edge_list *list, const uint64_t *num_vertices) {
  qn_edge_marks_create(&list->marks, num_vertices);
}

void qn_edge_list_fills(struct qn_edge_list *list, struct qn_writer *output, uint64_t edge_bytes) {
  list->output = output;
  list->output_bytes = edge_bytes;
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

static uint64_t count_above(struct qn_edge_block *block, uint64_t id) {
  const uint64_t *ids = qn_edge_block_ids(block);
  uint64_t count = 0;
  for (uint32_t i = 0; i < block->count; i++)
    count += block->wide ? (ids[2 * i] > id) + (ids[2 * i + 1] > id)
                         : ((uint32_t)ids[i] > id) + (ids[i] >> 32 > id);
  return count;
}

uint64_t qn_edge_list_count_above(const struct qn_edge_list *list, uint64_t id) {
  uint64_t count = list->spill && list->largest > id;
  for (uint64_t i = 0; i < list->num_blocks; i++)
    if (list->blocks[i] && list->blocks[i]->largest > id)
      count += list->blocks[i]->view.push ? 2 : count_above(list->blocks[i], id);
  return count;
}

/* Edges that are in no order are found out at once. */
static bool is_ascending(struct qn_edge_block *block) {
  uint32_t i = 1;
  if (block->wide) {
    while (i < block->count &&
           !qn_edge_is_before(qn_edge_block_ends(block, i), qn_edge_block_ends(block, i - 1)))
      i++;
    return i >= block->count;
  }
  const uint64_t *pairs = qn_edge_block_ids(block);
  uint64_t before = pairs[0] << 32 | pairs[0] >> 32;
  for (; i < block->count; i++) {
    uint64_t edge = pairs[i] << 32 | pairs[i] >> 32;
    if (edge < before)
      return false;
    before = edge;
  }
  return true;
}

static bool holds_f32(const struct qn_edge_list *list, double weight) {
  return list->binary_weights ? (double)(float)weight == weight : qn_f32_holds(weight);
}

/* Is there a weight that no f32 holds? Those that are f32 already are none. */
static bool is_beyond_f32(const struct qn_edge_list *list, struct qn_edge_block *block) {
  const void *weights = qn_edge_block_weights(block);
  const uint32_t *u32 = weights;
  const int64_t *i64 = weights;
  const double *f64 = weights;
  uint32_t all = 0, i = 0;
  switch (block->weight_type) {
  case QN_WEIGHT_U32:
    for (; i < block->count; i++)
      all |= u32[i];
    for (i = all >> 24 ? 0 : block->count; i < block->count; i++)
      if (!qn_real_is_whole((float)u32[i], u32[i]))
        return true;
    return false;
  case QN_WEIGHT_I64:
    while (i < block->count && qn_real_is_whole((float)i64[i], i64[i]))
      i++;
    return i < block->count;
  case QN_WEIGHT_F64:
    while (i < block->count && holds_f32(list, f64[i]))
      i++;
    return i < block->count;
  default:
    return false;
  }
}

/* Under the list's mutex. */
static void count_block(struct qn_edge_list *list, const struct qn_edge_block *block,
                        bool beyond_f32) {
  list->num_edges += block->count;
  list->blocks_of[block->weight_type]++;
  list->beyond_f32 |= beyond_f32;
  list->largest = block->largest > list->largest ? block->largest : list->largest;
}

/* `listed` is the block, or a view of it. */
static enum qn_status append_block(struct qn_edge_list *list, struct qn_edge_block *listed,
                                   struct qn_edge_block *block, struct qn_error *error) {
  enum qn_status status = QN_OK;
  bool beyond_f32 = is_beyond_f32(list, block);
  pthread_mutex_lock(&list->mutex);
  listed->marked = qn_edge_marks_want(&list->marks, listed->largest, list->num_edges);
  uint64_t n = list->num_blocks;
  if ((n & (n - 1)) == 0)
    status = qn_realloc(&list->blocks, n ? 2 * n : 1, sizeof *list->blocks,
                        "the list of edge blocks", error);
  if (!status) {
    list->blocks[list->num_blocks++] = listed;
    count_block(list, listed, beyond_f32);
    if (list->output)
      qn_writer_expect(list->output, list->num_edges * list->output_bytes);
  }
  pthread_mutex_unlock(&list->mutex);
  if (listed->marked)
    qn_edge_marks_add(&list->marks, block);
  return status;
}

static void spill_block(struct qn_edge_stream *stream, struct qn_edge_block *block) {
  struct qn_edge_list *list = stream->list;
  bool beyond_f32 = is_beyond_f32(list, block);
  stream->status = qn_spill_block(list, stream, block, &stream->error);
  pthread_mutex_lock(&list->mutex);
  count_block(list, block, beyond_f32);
  pthread_mutex_unlock(&list->mutex);
  qn_block_give(list->pool, block);
}

/* Take the stream's block away from it. */
static struct qn_edge_block *detach_block(struct qn_edge_stream *stream) {
  struct qn_edge_block *block = stream->block;
  if (block)
    block->count = stream->count;
  stream->block = NULL;
  stream->plain_capacity = stream->weighted_capacity = 0;
  stream->count = 0;
  return block;
}

/* Hand the stream's block over to the list. */
static void finish_block(struct qn_edge_stream *stream) {
  if (stream->again && stream->block) { /* more than there were */
    stream->list->changed = true;
    stream->status = QN_INVALID;
    return;
  }
  struct qn_edge_block *block = detach_block(stream);
  if (!block)
    return;
  if (block->count == 0) { /* there was only room for edges of another kind */
    stream->spare = block;
    stream->num_blocks--;
    return;
  }
  block->largest = largest_id(block);
  if (stream->list->spill) {
    spill_block(stream, block);
    return;
  }
  block->ascending = is_ascending(block);
  stream->status = append_block(stream->list, block, block, &stream->error);
}

/* The block's weights follow its last pair, wherever its edges end. */
static void begin_block(struct qn_edge_stream *stream, bool wide, enum qn_weight_type type) {
  struct qn_edge_block *block = stream->spare ? stream->spare : qn_block_take(stream->list->pool);
  stream->spare = NULL;
  if (!block) {
    stream->status = qn_block_pool_exhausted(stream->list->pool, &stream->error);
    return;
  }
  *block = (struct qn_edge_block){.sequence = stream->sequence,
                                  .position = stream->num_blocks++,
                                  .wide = wide,
                                  .weight_type = type};
  uint32_t capacity = qn_edge_block_capacity(wide, type);
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
  if (stream->spare)
    qn_block_give(stream->list->pool, stream->spare);
  stream->spare = NULL;
  enum qn_status closed = qn_divider_close(stream->divider, stream->status ? NULL : &stream->error);
  stream->divider = NULL;
  stream->status = stream->status ? stream->status : closed;
  if (!stream->status)
    stream->status = qn_context_check(&stream->error);
  if (stream->status && error)
    *error = stream->error;
  return stream->status;
}

/* ---- Rounding ------------------------------------------------------------- */

void qn_edge_list_weights_are_binary(struct qn_edge_list *list, enum qn_weight_type least) {
  list->binary_weights = true;
  list->beyond_f32 |= least == QN_WEIGHT_F64;
}

void qn_edge_list_note_rounded(struct qn_edge_list *list, long double exact, double rounded) {
  long double error = fabsl(exact - rounded);
  pthread_mutex_lock(&list->mutex);
  bool worse = error > list->rounding_error ||
               (error == list->rounding_error && fabsl(exact) > fabsl(list->rounded));
  if (worse) {
    list->rounding_error = error;
    list->rounded = exact;
  }
  pthread_mutex_unlock(&list->mutex);
}

bool qn_edge_list_rounded(const struct qn_edge_list *list, long double *exact, long double *error) {
  *exact = list->rounded;
  *error = list->rounding_error;
  return list->rounded != 0;
}

/* ---- Weights of several types ----------------------------------------------- */

/* From here up to the next section: a stream's blocks have one type each, and the types of later
 * ones are such that they take what comes, so that a block is given up half full at most a few
 * times: u32, then i64 or f32, then f64. */

/* Whole numbers of less than this print as themselves as an f32, too. */
#define SMALL_WHOLE ((int64_t)1 << 24)

static bool is_small(int64_t whole) {
  return whole <= SMALL_WHOLE && whole >= -SMALL_WHOLE;
}

static uint64_t bits_of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t bits_of_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The stream's weights become f32 where they are, if they are all small whole numbers. */
static bool make_weights_float(struct qn_edge_stream *stream) {
  uint32_t *weights = stream->weights, largest = 0;
  for (uint32_t i = 0; i < stream->count; i++)
    largest = weights[i] > largest ? weights[i] : largest;
  if (!is_small(largest))
    return false;
  for (uint32_t i = 0; i < stream->count; i++)
    weights[i] = (uint32_t)bits_of_f32((float)weights[i]);
  stream->block->weight_type = stream->weight_type = QN_WEIGHT_F32;
  return true;
}

/* A weight of a list's element on its way into a stream of another type. */
struct weight {
  enum qn_weight_type type;
  uint64_t bits;
};

static struct weight join_whole(struct qn_edge_list *list, enum qn_weight_type held, int64_t whole,
                                struct weight weight) {
  if (held == QN_WEIGHT_I64)
    return (struct weight){QN_WEIGHT_I64, (uint64_t)whole};
  if (held == QN_WEIGHT_F32 && is_small(whole))
    return (struct weight){QN_WEIGHT_F32, bits_of_f32((float)whole)};
  if (held != QN_WEIGHT_F32 && held != QN_WEIGHT_F64)
    return weight;
  double real = (double)whole;
  if (!qn_real_is_whole(real, whole))
    qn_edge_list_note_rounded(list, whole, real);
  return (struct weight){QN_WEIGHT_F64, bits_of_f64(real)};
}

/* Do the stream's blocks hold weights of `type` in another one? */
static bool joins_types(const struct qn_edge_stream *stream, enum qn_weight_type type) {
  switch (stream->weight_type) {
  case QN_WEIGHT_I64:
    return type == QN_WEIGHT_U32;
  case QN_WEIGHT_F32:
    return type == QN_WEIGHT_U32 || type == QN_WEIGHT_I64;
  case QN_WEIGHT_F64:
    return type != QN_WEIGHT_F64 && type != QN_WEIGHT_NONE;
  default:
    return false;
  }
}

/* The weight in the type of the stream's blocks, if that holds it, else in the one of those that
 * will follow. */
static struct weight join_types(struct qn_edge_stream *stream, struct weight weight) {
  enum qn_weight_type held = stream->weight_type;
  uint32_t narrow = (uint32_t)weight.bits;
  float real;
  if (weight.type == held || weight.type == QN_WEIGHT_NONE)
    return weight;
  if (weight.type == QN_WEIGHT_U32)
    return join_whole(stream->list, held, narrow, weight);
  if (weight.type == QN_WEIGHT_I64)
    return join_whole(stream->list, held, (int64_t)weight.bits, weight);
  if (weight.type == QN_WEIGHT_F32 && held == QN_WEIGHT_F64) {
    memcpy(&real, &narrow, sizeof real);
    double wide = stream->list->binary_weights ? (double)real : qn_decimal_of_f32(real);
    return (struct weight){QN_WEIGHT_F64, bits_of_f64(wide)};
  }
  return weight;
}

/* ---- Single edges --------------------------------------------------------- */

void qn_edge_push_slowly(struct qn_edge_stream *stream, uint64_t source, uint64_t destination,
                         enum qn_weight_type weight_type, uint64_t weight_bits) {
  if (stream->status)
    return;
  struct qn_edge_block *block = stream->block;
  if (block && (block->weight_type == QN_WEIGHT_NONE) != (weight_type == QN_WEIGHT_NONE)) {
    stream->status =
        qn_fail(&stream->error, QN_INVALID, "some edges have a weight and some have none");
    return;
  }
  struct weight weight = join_types(stream, (struct weight){weight_type, weight_bits});
  bool needs_wide = ((source | destination) >> 32) != 0;
  bool wide = needs_wide || (block && block->wide); /* a wide block takes narrow edges too */
  bool fits = block && block->wide == wide &&
              stream->count < qn_edge_block_capacity(wide, weight.type) &&
              (block->weight_type == weight.type ||
               (block->weight_type == QN_WEIGHT_U32 && weight.type == QN_WEIGHT_F32 &&
                make_weights_float(stream)));
  if (!fits) {
    wide = needs_wide;
    finish_block(stream);
    if (!stream->status)
      begin_block(stream, wide, weight.type);
    if (stream->status)
      return;
  }
  uint32_t i = stream->count++;
  if (weight.type != QN_WEIGHT_NONE)
    qn_weight_store(stream->weights, qn_weight_bytes(weight.type), i, weight.bits);
  if (wide) {
    stream->pairs[2 * (uint64_t)i] = source;
    stream->pairs[2 * (uint64_t)i + 1] = destination;
  } else {
    stream->pairs[i] = source | destination << 32;
  }
}

void qn_edge_push_negated(struct qn_edge_stream *stream, uint64_t source, uint64_t destination,
                          enum qn_weight_type weight_type, uint64_t weight_bits) {
  if (weight_type == QN_WEIGHT_F32 || weight_type == QN_WEIGHT_F64)
    qn_edge_push_weighted(stream, source, destination, weight_type,
                          weight_bits ^ (uint64_t)1 << (8 * qn_weight_bytes(weight_type) - 1));
  else if (weight_bits == 0)
    qn_edge_push_u32(stream, source, destination, 0);
  else if (weight_bits == (uint64_t)1 << 63) /* the least i64, whose negative is none */
    qn_edge_push_f64(stream, source, destination, 0x1p63);
  else
    qn_edge_push_weighted(stream, source, destination, QN_WEIGHT_I64, 0 - weight_bits);
}

/* ---- Many edges ----------------------------------------------------------- */

static bool is_weighted(enum qn_weight_type type) {
  return type != QN_WEIGHT_NONE;
}

uint32_t qn_edge_stream_room(struct qn_edge_stream *stream, enum qn_weight_type type,
                             uint64_t **pairs, void **weights) {
  struct qn_edge_block *block = stream->block;
  if (stream->status)
    return 0;
  if (block && is_weighted(block->weight_type) != is_weighted(type)) {
    stream->status =
        qn_fail(&stream->error, QN_INVALID, "some edges have a weight and some have none");
    return 0;
  }
  uint32_t capacity = qn_edge_block_capacity(false, type);
  if (!block || block->wide || block->weight_type != type || stream->count == capacity) {
    finish_block(stream);
    if (!stream->status)
      begin_block(stream, false, type);
    if (stream->status)
      return 0;
  }
  *pairs = stream->pairs + stream->count;
  *weights = (char *)stream->weights + (uint64_t)stream->count * qn_weight_bytes(type);
  return capacity - stream->count;
}

void qn_edge_push_arrays(struct qn_edge_stream *stream, const uint64_t *sources,
                         const uint64_t *destinations, enum qn_weight_type type,
                         const void *weights, uint64_t count) {
  unsigned weight_bytes = qn_weight_bytes(type);
  uint64_t all = 0;
  for (uint64_t i = 0; i < count; i++)
    all |= sources[i] | destinations[i];
  if (all >> 32 || joins_types(stream, type)) {
    for (uint64_t i = 0; i < count; i++)
      qn_edge_push_slowly(stream, sources[i], destinations[i], type,
                          weight_bytes ? qn_weight_load(weights, weight_bytes, i) : 0);
    return;
  }
  for (uint64_t done = 0; done < count;) {
    uint64_t *pairs;
    void *room_for_weights;
    uint32_t room = qn_edge_stream_room(stream, type, &pairs, &room_for_weights);
    if (room == 0)
      return;
    uint32_t some = count - done < room ? (uint32_t)(count - done) : room;
    for (uint32_t i = 0; i < some; i++)
      pairs[i] = sources[done + i] | destinations[done + i] << 32;
    if (weight_bytes)
      memcpy(room_for_weights, (const char *)weights + done * weight_bytes, some * weight_bytes);
    qn_edge_stream_filled(stream, some);
    done += some;
  }
}

void qn_edge_push_pairs(struct qn_edge_stream *stream, const uint64_t *pairs,
                        enum qn_weight_type type, const void *weights, uint64_t count) {
  unsigned weight_bytes = qn_weight_bytes(type);
  if (joins_types(stream, type)) {
    for (uint64_t i = 0; i < count; i++)
      qn_edge_push_slowly(stream, (uint32_t)pairs[i], pairs[i] >> 32, type,
                          qn_weight_load(weights, weight_bytes, i));
    return;
  }
  for (uint64_t done = 0; done < count;) {
    uint64_t *room_for_pairs;
    void *room_for_weights;
    uint32_t room = qn_edge_stream_room(stream, type, &room_for_pairs, &room_for_weights);
    if (room == 0)
      return;
    uint32_t some = count - done < room ? (uint32_t)(count - done) : room;
    memcpy(room_for_pairs, pairs + done, some * sizeof *pairs);
    if (weight_bytes)
      memcpy(room_for_weights, (const char *)weights + done * weight_bytes, some * weight_bytes);
    qn_edge_stream_filled(stream, some);
    done += some;
  }
}

/* ---- Views ---------------------------------------------------------------- */

uint32_t qn_edge_view_capacity(enum qn_weight_type type) {
  return qn_edge_block_capacity(false, type);
}

/* List the view instead of the stream's block, whose memory is used again. */
static void finish_view(struct qn_edge_stream *stream, const struct qn_edge_view *view,
                        uint64_t part) {
  struct qn_edge_block *block = detach_block(stream), *listed;
  const uint64_t *pairs = qn_edge_block_ids(block);
  stream->spare = block;
  stream->status =
      qn_alloc(&listed, QN_EDGE_BLOCK_VIEW_BYTES, 1, "the list of edge blocks", &stream->error);
  if (stream->status)
    return;
  *listed = *block;
  listed->largest = largest_id(block);
  listed->ascending = is_ascending(block);
  listed->view = *view;
  listed->part = part;
  qn_edge_block_ids(listed)[0] = pairs[0];
  qn_edge_block_ids(listed)[1] = pairs[block->count - 1];
  stream->status = append_block(stream->list, listed, block, &stream->error);
  if (stream->status)
    qn_free(listed);
}

uint64_t qn_edge_push_view(struct qn_edge_stream *stream, const struct qn_edge_view *view,
                           uint64_t part) {
  if (stream->list->spill)
    return view->push(view->context, part, stream);
  if (!stream->status)
    finish_block(stream);
  stream->weight_type = QN_WEIGHT_NONE; /* as when it will be pushed again */
  uint64_t num_blocks = stream->num_blocks;
  uint64_t result = view->push(view->context, part, stream);
  if (stream->status || !stream->count)
    return result;
  if (stream->num_blocks == num_blocks + 1 && !stream->block->wide)
    finish_view(stream, view, part);
  else
    finish_block(stream);
  return result;
}

enum qn_status qn_edge_list_keep(struct qn_edge_list *list, void *object, void (*release)(void *),
                                 struct qn_error *error) {
  struct qn_kept *kept;
  enum qn_status status = qn_alloc(&kept, 1, sizeof *kept, "an edge list", error);
  if (status)
    return status;
  *kept = (struct qn_kept){object, release, list->kept};
  list->kept = kept;
  return QN_OK;
}

/* Whoever changes a mapped file meanwhile must not make us believe in ids that nobody has seen. */
static bool is_as_before(struct qn_edge_block *block, const struct qn_edge_block *listed) {
  return !block->wide && block->count == listed->count &&
         block->weight_type == listed->weight_type && largest_id(block) <= listed->largest;
}

struct qn_edge_block *qn_edge_list_load(struct qn_edge_list *list, uint64_t index,
                                        struct qn_edge_block **scratch) {
  struct qn_edge_block *listed = list->blocks[index];
  if (!listed->view.push)
    return listed;
  if (!*scratch)
    *scratch = qn_block_take(list->pool);
  if (!*scratch)
    return NULL;
  struct qn_edge_stream stream = {
      .list = list, .sequence = listed->sequence, .spare = *scratch, .again = true};
  listed->view.push(listed->view.context, listed->part, &stream);
  struct qn_edge_block *block = detach_block(&stream);
  if (stream.status || !block || !is_as_before(block, listed)) {
    list->changed = true;
    return NULL;
  }
  block->position = listed->position;
  block->largest = listed->largest;
  return block;
}

enum qn_status qn_edge_list_load_failed(struct qn_edge_list *list, struct qn_error *error) {
  return list->changed ? qn_fail(error, QN_INVALID, "the input changed while it was being read")
                       : qn_block_pool_exhausted(list->pool, error);
}

bool qn_edge_list_each(struct qn_edge_list *list, qn_edge_block_taker take, const void *context,
                       uint64_t *sum) {
  uint64_t total = 0;
  int failed = 0;
#pragma omp parallel reduction(+ : total) reduction(| : failed)
  {
    struct qn_edge_block *scratch = NULL;
#pragma omp for schedule(dynamic, 16)
    for (uint64_t b = 0; b < list->num_blocks; b++)
      if (!failed)
        failed |= !take(context, b, &scratch, &total);
    if (scratch)
      qn_block_give(list->pool, scratch);
  }
  *sum = total;
  return !failed;
}

void qn_edge_list_drop(struct qn_edge_list *list, uint64_t index) {
  struct qn_edge_block *block = list->blocks[index];
  if (block && block->view.push)
    qn_free(block);
  else if (block)
    qn_block_give(list->pool, block);
  list->blocks[index] = NULL;
}
