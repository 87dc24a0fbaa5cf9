/* A node x is, by the codes that the properties choose:
 *
 *   outdegree d; nothing follows 0
 *   reference r <= window           copy from the list of x - r; 0: from none
 *   block count, blocks             lengths of parts of that list, copied and skipped by turns; all
 *                                   but the first are less 1; after an even number the rest is
 * copied interval count, intervals       of ids not copied: left end (of the first, relative to x
 * and signed; else from the end before, less 1), length less the least residuals the other ids: the
 * first relative to x and signed; else gaps less
 *                                   1
 *
 * Blocks are there if r > 0, intervals and residuals as far as there are successors left. Interval
 * counts, ends and lengths are in gamma code. */
#include "converters/arrays/bv_graph.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "support/memory.h"

struct list {
  uint32_t *ids;
  uint64_t count, capacity;
};

struct qn_bv_decoder {
  struct qn_bv_properties properties;
  struct qn_bits bits;
  const char *file;
  uint64_t node; /* the next one */
  uint64_t arcs; /* of those before */
  uint64_t ring; /* lists that are kept: the window and the one being made */
  struct list *lists;
  struct list copied, extra;
};

enum qn_status qn_bv_create(const struct qn_bv_properties *properties, const char *data,
                            uint64_t bytes, const char *file, struct qn_bv_decoder **out,
                            struct qn_error *error) {
  struct qn_bv_decoder *decoder;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&decoder, 1, sizeof *decoder, "a decoder", error);
  if (status)
    return status;
  decoder->properties = *properties;
  decoder->bits = (struct qn_bits){.data = data, .bytes = bytes};
  decoder->file = file;
  decoder->ring =
      (properties->window < properties->nodes ? properties->window : properties->nodes) + 1;
  status = qn_alloc_zeroed(&decoder->lists, decoder->ring, sizeof *decoder->lists,
                           "the window of lists", error);
  if (status)
    qn_free(decoder);
  else
    *out = decoder;
  return status;
}

void qn_bv_destroy(struct qn_bv_decoder *decoder) {
  if (!decoder)
    return;
  for (uint64_t i = 0; i < decoder->ring; i++)
    qn_free(decoder->lists[i].ids);
  qn_free(decoder->lists);
  qn_free(decoder->copied.ids);
  qn_free(decoder->extra.ids);
  qn_free(decoder);
}

static enum qn_status refuse(const struct qn_bv_decoder *decoder, struct qn_error *error,
                             const char *what) {
  uint64_t byte = decoder->bits.at / 8;
  if (decoder->bits.fault)
    what = byte >= decoder->bits.bytes ? "the file ends there" : "a number is beyond 64 bits";
  return qn_binary_fail(decoder->file, byte < decoder->bits.bytes ? byte : decoder->bits.bytes,
                        error, "node %" PRIu64 ": %s", decoder->node, what);
}

/* Make room; even for none there is memory then. */
static enum qn_status empty_list(struct list *list, uint64_t count, struct qn_error *error) {
  list->count = 0;
  if (count < list->capacity)
    return QN_OK;
  uint64_t capacity = count + count / 2 + 1;
  enum qn_status status = qn_realloc(&list->ids, capacity, sizeof *list->ids, "successors", error);
  if (!status)
    list->capacity = capacity;
  return status;
}

/* Numbers of either sign are folded: 0, -1, 1, -2, ... */
static bool add_signed(uint64_t to, uint64_t folded, uint64_t limit, uint64_t *sum) {
  uint64_t half = folded >> 1;
  if (folded & 1) {
    if (half >= to)
      return false;
    *sum = to - half - 1;
  } else {
    if (half >= limit - to)
      return false;
    *sum = to + half;
  }
  return true;
}

/* ---- The parts of a list -------------------------------------------------- */

