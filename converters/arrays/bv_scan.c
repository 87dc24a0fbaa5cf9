#include "converters/arrays/bv_scan.h"

#include <inttypes.h>

#include "converters/arrays/binary_rows.h"
#include <quern/inline.h>

static enum qn_status refuse_bits(const struct qn_bv_scan *scan, const struct qn_bits *bits,
                                  const char *file, const char *what, struct qn_error *error) {
  uint64_t byte = bits->at / 8;
  if (qn_bits_failed(bits))
    what = byte >= bits->bytes ? "the file ends there" : "a number is beyond 64 bits";
  return qn_binary_fail(file, byte < bits->bytes ? byte : bits->bytes, error,
                        "node %" PRIu64 ": %s", scan->node, what);
}

static enum qn_status refuse(const struct qn_bv_scan *scan, const char *what,
                             struct qn_error *error) {
  return refuse_bits(scan, &scan->bits, scan->graph->file, what, error);
}

static enum qn_status refuse_offset(const struct qn_bv_scan *scan, const char *what,
                                    struct qn_error *error) {
  return refuse_bits(scan, &scan->lengths, scan->offsets->file, what, error);
}

/* ---- Passing over a list ----------------------------------------------------- */

/* How many ids blocks copy from a list of `left`; UINT64_MAX if they are longer than that. */
QN_ALWAYS_INLINE uint64_t count_copied(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                       uint64_t left) {
  uint64_t blocks = qn_bits_code(bits, codes->block_counts, codes->zeta), copied = 0;
  if (blocks > left + 1)
    return UINT64_MAX;
  for (uint64_t i = 0; i < blocks; i++) {
    uint64_t length = qn_bits_code(bits, codes->blocks, codes->zeta);
    if (length > left || (i > 0 && ++length > left))
      return UINT64_MAX;
    copied += i % 2 == 0 ? length : 0;
    left -= length;
  }
  return blocks % 2 == 0 ? copied + left : copied;
}

/* How many ids runs hold; UINT64_MAX if they are more than `extra`. */
QN_ALWAYS_INLINE uint64_t count_runs(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                     uint64_t extra) {
  uint64_t runs = qn_bits_gamma(bits), sum = 0;
  if (runs > extra / codes->min_interval)
    return UINT64_MAX;
  for (uint64_t i = 0; i < runs; i++) {
    qn_bits_gamma(bits);
    uint64_t length = qn_bits_gamma(bits);
    if (bits->fault || length > extra || length + codes->min_interval > extra - sum)
      return UINT64_MAX;
    sum += length + codes->min_interval;
  }
  return sum;
}

/* What is wrong with the next list, of `degree` ids, or NULL. `row_offsets` are those before. */
QN_ALWAYS_INLINE const char *pass_over(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                       uint64_t node, uint64_t degree,
                                       const uint64_t *row_offsets) {
  uint64_t back = codes->window ? qn_bits_code(bits, codes->references, codes->zeta) : 0, in = 0;
  if (back > codes->window || back > node)
    return "a reference goes back too far";
  if (back)
    in = count_copied(bits, codes, row_offsets[node - back + 1] - row_offsets[node - back]);
  if (in > degree)
    return "blocks do not fit the list to copy from";
  uint64_t extra = degree - in;
  if (extra && codes->min_interval) {
    in = count_runs(bits, codes, extra);
    if (in > extra)
      return "the intervals are longer than the list";
    extra -= in;
  }
  while (extra-- > 0 && !bits->fault)
    qn_bits_code(bits, codes->residuals, codes->zeta);
  return qn_bits_failed(bits) ? "" : NULL;
}

static const char *pass_over_any(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                 uint64_t node, uint64_t degree, const uint64_t *row_offsets) {
  struct qn_bits local = *bits;
  const char *what = pass_over(&local, codes, node, degree, row_offsets);
  *bits = local;
  return what;
}

static const char *pass_over_plain(struct qn_bits *bits, const struct qn_bv_properties *codes,
                                   uint64_t node, uint64_t degree, const uint64_t *row_offsets) {
  struct qn_bits local = *bits;
  struct qn_bv_properties plain = *codes;
  qn_bv_make_plain(&plain);
  const char *what = pass_over(&local, &plain, node, degree, row_offsets);
  *bits = local;
  return what;
}

