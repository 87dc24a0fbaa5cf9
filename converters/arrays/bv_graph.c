/* A node x is, by the codes that the properties choose:
 *
 *   outdegree d; nothing follows 0
 *   reference r <= window       copy from the list of x - r; 0: from none
 *   block count, blocks         lengths of parts of that list, copied and skipped by turns; all but
 *                               the first are less 1; after an even number the rest is copied
 *   interval count, intervals   of ids not copied: left end (of the first, relative to x and
 * signed; else from the end before, less 1), length less the least residuals                   the
 * other ids: the first relative to x and signed; else gaps less 1
 *
 * Blocks are there if r > 0, intervals and residuals as far as there are successors left. Interval
 * counts, ends and lengths are in gamma code. */
#include "converters/arrays/bv_graph.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "support/memory.h"
#include <quern/inline.h>

/* References that are followed to a list out of order; most writers make no chains beyond 3. */
#define MOST_FOLLOWED 4096

/* A list that others may refer to. */
struct row {
  const uint32_t *ids;
  uint64_t count;
  uint64_t name;  /* its node and 1; 0: none */
  uint64_t chain; /* how many references lead on from it */
  uint32_t *own;  /* memory of the decoder's, where `ids` are unless they are the caller's */
  uint64_t capacity;
};

struct qn_bv_decoder {
  const struct qn_bv_graph *graph;
  struct qn_bits bits;
  uint64_t node;              /* the next one */
  uint64_t degree;            /* of it, once it was read */
  uint64_t arcs;              /* of those before */
  uint64_t ring;              /* rows that are kept: the window and the one being made */
  struct row *rows;           /* of node x in rows[x % ring] */
  uint32_t *residuals, *runs; /* of a list; the latter pairs of left end and length */
  uint64_t residuals_capacity, runs_capacity;
  uint64_t *chain; /* nodes whose lists are looked up: each is by reference to the next */
  uint64_t chain_capacity;
  bool is_plain; /* all codes are those that WebGraph has by default */
  bool is_far, looks_up;
};

enum qn_status qn_bv_create(const struct qn_bv_graph *graph, struct qn_bv_decoder **out,
                            struct qn_error *error) {
  const struct qn_bv_properties *properties = &graph->properties;
  struct qn_bv_decoder *decoder;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&decoder, 1, sizeof *decoder, "a decoder", error);
  if (status)
    return status;
  decoder->graph = graph;
  decoder->bits = (struct qn_bits){.data = graph->data, .bytes = graph->bytes};
  decoder->ring =
      (properties->window < properties->nodes ? properties->window : properties->nodes) + 1;
  decoder->is_plain = qn_bv_is_plain(properties);
  status = qn_alloc_zeroed(&decoder->rows, decoder->ring, sizeof *decoder->rows,
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
    qn_free(decoder->rows[i].own);
  qn_free(decoder->rows);
  qn_free(decoder->residuals);
  qn_free(decoder->runs);
  qn_free(decoder->chain);
  qn_free(decoder);
}

uint64_t qn_bv_node(const struct qn_bv_decoder *decoder) {
  return decoder->node;
}

uint64_t qn_bv_place(const struct qn_bv_decoder *decoder) {
  return decoder->bits.at;
}

bool qn_bv_is_far(const struct qn_bv_decoder *decoder) {
  return decoder->is_far;
}

void qn_bv_seek(struct qn_bv_decoder *decoder, uint64_t node, uint64_t arcs) {
  decoder->node = node;
  decoder->arcs = arcs;
  decoder->bits.at = qn_bv_place_of(decoder->graph->places, node);
  decoder->bits.fault = false;
}

static enum qn_status refuse(const struct qn_bv_decoder *decoder, struct qn_error *error,
                             const char *what) {
  uint64_t byte = decoder->bits.at / 8, bytes = decoder->bits.bytes;
  if (qn_bits_failed(&decoder->bits))
    what = byte >= bytes ? "the file ends there" : "a number is beyond 64 bits";
  return qn_binary_fail(decoder->graph->file, byte < bytes ? byte : bytes, error,
                        "node %" PRIu64 ": %s", decoder->node, what);
}

/* Room for `count` numbers; even for none there is memory then. */
static enum qn_status reserve(uint32_t **numbers, uint64_t *capacity, uint64_t count,
                              struct qn_error *error) {
  if (count < *capacity)
    return QN_OK;
  uint64_t room = count + count / 2 + 1;
  enum qn_status status = qn_realloc(numbers, room, sizeof **numbers, "successors", error);
  if (!status)
    *capacity = room;
  return status;
}