/* Copy from the list of the node `back` before this one. */
static enum qn_status copy_blocks(struct qn_bv_decoder *decoder, uint64_t back, uint64_t degree,
                                  struct qn_error *error) {
  const struct qn_bv_properties *codes = &decoder->properties;
  const struct list *from = &decoder->lists[(decoder->node - back) % decoder->ring];
  struct list *copied = &decoder->copied;
  uint64_t blocks = qn_bits_code(&decoder->bits, codes->block_counts, codes->zeta), at = 0;
  enum qn_status status = empty_list(copied, from->count < degree ? from->count : degree, error);
  if (status)
    return status;
  if (blocks > from->count + 1) /* but for the first, none is empty */
    return refuse(decoder, error, "more blocks than successors to copy from");
  for (uint64_t i = 0; i <= blocks; i++) {
    uint64_t length = from->count - at;
    if (i < blocks)
      length = qn_bits_code(&decoder->bits, codes->blocks, codes->zeta);
    else if (blocks % 2)
      break;
    if (decoder->bits.fault || length > from->count - at ||
        (i > 0 && i < blocks && ++length > from->count - at))
      return refuse(decoder, error, "blocks are longer than the list to copy from");
    if (i % 2 == 0) {
      if (length > degree - copied->count)
        return refuse(decoder, error, "more is copied than there are successors");
      if (length)
        memcpy(copied->ids + copied->count, from->ids + at, length * sizeof *copied->ids);
      copied->count += length;
    }
    at += length;
  }
  return QN_OK;
}

/* Append runs of consecutive ids to `runs`. */
static enum qn_status read_intervals(struct qn_bv_decoder *decoder, uint64_t extra,
                                     struct list *runs, struct qn_error *error) {
  const uint64_t nodes = decoder->properties.nodes, least = decoder->properties.min_interval;
  struct qn_bits *bits = &decoder->bits;
  uint64_t count = qn_bits_gamma(bits), end = 0;
  if (count > extra / least)
    return refuse(decoder, error, "more intervals than there are successors");
  for (uint64_t i = 0; i < count; i++) {
    uint64_t code = qn_bits_gamma(bits), left = 0;
    bool fits = i == 0 ? add_signed(decoder->node, code, nodes, &left)
                       : end < nodes && code < nodes - end - 1;
    if (i > 0)
      left = end + code + 1;
    uint64_t more = qn_bits_gamma(bits);
    if (bits->fault || !fits || more > nodes || least + more > nodes - left)
      return refuse(decoder, error, "an interval leads beyond the nodes");
    if (least + more > extra - runs->count)
      return refuse(decoder, error, "the intervals are longer than the list");
    for (uint64_t id = left; id < left + least + more; id++)
      runs->ids[runs->count++] = (uint32_t)id;
    end = left + least + more;
  }
  return QN_OK;
}

/* Add the residuals to the runs, from behind, so that `list` ascends. */
static enum qn_status merge_residuals(struct qn_bv_decoder *decoder, uint64_t extra,
                                      struct list *list, struct qn_error *error) {
  const struct qn_bv_properties *codes = &decoder->properties;
  struct qn_bits *bits = &decoder->bits;
  uint64_t runs = list->count, count = extra - runs, id = 0;
  uint32_t *residuals = list->ids + extra; /* there is room for twice `extra` */
  for (uint64_t i = 0; i < count; i++) {
    uint64_t code = qn_bits_code(bits, codes->residuals, codes->zeta);
    bool fits =
        i == 0 ? add_signed(decoder->node, code, codes->nodes, &id) : code < codes->nodes - id - 1;
    if (bits->fault || !fits)
      return refuse(decoder, error, "a successor is beyond the nodes");
    id += i == 0 ? 0 : code + 1;
    residuals[i] = (uint32_t)id;
  }
  for (uint64_t to = extra; to-- > 0 && count;) {
    if (runs && list->ids[runs - 1] > residuals[count - 1])
      list->ids[to] = list->ids[--runs];
    else
      list->ids[to] = residuals[--count];
  }
  list->count = extra;
  return QN_OK;
}