/* ---- The next list ----------------------------------------------------------- */

enum qn_status qn_bv_scan_end_of_list(struct qn_bv_scan *scan, uint64_t begin, uint64_t *end,
                                      struct qn_error *error) {
  const struct qn_bv_properties *codes = &scan->graph->properties;
  uint64_t length = qn_bits_code(&scan->lengths, codes->offsets, codes->zeta);
  *end = begin + length;
  return qn_bits_failed(&scan->lengths) ? refuse_offset(scan, "", error) : QN_OK;
}

/* To the end that the .offsets file says. */
static enum qn_status jump(struct qn_bv_scan *scan, struct qn_error *error) {
  const uint64_t begin = qn_bv_place_of(scan->places, scan->node);
  uint64_t end;
  enum qn_status status = qn_bv_scan_end_of_list(scan, begin, &end, error);
  if (status)
    return status;
  scan->bits.at = end;
  if (end > begin && end <= 8 * scan->bits.bytes)
    return QN_OK;
  scan->is_end_bad = true;
  scan->end = end;
  return refuse(scan, "by the offsets its list ends where none can", error);
}

static enum qn_status take_list(struct qn_bv_scan *scan, struct qn_error *error) {
  const struct qn_bv_properties *codes = &scan->graph->properties;
  const uint64_t node = scan->node, arcs = scan->row_offsets[node];
  uint64_t degree = qn_bits_code(&scan->bits, codes->degrees, codes->zeta);
  const char *what = NULL;
  enum qn_status status = QN_OK;
  if (qn_bits_failed(&scan->bits) || degree > codes->nodes)
    return refuse(scan, "it has more successors than there are nodes", error);
  if (degree > codes->arcs - arcs)
    return refuse(scan, "there are more arcs than the properties announce", error);
  if (scan->offsets->data)
    status = jump(scan, error);
  else if (degree)
    what = qn_bv_is_plain(codes)
               ? pass_over_plain(&scan->bits, codes, node, degree, scan->row_offsets)
               : pass_over_any(&scan->bits, codes, node, degree, scan->row_offsets);
  if (what)
    return refuse(scan, what, error);
  if (status)
    return status;
  scan->row_offsets[node + 1] = arcs + degree;
  scan->is_far = !qn_bv_place_set(scan->places, node + 1, scan->bits.at);
  if (scan->is_far)
    return refuse(scan, "its list and those before it are very long", error);
  scan->node++;
  return QN_OK;
}

/* ---- The whole --------------------------------------------------------------- */

enum qn_status qn_bv_scan_begin(struct qn_bv_scan *scan, const struct qn_bv_graph *graph,
                                const struct qn_bv_offsets *offsets,
                                const struct qn_bv_places *places, uint64_t *row_offsets,
                                struct qn_error *error) {
  const struct qn_bv_properties *codes = &graph->properties;
  *scan = (struct qn_bv_scan){.graph = graph,
                              .offsets = offsets,
                              .places = places,
                              .row_offsets = row_offsets,
                              .bits = {.data = graph->data, .bytes = graph->bytes},
                              .lengths = {.data = offsets->data, .bytes = offsets->bytes}};
  row_offsets[0] = 0;
  if (places)
    qn_bv_place_set(places, 0, 0);
  if (offsets->data && qn_bits_code(&scan->lengths, codes->offsets, codes->zeta) != 0)
    return qn_binary_fail(offsets->file, 0, error, "the first offset is not 0");
  return QN_OK;
}

enum qn_status qn_bv_scan_on(struct qn_bv_scan *scan, uint64_t bits, struct qn_error *error) {
  const uint64_t end = scan->bits.at + bits, nodes = scan->graph->properties.nodes;
  enum qn_status status = QN_OK;
  while (scan->node < nodes && scan->bits.at < end && !status)
    status = take_list(scan, error);
  return status;
}

enum qn_status qn_bv_scan_end(const struct qn_bv_scan *scan, struct qn_error *error) {
  const struct qn_bits *lengths = &scan->lengths;
  if (!scan->offsets->data || qn_bits_are_over(lengths))
    return QN_OK;
  return qn_binary_fail(scan->offsets->file, lengths->at / 8, error,
                        "there is more after the offset of the last node's end");
}
