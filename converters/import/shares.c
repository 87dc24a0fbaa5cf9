#include "converters/import/shares.h"

#include <stdlib.h>
#include <string.h>

#include "converters/distributed/distributed.h"
#include "converters/format.h"
#include "converters/parse/declared_size.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/ranks/exchange.h"
#include "support/text/url.h"

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
  char shown[QN_PATH_SHOWN];
  if (strcmp(path, "-") == 0 || qn_is_stream(path) || qn_is_url(path))
    return qn_fail(error, QN_UNSUPPORTED,
                   "several ranks share files, not '%s': start quern-import without mpirun",
                   qn_path_shown(path, shown, sizeof shown));
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
  for (int i = 0; import->shares && i < import->job->num_inputs; i++)
    qn_hash_part_free(&import->shares[i].hash);
  qn_free(import->shares);
  import->shares = NULL;
}

/* ---- What was read ------------------------------------------------------------------ */

/* Of an input, by all ranks. */
struct facts {
  uint64_t found;     /* edges */
  uint64_t symmetric; /* ranks that have been told that they are undirected */
  uint64_t above;     /* ends that are above what it claims */
  uint64_t first;     /* the rank that has the begin */
  uint64_t parts;     /* in which it is read; 0: whole */
};

static enum qn_status sum_facts(const struct qn_import *import, struct facts *facts,
                                struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  const uint64_t count = (uint64_t)import->job->num_inputs;
  for (uint64_t i = 0; i < count; i++) {
    const struct qn_input_share *share = &import->shares[i];
    facts[i] = (struct facts){.found = share->found,
                              .symmetric = share->is_symmetric,
                              .above = share->claims.above,
                              .first = share->first ? ranks->rank : 0,
                              .parts = share->is_part};
  }
  return ranks->combine((uint64_t *)facts, count * sizeof *facts / sizeof(uint64_t), QN_COMBINE_SUM,
                        error);
}

/* As files are checked one after another by one process. */
static enum qn_status check_directions(const struct qn_import *import, const struct facts *facts,
                                       struct qn_error *error) {
  const char *symmetric = NULL, *other = NULL;
  for (int i = 0; i < import->job->num_inputs; i++) {
    const char **first = facts[i].symmetric ? &symmetric : &other;
    if (facts[i].found && !*first)
      *first = import->job->inputs[i];
  }
  return symmetric && other && !import->options->build.undirected
             ? qn_import_fail_directions(symmetric, other, error)
             : QN_OK;
}

static enum qn_status check_claims(const struct qn_import *import, const struct facts *facts,
                                   struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (int i = 0; i < import->job->num_inputs && !status; i++) {
    const struct qn_input_share *share = &import->shares[i];
    struct qn_claims claims = share->claims;
    const struct qn_declared_size size = {
        .file = import->job->inputs[i], .line = 1, .num_edges = claims.announced_edges};
    claims.above = facts[i].above;
    if (!share->first || !share->is_part)
      continue;
    if (claims.announced)
      status = qn_declared_edges_check(&size, facts[i].found, "edges", error);
    if (!status)
      status = qn_counts_check(&claims, facts[i].found, import->job->inputs[i], error);
  }
  return status;
}

/* ---- Hashes ------------------------------------------------------------------------- */

/* Sums that are sent at a time: of 256 MiB of a file. */
#define SUMS_AT_ONCE ((uint64_t)1 << 18)

/* Rank `to`, whose `state` it is, hears the sums of rank `from`. */
static enum qn_status hear_sums(const struct qn_collective *ranks, unsigned from, unsigned to,
                                const struct qn_hash_part *part, uint64_t count,
                                XXH3_state_t *state, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t done = 0, some; done < count && !status; done += some) {
    struct qn_received received;
    const bool tells = ranks->rank == from;
    some = count - done < SUMS_AT_ONCE ? count - done : SUMS_AT_ONCE;
    status = qn_gather_to(ranks, to, tells ? part->sums + done : NULL,
                          tells ? some * sizeof *part->sums : 0, &received, error);
    if (!status && ranks->rank == to)
      qn_block_sums_add(state, (const struct qn_block_sum *)received.data, some);
    qn_received_free(&received);
  }
  return status;
}

