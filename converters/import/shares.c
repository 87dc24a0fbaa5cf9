#include "converters/import/shares.h"

#include <stdlib.h>
#include <string.h>

#include "converters/format.h"
#include "converters/parse/declared_size.h"
#include "converters/spread/spread.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/ranks/talk.h"

/* ---- Sharing out ------------------------------------------------------------------ */

/* A compressed byte holds several. */
#define PACKED_WEIGHT 4

struct looked_at {
  uint64_t bytes;
  bool divides;
};

static enum qn_status look_at(const struct qn_import *import, const char *path,
                              struct looked_at *look, struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  struct qn_input_options how = options->input;
  const struct qn_reader *reader = NULL;
  struct qn_input *input;
  if (strcmp(path, "-") == 0 || qn_is_stream(path))
    return qn_fail(error, QN_UNSUPPORTED,
                   "several ranks share files, not '%s': start quern-import without mpirun", path);
  how.unhashed = true;
  enum qn_status status = qn_input_open(path, &how, &input, error);
  if (status)
    return status;
  bool plain = qn_input_stays(input);
  look->bytes = qn_input_file_bytes(input) * (plain ? 1 : PACKED_WEIGHT);
  if (plain)
    status = strcmp(options->format, "auto") != 0
                 ? qn_reader_by_name(options->format, &reader, error)
                 : qn_reader_detect(input, &options->read, &reader, error);
  look->divides = reader && reader->divides;
  qn_input_close(input);
  return status;
}

static uint64_t share_begin(uint64_t total, unsigned rank, unsigned num_ranks) {
  return (uint64_t)((unsigned __int128)total * rank / num_ranks);
}

static void share_out(struct qn_import *import, const struct looked_at *looks, uint64_t total) {
  const struct qn_collective *ranks = import->job->ranks;
  uint64_t begin = share_begin(total, ranks->rank, ranks->num_ranks);
  uint64_t end = share_begin(total, ranks->rank + 1, ranks->num_ranks), at = 0;
  for (int i = 0; i < import->job->num_inputs; i++) {
    struct qn_input_share *share = &import->shares[i];
    uint64_t last = at + looks[i].bytes;
    bool begins_here = begin <= at && (at < end || (at == total && end == total));
    share->first = share->reads = begins_here;
    if (looks[i].divides && begin < last && end > at) {
      share->reads = true;
      share->begin = begin > at ? begin - at : 0;
      share->end = (end < last ? end : last) - at;
      share->is_part = share->begin > 0 || share->end < looks[i].bytes;
    }
    at = last;
  }
}

enum qn_status qn_import_shares_make(struct qn_import *import, struct qn_error *error) {
  const struct qn_import_job *job = import->job;
  const uint64_t count = (uint64_t)job->num_inputs;
  struct looked_at *looks;
  uint64_t total = 0;
  if (import->options->read.max_bad && job->ranks->num_ranks > 1)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--max-bad counts the bad lines of all ranks together, which they do not know: "
                   "import without mpirun (quern-import --parts N makes the same set)");
  enum qn_status status =
      qn_alloc_zeroed(&import->shares, count, sizeof *import->shares, "shares of inputs", error);
  if (!status)
    status = qn_alloc_zeroed(&looks, count, sizeof *looks, "shares of inputs", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < count && !status; i++) {
    status = look_at(import, job->inputs[i], &looks[i], error);
    total += looks[i].bytes;
  }
  if (!status)
    share_out(import, looks, total);
  qn_free(looks);
  return status;
}

void qn_import_shares_free(struct qn_import *import) {
  qn_free(import->shares);
  import->shares = NULL;
}

/* ---- What was read ------------------------------------------------------------------ */

/* Of each input the edges that all ranks found, then the ends that are above what it claims. */
static enum qn_status sum_found(const struct qn_import *import, uint64_t *found,
                                struct qn_error *error) {
  const uint64_t count = (uint64_t)import->job->num_inputs;
  for (uint64_t i = 0; i < count; i++) {
    found[i] = import->shares[i].found;
    found[count + i] = import->shares[i].claims.above;
  }
  return import->job->ranks->combine(found, 2 * count, QN_COMBINE_SUM, error);
}

static enum qn_status check_claims(const struct qn_import *import, struct qn_error *error) {
  const uint64_t count = (uint64_t)import->job->num_inputs;
  uint64_t *found;
  enum qn_status status = qn_alloc(&found, 2 * count, sizeof *found, "counts of inputs", error);
  if (status)
    return status;
  status = sum_found(import, found, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    const struct qn_input_share *share = &import->shares[i];
    struct qn_claims claims = share->claims;
    const struct qn_declared_size size = {
        .file = import->job->inputs[i], .line = 1, .num_edges = claims.announced_edges};
    claims.above = found[count + i];
    if (!share->first || !share->is_part)
      continue;
    if (claims.announced)
      status = qn_declared_edges_check(&size, found[i], "edges", error);
    if (!status)
      status = qn_counts_check(&claims, found[i], import->job->inputs[i], error);
  }
  qn_free(found);
  return status;
}

static enum qn_status add_inputs(json_t *inputs, const struct qn_heard *heard, unsigned num_ranks,
                                 struct qn_error *error) {
  const char *text = heard->data;
  json_array_clear(inputs);
  for (unsigned r = 0; r < num_ranks; r++) {
    json_t *more = json_loadb(text, heard->bytes_of[r], 0, NULL);
    int failed = !more || json_array_extend(inputs, more);
    json_decref(more);
    if (failed)
      return qn_fail_memory(error, "metadata", heard->bytes);
    text += heard->bytes_of[r];
  }
  return QN_OK;
}

static enum qn_status join_inputs(const struct qn_import *import, struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  json_t *inputs = json_object_get(import->report->provenance, "inputs");
  char *text = json_dumps(inputs, JSON_COMPACT);
  struct qn_heard heard = {0};
  enum qn_status status = text ? qn_talk_to(ranks, 0, text, strlen(text), &heard, error)
                               : qn_fail_memory(error, "metadata", 0);
  if (!status && ranks->rank == 0)
    status = add_inputs(inputs, &heard, ranks->num_ranks, error);
  qn_heard_free(&heard);
  free(text);
  return status;
}

enum qn_status qn_import_shares_join(struct qn_import *import, struct qn_error *error) {
  enum qn_status status = qn_spread_results(import->job->ranks, &import->result,
                                            import->declares != NULL, import->declares, error);
  if (!status)
    status = check_claims(import, error);
  return status ? status : join_inputs(import, error);
}