/* Numbers of either sign are folded: 0, -1, 1, -2, ... */
static inline bool add_signed(uint64_t to, uint64_t folded, uint64_t limit, uint64_t *sum) {
  uint64_t half = folded >> 1;
  *sum = folded & 1 ? to - half - 1 : to + half;
  return folded & 1 ? half < to : half < limit - to;
}

/* ---- The parts of a list -------------------------------------------------- */

/* All of these return what is wrong, or NULL. After a fault the numbers mean nothing, but they lead
 * nowhere. */

/* Few ids as a rule. */
static inline void copy_ids(uint32_t *to, const uint32_t *from, uint64_t count) {
  enum { AT_ONCE = 4, MANY = 64 };
  if (count >= MANY) {
    memcpy(to, from, count * sizeof *to);
    return;
  }
  for (; count >= AT_ONCE; count -= AT_ONCE, to += AT_ONCE, from += AT_ONCE)
    memcpy(to, from, AT_ONCE * sizeof *to);
  for (uint64_t i = 0; i < count; i++)
    to[i] = from[i];
}

/* Copy from another list what blocks say. */
QN_ALWAYS_INLINE const char *copy_blocks(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                         const struct row *from, uint64_t degree, uint32_t *to,
                                         uint64_t *copied) {
  const uint64_t blocks = qn_bits_code(bits, codes->block_counts, codes->zeta);
  uint64_t left = from->count, kept = 0;
  const uint32_t *ids = from->ids;
  if (blocks > left + 1) /* but for the first, none is empty */
    return "more blocks than successors to copy from";
  for (uint64_t i = 0; i < blocks; i++) {
    uint64_t length = qn_bits_code(bits, codes->blocks, codes->zeta);
    if (length > left || (i > 0 && ++length > left))
      return "blocks are longer than the list to copy from";
    if (i % 2 == 0) {
      if (length > degree - kept)
        return "more is copied than there are successors";
      copy_ids(to + kept, ids, length);
      kept += length;
    }
    ids += length;
    left -= length;
  }
  if (blocks % 2 == 0) {
    if (left > degree - kept)
      return "more is copied than there are successors";
    copy_ids(to + kept, ids, left);
    kept += left;
  }
  *copied = kept;
  return NULL;
}

/* Runs of consecutive ids, as pairs of left end and length; `*total` of them in all. */
QN_ALWAYS_INLINE const char *read_runs(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                       uint64_t node, uint64_t count, uint64_t extra,
                                       uint32_t *runs, uint64_t *total) {
  const uint64_t nodes = codes->nodes, least = codes->min_interval;
  uint64_t end = 0, sum = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t code = qn_bits_gamma(bits), left = end + code + 1;
    bool fits =
        i == 0 ? add_signed(node, code, nodes, &left) : end < nodes && code < nodes - end - 1;
    uint64_t length = qn_bits_gamma(bits);
    if (bits->fault || !fits || length > nodes || (length += least) > nodes - left)
      return "an interval leads beyond the nodes";
    if (length > extra - sum)
      return "the intervals are longer than the list";
    runs[2 * i] = (uint32_t)left;
    runs[2 * i + 1] = (uint32_t)length;
    sum += length;
    end = left + length;
  }
  *total = sum;
  return NULL;
}

QN_ALWAYS_INLINE const char *read_residuals(struct qn_bits *bits,
                                            const struct qn_bv_properties *codes, uint64_t node,
                                            uint64_t count, uint32_t *ids) {
  const uint64_t nodes = codes->nodes;
  uint64_t id;
  if (!add_signed(node, qn_bits_code(bits, codes->residuals, codes->zeta), nodes, &id))
    return "a successor is beyond the nodes";
  ids[0] = (uint32_t)id;
  for (uint64_t i = 1; i < count; i++) {
    uint64_t code = qn_bits_code(bits, codes->residuals, codes->zeta);
    if (code >= nodes - id - 1 || bits->fault)
      return "a successor is beyond the nodes";
    id += code + 1;
    ids[i] = (uint32_t)id;
  }
  return NULL;
}

/* Insert `more` ids into `count` others, from behind; both ascend. False if they share one. */
static inline bool insert_ids(uint32_t *ids, uint64_t count, const uint32_t *others,
                              uint64_t more) {
  bool apart = true;
  while (more > 0) {
    const uint32_t id = others[--more];
    for (; count > 0 && ids[count - 1] > id; count--)
      ids[count + more] = ids[count - 1];
    apart &= count == 0 || ids[count - 1] != id;
    ids[count + more] = id;
  }
  return apart;
}

/* The same of runs, `more` ids in all. */
static inline bool insert_runs(uint32_t *ids, uint64_t count, const uint32_t *runs,
                               uint64_t num_runs, uint64_t more) {
  bool apart = true;
  while (num_runs-- > 0) {
    const uint32_t left = runs[2 * num_runs], length = runs[2 * num_runs + 1];
    for (; count > 0 && ids[count - 1] > left + (length - 1); count--)
      ids[count + more - 1] = ids[count - 1];
    apart &= count == 0 || ids[count - 1] < left;
    more -= length;
    for (uint32_t i = 0; i < length; i++)
      ids[count + more + i] = left + i;
  }
  return apart;
}