/* The rank that has the begin lists the input. */
static enum qn_status end_hash(const struct qn_import *import, const struct qn_input_share *share,
                               XXH3_state_t *state, uint64_t num_sums, struct qn_error *error) {
  const struct qn_hash_part *part = &share->hash;
  struct qn_input_digest digest;
  if (num_sums != qn_hash_blocks(part->file_bytes))
    return qn_fail(error, QN_SYSTEM, "the input was not of the same size for all ranks");
  XXH3_128bits_update(state, part->end, part->end_bytes);
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  qn_digest_set(&digest, part->file_bytes, hash.low64, hash.high64);
  json_t *inputs = json_object_get(import->report->provenance, "inputs");
  return json_object_set_new(json_array_get(inputs, share->listed), "xxh3_128",
                             json_string(digest.xxh3_128))
             ? qn_fail_memory(error, "metadata", 0)
             : QN_OK;
}

static enum qn_status join_parts(const struct qn_import *import, uint64_t index, unsigned first,
                                 XXH3_state_t *state, struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  const struct qn_input_share *share = &import->shares[index];
  uint64_t *counts, total = 0;
  enum qn_status status =
      qn_alloc_zeroed(&counts, ranks->num_ranks, sizeof *counts, "sums of blocks", error);
  if (status)
    return status;
  counts[ranks->rank] = share->hash.num_sums;
  status = ranks->combine(counts, ranks->num_ranks, QN_COMBINE_SUM, error);
  XXH3_128bits_reset(state);
  for (unsigned r = 0; r < ranks->num_ranks && !status; r++) {
    status = hear_sums(ranks, r, first, &share->hash, counts[r], state, error);
    total += counts[r];
  }
  qn_free(counts);
  if (!status && ranks->rank == first)
    status = end_hash(import, share, state, total, error);
  return status;
}

static enum qn_status join_hashes(const struct qn_import *import, const struct facts *facts,
                                  struct qn_error *error) {
  XXH3_state_t *state = XXH3_createState();
  enum qn_status status = state ? QN_OK : qn_fail_memory(error, "a checksum", sizeof *state);
  for (int i = 0; i < import->job->num_inputs && !status; i++)
    if (facts[i].parts)
      status = join_parts(import, (uint64_t)i, (unsigned)facts[i].first, state, error);
  XXH3_freeState(state);
  return status;
}

/* ---- The provenance ------------------------------------------------------------------- */

static enum qn_status add_inputs(json_t *inputs, const struct qn_received *received,
                                 unsigned num_ranks, struct qn_error *error) {
  const char *text = received->data;
  json_array_clear(inputs);
  for (unsigned r = 0; r < num_ranks; r++) {
    json_t *more = json_loadb(text, received->bytes_of[r], 0, NULL);
    int failed = !more || json_array_extend(inputs, more);
    json_decref(more);
    if (failed)
      return qn_fail_memory(error, "metadata", received->bytes);
    text += received->bytes_of[r];
  }
  return QN_OK;
}

static enum qn_status join_inputs(const struct qn_import *import, struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  json_t *inputs = json_object_get(import->report->provenance, "inputs");
  char *text = json_dumps(inputs, JSON_COMPACT);
  struct qn_received received = {0};
  enum qn_status status = text ? qn_gather_to(ranks, 0, text, strlen(text), &received, error)
                               : qn_fail_memory(error, "metadata", 0);
  if (!status && ranks->rank == 0)
    status = add_inputs(inputs, &received, ranks->num_ranks, error);
  qn_received_free(&received);
  free(text);
  return status;
}

/* What one has noted in its share, all have. */
static enum qn_status join_notes(const struct qn_import *import, struct qn_error *error) {
  uint64_t is_noted[QN_NUM_NOTES], notes = 0;
  for (int i = 0; i < QN_NUM_NOTES; i++)
    is_noted[i] = qn_notes_made() >> i & 1;
  enum qn_status status =
      import->job->ranks->combine(is_noted, QN_NUM_NOTES, QN_COMBINE_MOST, error);
  for (int i = 0; i < QN_NUM_NOTES && !status; i++)
    notes |= is_noted[i] << i;
  qn_notes_add(notes);
  return status;
}

enum qn_status qn_import_shares_join(struct qn_import *import, struct qn_error *error) {
  struct facts *facts;
  enum qn_status status =
      qn_alloc(&facts, (uint64_t)import->job->num_inputs, sizeof *facts, "counts of inputs", error);
  if (status)
    return status;
  status = qn_distributed_results(import->job->ranks, &import->result, import->declares != NULL,
                                  import->declares, error);
  if (!status)
    status = sum_facts(import, facts, error);
  if (!status)
    status = check_directions(import, facts, error);
  if (!status)
    status = check_claims(import, facts, error);
  if (!status)
    status = join_hashes(import, facts, error);
  qn_free(facts);
  if (!status)
    status = join_notes(import, error);
  return status ? status : join_inputs(import, error);
}