static enum qn_status read_extra(struct qn_bv_decoder *decoder, uint64_t extra,
                                 struct qn_error *error) {
  enum qn_status status = empty_list(&decoder->extra, 2 * extra, error);
  if (!status && extra && decoder->properties.min_interval)
    status = read_intervals(decoder, extra, &decoder->extra, error);
  return status ? status : merge_residuals(decoder, extra, &decoder->extra, error);
}

/* Both parts together; false if an id occurs twice. */
static bool merge(const struct list *left, const struct list *right, struct list *out) {
  uint64_t i = 0, j = 0, k = 0, sound = 1;
  while (i < left->count && j < right->count) {
    uint32_t a = left->ids[i], b = right->ids[j];
    out->ids[k++] = a < b ? a : b;
    i += a < b;
    j += a >= b;
  }
  memcpy(out->ids + k, left->ids + i, (left->count - i) * sizeof *out->ids);
  k += left->count - i;
  memcpy(out->ids + k, right->ids + j, (right->count - j) * sizeof *out->ids);
  out->count = k + right->count - j;
  for (k = 1; k < out->count; k++)
    sound &= out->ids[k - 1] < out->ids[k];
  return sound;
}

/* ---- Nodes ---------------------------------------------------------------- */

static enum qn_status read_list(struct qn_bv_decoder *decoder, uint64_t degree, struct list *list,
                                struct qn_error *error) {
  const struct qn_bv_properties *codes = &decoder->properties;
  uint64_t back = 0;
  enum qn_status status = empty_list(list, degree, error);
  if (!status)
    status = empty_list(&decoder->copied, 0, error);
  if (!status && codes->window)
    back = qn_bits_code(&decoder->bits, codes->references, codes->zeta);
  if (!status && (back > codes->window || back > decoder->node))
    return refuse(decoder, error, "a reference goes back too far");
  if (!status && back)
    status = copy_blocks(decoder, back, degree, error);
  if (!status)
    status = read_extra(decoder, degree - decoder->copied.count, error);
  if (status)
    return status;
  return merge(&decoder->copied, &decoder->extra, list)
             ? QN_OK
             : refuse(decoder, error, "a successor occurs twice");
}

enum qn_status qn_bv_next(struct qn_bv_decoder *decoder, const uint32_t **successors,
                          uint64_t *count, struct qn_error *error) {
  const struct qn_bv_properties *codes = &decoder->properties;
  struct list *list = &decoder->lists[decoder->node % decoder->ring];
  uint64_t degree = qn_bits_code(&decoder->bits, codes->degrees, codes->zeta);
  if (decoder->bits.fault || degree > codes->nodes)
    return refuse(decoder, error, "it has more successors than there are nodes");
  if (degree > codes->arcs - decoder->arcs)
    return refuse(decoder, error, "there are more arcs than the properties announce");
  list->count = 0;
  enum qn_status status = degree ? read_list(decoder, degree, list, error) : QN_OK;
  if (!status && decoder->bits.fault)
    status = refuse(decoder, error, "");
  if (status)
    return status;
  decoder->arcs += degree;
  decoder->node++;
  *successors = list->ids;
  *count = degree;
  return QN_OK;
}

/* Writers fill the last byte, or the last word, with zeros. */
enum qn_status qn_bv_end(const struct qn_bv_decoder *decoder, struct qn_error *error) {
  struct qn_bits bits = decoder->bits;
  const uint64_t all = 8 * bits.bytes;
  if (decoder->arcs != decoder->properties.arcs)
    return qn_binary_fail(decoder->file, bits.bytes, error,
                          "the properties announce %" PRIu64 " arcs, but there are %" PRIu64,
                          decoder->properties.arcs, decoder->arcs);
  bool zeros = all - bits.at < 128;
  while (zeros && bits.at < all)
    zeros = qn_bits_read(&bits, 1) == 0;
  return zeros ? QN_OK
               : qn_binary_fail(decoder->file, decoder->bits.at / 8, error,
                                "there is more after the last node");
}