/* ---- Lists ---------------------------------------------------------------- */

/* Add to `copied` ids those that are coded by themselves, `extra` in number. */
QN_ALWAYS_INLINE enum qn_status read_extra(struct qn_bv_decoder *decoder, struct qn_bits *bits,
                                           const struct qn_bv_properties *codes, uint32_t *ids,
                                           uint64_t copied, uint64_t extra, const char **what,
                                           struct qn_error *error) {
  uint64_t num_runs = codes->min_interval ? qn_bits_gamma(bits) : 0, in_runs = 0;
  enum qn_status status = QN_OK;
  if (num_runs) {
    if (num_runs > extra / codes->min_interval)
      return *what = "more intervals than there are successors", QN_OK;
    status = reserve(&decoder->runs, &decoder->runs_capacity, 2 * num_runs, error);
    if (status ||
        (*what = read_runs(bits, codes, decoder->node, num_runs, extra, decoder->runs, &in_runs)))
      return status;
  }
  const uint64_t residuals = extra - in_runs;
  bool apart = true;
  if (residuals && copied) {
    status = reserve(&decoder->residuals, &decoder->residuals_capacity, residuals, error);
    if (status ||
        (*what = read_residuals(bits, codes, decoder->node, residuals, decoder->residuals)))
      return status;
    apart = insert_ids(ids, copied, decoder->residuals, residuals);
  } else if (residuals && (*what = read_residuals(bits, codes, decoder->node, residuals, ids))) {
    return QN_OK;
  }
  if (num_runs)
    apart &= insert_runs(ids, copied + residuals, decoder->runs, num_runs, in_runs);
  if (!apart)
    *what = "a successor occurs twice";
  return QN_OK;
}

static enum qn_status look_up(struct qn_bv_decoder *decoder, uint64_t node, struct qn_error *error);

static struct row *row_of(const struct qn_bv_decoder *decoder, uint64_t node) {
  return &decoder->rows[node % decoder->ring];
}

/* The list of the next node, of which the out-degree was read, into `ids`. */
QN_ALWAYS_INLINE enum qn_status read_list(struct qn_bv_decoder *decoder,
                                          const struct qn_bv_properties *codes, uint32_t *ids,
                                          struct qn_error *error) {
  const uint64_t node = decoder->node, degree = decoder->degree;
  struct qn_bits bits = decoder->bits;
  uint64_t copied = 0, chain = 0;
  const char *what = NULL;
  enum qn_status status = QN_OK;
  uint64_t back = codes->window && degree ? qn_bits_code(&bits, codes->references, codes->zeta) : 0;
  if (back > codes->window || back > node) {
    what = "a reference goes back too far";
  } else if (back) {
    const struct row *from = row_of(decoder, node - back);
    if (from->name != node - back + 1 && (status = look_up(decoder, node - back, error)))
      return status;
    chain = from->chain + 1;
    what = chain > codes->longest_chain
               ? "references follow each other in a longer chain than maxrefcount allows"
               : copy_blocks(&bits, codes, from, degree, ids, &copied);
  }
  if (!what && copied < degree)
    status = read_extra(decoder, &bits, codes, ids, copied, degree - copied, &what, error);
  decoder->bits = bits;
  if (status)
    return status;
  if (what || qn_bits_failed(&bits))
    return refuse(decoder, error, what);
  struct row *row = row_of(decoder, node);
  row->ids = ids;
  row->count = degree;
  row->chain = chain;
  row->name = node + 1;
  decoder->arcs += degree;
  decoder->node++;
  return QN_OK;
}

static enum qn_status read_any_list(struct qn_bv_decoder *decoder, uint32_t *ids,
                                    struct qn_error *error) {
  return read_list(decoder, &decoder->graph->properties, ids, error);
}

static enum qn_status read_plain_list(struct qn_bv_decoder *decoder, uint32_t *ids,
                                      struct qn_error *error) {
  struct qn_bv_properties codes = decoder->graph->properties;
  qn_bv_make_plain(&codes);
  return read_list(decoder, &codes, ids, error);
}

enum qn_status qn_bv_list(struct qn_bv_decoder *decoder, uint32_t *successors,
                          struct qn_error *error) {
  return decoder->is_plain ? read_plain_list(decoder, successors, error)
                           : read_any_list(decoder, successors, error);
}

