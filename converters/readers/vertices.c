/* Lists of vertices (.v of LDBC Graphalytics): ids, one a line. They are vertices even if no edge
 * of the other inputs has them. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/parse/reader.h"
#include "converters/parse/text_tokens.h"
#include "formats/text/text_fields.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"

/* A part's ids, to their places; the first token that is none, or UINT64_MAX. */
static uint64_t take_ids(struct qn_token_part *whole, uint64_t *ids) {
  struct qn_token_part part = *whole;
  while (part.next < part.last)
    if (!qn_token_number(&part, &ids[part.next]))
      return part.next;
  *whole = part;
  return UINT64_MAX;
}

/* Append the ids of the block. */
static enum qn_status read_block(struct qn_tokens *tokens, struct qn_read_result *result,
                                 uint64_t before, struct qn_error *error) {
  uint64_t bad = UINT64_MAX;
  enum qn_status status = qn_tokens_cut(tokens, error);
  if (!status)
    status = qn_realloc(&result->extra_ids, before + tokens->count, sizeof *result->extra_ids,
                        "ids of vertices", error);
  if (status)
    return status;
  uint64_t *ids = result->extra_ids + before;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < tokens->num_parts; i++) {
    uint64_t found = take_ids(&tokens->parts[i], ids);
    bad = found < bad ? found : bad;
  }
  if (bad != UINT64_MAX)
    return qn_tokens_fail(tokens, bad, error, "expected a vertex id, an integer up to 2^64-1");
  return QN_OK;
}

static enum qn_status read_vertices(struct qn_input *input, const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  struct qn_tokens tokens;
  struct qn_input_block block;
  uint64_t before = result->num_extra_ids;
  (void)list;
  (void)sequence;
  if (options->strings)
    return qn_fail(error, QN_USAGE,
                   "ids in lists of vertices are numbers; --ids=strings is for "
                   "edge lists alone");
  enum qn_status status = qn_input_next(input, &block, error);
  if (status)
    return status;
  qn_tokens_begin(&tokens, input, &block, 0, block.data);
  while (!status && tokens.block.bytes) {
    qn_progress_add(tokens.block.bytes);
    status = read_block(&tokens, result, before, error);
    if (!status)
      status = qn_tokens_advance(&tokens, error);
  }
  qn_tokens_end(&tokens);
  if (status)
    return status;
  result->num_extra_ids = before + tokens.count;
  result->vertices_listed += tokens.count;
  result->ledger.records += tokens.count;
  result->ledger.comments += tokens.count;
  snprintf(result->description, sizeof result->description, "%" PRIu64 " ids", tokens.count);
  return QN_OK;
}

/* Nothing but one number a line. */
static int detect_vertices(const char *head, uint64_t bytes,
                           const struct qn_read_options *options) {
  struct qn_input_block block = {.data = head, .bytes = bytes};
  const char *line, *end;
  uint64_t found = 0;
  if (options->strings || options->bipartite == QN_BIPARTITE_YES)
    return 0;
  for (; qn_text_take_line(&block, &line, &end); found++)
    for (const char *p = line; p < end || p == line; p++)
      if (p == end || !qn_is_digit(*p))
        return 0;
  return found > 0 ? 2 : 0;
}

const struct qn_reader qn_reader_vertices = {
    .name = "vertices",
    .detect = detect_vertices,
    .read = read_vertices,
};