enum qn_status qn_bv_degree(struct qn_bv_decoder *decoder, uint64_t *degree,
                            struct qn_error *error) {
  const struct qn_bv_properties *codes = &decoder->graph->properties;
  decoder->degree = *degree = qn_bits_code(&decoder->bits, codes->degrees, codes->zeta);
  if (qn_bits_failed(&decoder->bits) || *degree > codes->nodes)
    return refuse(decoder, error, "it has more successors than there are nodes");
  if (*degree > codes->arcs - decoder->arcs)
    return refuse(decoder, error, "there are more arcs than the properties announce");
  return QN_OK;
}

/* Lists that are looked up meanwhile may come into the same row, so that its memory is taken away
 * from it for that time. */
enum qn_status qn_bv_next(struct qn_bv_decoder *decoder, const uint32_t **successors,
                          uint64_t *count, struct qn_error *error) {
  struct row *row = row_of(decoder, decoder->node);
  uint32_t *ids = row->own;
  uint64_t capacity = row->capacity;
  enum qn_status status = qn_bv_degree(decoder, count, error);
  row->own = NULL;
  row->capacity = row->name = 0;
  if (!status)
    status = reserve(&ids, &capacity, *count, error);
  if (!status)
    status = qn_bv_list(decoder, ids, error);
  qn_free(row->own);
  row->own = ids;
  row->capacity = capacity;
  if (status)
    row->name = 0;
  *successors = ids;
  return status;
}

/* ---- Lists out of order ---------------------------------------------------- */

/* The node that this one's list is by reference to, or itself. Bits that make no sense are found
 * when the list is decoded. */
static uint64_t referred_to(const struct qn_bv_decoder *decoder, uint64_t node) {
  const struct qn_bv_properties *codes = &decoder->graph->properties;
  struct qn_bits bits = decoder->bits;
  bits.at = qn_bv_place_of(decoder->graph->places, node);
  if (qn_bits_code(&bits, codes->degrees, codes->zeta) == 0)
    return node;
  uint64_t back = qn_bits_code(&bits, codes->references, codes->zeta);
  return qn_bits_failed(&bits) || back > codes->window || back > node ? node : node - back;
}

static enum qn_status push_link(struct qn_bv_decoder *decoder, uint64_t length, uint64_t node,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (length == decoder->chain_capacity) {
    status =
        qn_realloc(&decoder->chain, 2 * length + 8, sizeof *decoder->chain, "references", error);
    decoder->chain_capacity = status ? length : 2 * length + 8;
  }
  if (!status)
    decoder->chain[length] = node;
  return status;
}

/* Decode the list of a node before the next one, and those that it refers to. */
static enum qn_status look_up(struct qn_bv_decoder *decoder, uint64_t node,
                              struct qn_error *error) {
  const struct qn_bits bits = decoder->bits;
  const uint64_t next = decoder->node, degree = decoder->degree, arcs = decoder->arcs;
  const uint32_t *ids;
  uint64_t length = 0, count;
  enum qn_status status = QN_OK;
  if (!decoder->graph->places || decoder->looks_up) /* then the file has changed */
    return refuse(decoder, error, "it refers to a list that is not known");
  for (bool more = true; more && !status; length++) {
    if (length == MOST_FOLLOWED) {
      decoder->is_far = true;
      return qn_fail(error, QN_INVALID, "a chain of references is very long");
    }
    status = push_link(decoder, length, node, error);
    uint64_t to = referred_to(decoder, node);
    more = to != node && row_of(decoder, to)->name != to + 1;
    node = to;
  }
  decoder->looks_up = true;
  while (length > 0 && !status) {
    qn_bv_seek(decoder, decoder->chain[--length], 0);
    status = qn_bv_next(decoder, &ids, &count, error);
  }
  decoder->looks_up = false;
  if (status)
    return status;
  decoder->bits = bits;
  decoder->node = next;
  decoder->degree = degree;
  decoder->arcs = arcs;
  return QN_OK;
}

/* ---- The end --------------------------------------------------------------- */

enum qn_status qn_bv_check_end(const struct qn_bv_graph *graph, uint64_t arcs, uint64_t place,
                               struct qn_error *error) {
  const struct qn_bits bits = {.data = graph->data, .bytes = graph->bytes, .at = place};
  if (arcs != graph->properties.arcs)
    return qn_binary_fail(graph->file, bits.bytes, error,
                          "the properties announce %" PRIu64 " arcs, but there are %" PRIu64,
                          graph->properties.arcs, arcs);
  return qn_bits_are_over(&bits)
             ? QN_OK
             : qn_binary_fail(graph->file, place / 8, error, "there is more after the last node");
}

enum qn_status qn_bv_end(const struct qn_bv_decoder *decoder, struct qn_error *error) {
  return qn_bv_check_end(decoder->graph, decoder->arcs, decoder->bits.at, error);
}
