/* Who sends in an iteration, and what: every rank knows of its own vertices, and tells all. Part of
 * engine.h.
 *
 * A rank tells the numbers of its senders, or a bitmap of its vertices where that is less, and a
 * message for each of them; one for all where all send the same, as in a search by hops. */
#pragma once

#include "kernels/cpu/set/share.h"

#include "kernels/cpu/loop/frontier.h"

/* Words of a bitmap that are written or read at a time. */
#define SENDERS_BLOCK 1024
/* Vertices of a group. */
#define SENDERS_GROUP ((uint64_t)64 * SENDERS_BLOCK)

/* What each rank says of its senders before an iteration. */
struct senders_count {
  uint64_t count;
  uint64_t edges;    /* of their rows, if these are out-edges, too */
  uint64_t is_equal; /* all send the same */
};

struct senders {
  struct qn_frontier all; /* its bitmap alone: of all ranks, while edges are pulled along */
  bool is_equal;          /* all of them send `message` */
  program_message message;
  program_message *messages;    /* [V] otherwise */
  struct senders_count *counts; /* [num_ranks] */
  uint64_t count, edges;        /* of all ranks */
  uint64_t *offsets;            /* [num_ranks + 1] where each rank's bytes begin in `bytes` */
  char *bytes;                  /* what is told, [capacity] */
  uint64_t capacity;
  uint64_t *groups; /* bits of those that have senders: groups of SENDERS_GROUP vertices */
  uint64_t *places; /* of the members in a block of a bitmap, among all: of the largest range */
};

/* ---- Ranges of bitmaps ------------------------------------------------------ */

/* The words that vertices [begin, end) are in. */
static inline uint64_t range_words(uint64_t begin, uint64_t end) {
  return begin < end ? (end - 1) / 64 - begin / 64 + 1 : 0;
}

static inline uint64_t load_word(const void *words, uint64_t index) {
  uint64_t word;
  memcpy(&word, (const char *)words + index * sizeof word, sizeof word);
  return word;
}

static inline uint64_t range_blocks(uint64_t num_words) {
  return (num_words + SENDERS_BLOCK - 1) / SENDERS_BLOCK;
}

/* Before which place the members of each block of SENDERS_BLOCK words are: `places`. */
static inline void place_blocks(const void *words, uint64_t num_words, uint64_t *places) {
  const uint64_t num_blocks = range_blocks(num_words);
#pragma omp parallel for schedule(static) if (num_blocks > 4)
  for (uint64_t block = 0; block < num_blocks; block++) {
    uint64_t count = 0, end = (block + 1) * SENDERS_BLOCK;
    for (uint64_t i = block * SENDERS_BLOCK; i < (end < num_words ? end : num_words); i++)
      count += (uint64_t)__builtin_popcountll(load_word(words, i));
    places[block + 1] = count;
  }
  places[0] = 0;
  for (uint64_t block = 0; block < num_blocks; block++)
    places[block + 1] += places[block];
}

/* ---- How many there are ----------------------------------------------------- */

/* Those of a part's vertices, once where several parts have the same; `first` is a message that
 * `first_of` sends, the least sender of this rank. */
static inline void count_senders(const struct engine_state *state,
                                 const struct qn_program_context *context,
                                 const struct qn_frontier *active, const struct qn_part_rows *part,
                                 const program_message *first, struct senders_count *counted) {
  const uint64_t first_word = part->begin / 64, words = range_words(part->begin, part->end);
  const uint64_t *offsets = part->csr->row_offsets; /* NULL: nobody pushes */
  uint64_t count = 0, edges = 0, different = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, edges, different) if (words > 4096)
  for (uint64_t i = 0; i < words; i++) {
    const uint64_t word = first_word + i;
    uint64_t bits = active->bits[word];
    if (bits)
      bits &= qn_bits_between(word, part->begin, part->end);
    for (; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      program_message message =
          program_send(context, state->values[u], sweep_out_degree(state->view, u));
      different += memcmp(&message, first, sizeof message) != 0;
      edges += offsets ? qn_part_row_end(part, u - part->begin) - offsets[u - part->begin] : 0;
      count += part->begins_row;
    }
  }
  counted->count += count;
  counted->edges += edges;
  counted->is_equal &= different == 0;
}

/* The least sender; `end` if there is none. */
static inline uint64_t first_sender(const struct engine_state *state,
                                    const struct qn_frontier *active) {
  const uint64_t words = range_words(state->begin, state->end);
  for (uint64_t i = 0; i < words; i++)
    if (active->bits[state->begin / 64 + i])
      return (state->begin / 64 + i) * 64 +
             (uint64_t)__builtin_ctzll(active->bits[state->begin / 64 + i]);
  return state->end;
}

/* What this rank says of `active` in `iteration`. */
static inline struct senders_count count_own(const struct engine_state *state,
                                             const struct qn_frontier *active, uint32_t iteration) {
  const engine_view *view = state->view;
  struct qn_program_context context = state->context;
  struct senders_count own = {.is_equal = 1};
  const uint64_t first_of = first_sender(state, active);
  /* All parts are asked for the edges of senders where these may push. */
  const bool counts_edges = (view->has_out_rows || view->find_in_rows) && !view->enter;
  context.iteration = iteration;
  if (first_of == state->end)
    return own;
  const program_message first =
      program_send(&context, state->values[first_of], sweep_out_degree(view, first_of));
  for (uint64_t i = 0; i < view->num_parts; i++)
    if (view->parts[i].begins_row || counts_edges)
      count_senders(state, &context, active, &view->parts[i], &first, &own);
  return own;
}

/* `active` holds the vertices of this rank that send in `iteration`, of which `known` tells, if it
 * is not NULL: all ranks learn how many there are everywhere. */
static inline enum qn_status senders_announce(const struct engine_state *state,
                                              struct senders *senders, struct qn_frontier *active,
                                              const struct senders_count *known, uint32_t iteration,
                                              struct qn_error *error) {
  const engine_view *view = state->view;
  const struct senders_count own = known ? *known : count_own(state, active, iteration);
  active->count = own.count;
  active->marked = true;
  active->queued = false;
  senders->counts[share_own(view)] = own;
  enum qn_status status = share_items(view, senders->counts, sizeof own, error);
  senders->count = senders->edges = 0;
  for (unsigned rank = 0; !status && rank < share_ranks(view); rank++) {
    senders->count += senders->counts[rank].count;
    senders->edges += senders->counts[rank].edges;
  }
  return status;
}

/* ---- What a rank says ------------------------------------------------------- */

/* Bytes that say who sends, as numbers or as a bitmap. */
static inline uint64_t numbers_bytes(const engine_view *view, const struct senders_count *counts,
                                     unsigned rank, bool *has_numbers) {
  const uint64_t words = range_words(view->first_vertices[rank], view->first_vertices[rank + 1]);
  const uint64_t numbers = counts[rank].count * sizeof(uint32_t);
  *has_numbers = numbers <= words * sizeof(uint64_t);
  return *has_numbers ? numbers : words * sizeof(uint64_t);
}

static inline uint64_t rank_bytes(const engine_view *view, const struct senders_count *counts,
                                  unsigned rank) {
  bool has_numbers;
  uint64_t messages = counts[rank].is_equal ? counts[rank].count > 0 : counts[rank].count;
  return numbers_bytes(view, counts, rank, &has_numbers) + messages * sizeof(program_message);
}

static inline enum qn_status senders_reserve(struct senders *senders, uint64_t bytes,
                                             struct qn_error *error) {
  if (bytes <= senders->capacity)
    return QN_OK;
  qn_pages_free(senders->bytes, senders->capacity, 1);
  senders->bytes = NULL;
  senders->capacity = 0;
  enum qn_status status = qn_pages_alloc(&senders->bytes, bytes, 1, "what vertices send", error);
  if (!status)
    senders->capacity = bytes;
  return status;
}

static inline void write_block(const struct engine_state *state, const struct senders *senders,
                               const struct qn_frontier *active, uint64_t block, char *numbers,
                               char *messages) {
  const uint64_t words = range_words(state->begin, state->end), end = (block + 1) * SENDERS_BLOCK;
  uint64_t place = senders->places[block], most = active->count;
  for (uint64_t i = block * SENDERS_BLOCK; i < (end < words ? end : words); i++) {
    const uint64_t word = state->begin / 64 + i;
    for (uint64_t bits = active->bits[word]; bits && place < most; bits &= bits - 1, place++) {
      uint32_t u = (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(bits));
      if (numbers)
        memcpy(numbers + place * sizeof u, &u, sizeof u);
      if (!messages)
        continue;
      program_message message = sweep_message(state, u);
      memcpy(messages + place * sizeof message, &message, sizeof message);
    }
  }
}

static inline void write_own(const struct engine_state *state, struct senders *senders,
                             const struct qn_frontier *active) {
  const engine_view *view = state->view;
  const unsigned own = view->exchange->rank;
  const uint64_t words = range_words(state->begin, state->end);
  const bool is_equal = senders->counts[own].is_equal;
  bool has_numbers;
  char *to = senders->bytes + senders->offsets[own];
  char *messages = to + numbers_bytes(view, senders->counts, own, &has_numbers);
  if (active->count == 0)
    return;
  if (!has_numbers)
    memcpy(to, active->bits + state->begin / 64, words * sizeof *active->bits);
  if (is_equal) {
    program_message message = sweep_message(state, first_sender(state, active));
    memcpy(messages, &message, sizeof message);
  }
  if (is_equal && !has_numbers)
    return;
  place_blocks(active->bits + state->begin / 64, words, senders->places);
#pragma omp parallel for schedule(static) if (words > SENDERS_BLOCK)
  for (uint64_t block = 0; block < range_blocks(words); block++)
    write_block(state, senders, active, block, has_numbers ? to : NULL, is_equal ? NULL : messages);
}

/* ---- What it hears ---------------------------------------------------------- */

/* The message of the sender at `place` of a rank, unless all ranks' are the same. */
static inline void take_message(struct senders *senders, const char *messages, bool is_equal,
                                uint64_t place, uint64_t u) {
  if (!senders->is_equal)
    memcpy(&senders->messages[u], messages + (is_equal ? 0 : place) * sizeof(program_message),
           sizeof(program_message));
}

static inline void read_bitmap(const engine_view *view, struct senders *senders, unsigned rank,
                               const char *words, const char *messages) {
  const uint64_t begin = view->first_vertices[rank],
                 num = range_words(begin, view->first_vertices[rank + 1]);
  const bool is_equal = senders->counts[rank].is_equal;
  place_blocks(words, num, senders->places);
#pragma omp parallel for schedule(static) if (num > SENDERS_BLOCK)
  for (uint64_t block = 0; block < range_blocks(num); block++) {
    const uint64_t end = (block + 1) * SENDERS_BLOCK;
    uint64_t place = senders->places[block];
    for (uint64_t i = block * SENDERS_BLOCK; i < (end < num ? end : num); i++) {
      const uint64_t bits = load_word(words, i);
      senders->all.bits[begin / 64 + i] |= bits;
      for (uint64_t left = senders->is_equal ? 0 : bits; left; left &= left - 1, place++)
        take_message(senders, messages, is_equal, place,
                     (begin / 64 + i) * 64 + (uint64_t)__builtin_ctzll(left));
    }
  }
}

static inline void read_numbers(struct senders *senders, unsigned rank, const char *numbers,
                                const char *messages) {
  const uint64_t count = senders->counts[rank].count;
  const bool is_equal = senders->counts[rank].is_equal;
#pragma omp parallel for schedule(static) if (count > 4096)
  for (uint64_t i = 0; i < count; i++) {
    uint32_t u;
    memcpy(&u, numbers + i * sizeof u, sizeof u);
    qn_frontier_insert(&senders->all, u);
    take_message(senders, messages, is_equal, i, u);
  }
}

static inline void read_rank(const engine_view *view, struct senders *senders, unsigned rank) {
  bool has_numbers;
  const char *from = senders->bytes + senders->offsets[rank];
  const char *messages = from + numbers_bytes(view, senders->counts, rank, &has_numbers);
  if (senders->counts[rank].count == 0)
    return;
  if (has_numbers)
    read_numbers(senders, rank, from, messages);
  else
    read_bitmap(view, senders, rank, from, messages);
}

/* Do all ranks' senders send the same? It is `message` then. */
static inline bool find_message(const engine_view *view, struct senders *senders) {
  const char *found = NULL;
  for (unsigned rank = 0; rank < view->exchange->num_ranks; rank++) {
    bool has_numbers;
    const char *message = senders->bytes + senders->offsets[rank] +
                          numbers_bytes(view, senders->counts, rank, &has_numbers);
    if (senders->counts[rank].count == 0)
      continue;
    if (!senders->counts[rank].is_equal ||
        (found && memcmp(found, message, sizeof senders->message) != 0))
      return false;
    found = message;
  }
  if (found)
    memcpy(&senders->message, found, sizeof senders->message);
  return true;
}

/* One process: `all` are its own. */
static inline void take_own(const struct engine_state *state, struct senders *senders,
                            const struct qn_frontier *active) {
  senders->is_equal = senders->counts[0].is_equal;
  if (senders->is_equal)
    senders->message = sweep_message(state, first_sender(state, active));
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < qn_frontier_words(active); word++) {
    senders->all.bits[word] = active->bits[word];
    for (uint64_t bits = senders->is_equal ? 0 : active->bits[word]; bits; bits &= bits - 1) {
      uint64_t u = word * 64 + (uint64_t)__builtin_ctzll(bits);
      senders->messages[u] = sweep_message(state, u);
    }
  }
}

static inline uint64_t num_groups(uint64_t num_vertices) {
  return num_vertices / SENDERS_GROUP + 1;
}

static inline void find_groups(struct senders *senders, uint64_t num_vertices) {
  const uint64_t words = qn_frontier_words(&senders->all), groups = num_groups(num_vertices);
  memset(senders->groups, 0, (groups / 64 + 1) * sizeof *senders->groups);
#pragma omp parallel for schedule(static)
  for (uint64_t group = 0; group < groups; group++) {
    const uint64_t end = (group + 1) * SENDERS_BLOCK;
    uint64_t any = 0;
    for (uint64_t word = group * SENDERS_BLOCK; word < (end < words ? end : words); word++)
      any |= senders->all.bits[word];
    if (any)
      qn_bit_set(senders->groups, group);
  }
}

/* May some of the vertices [begin, end) send? Those beside them may be meant. */
static inline bool senders_between(const struct senders *senders, uint64_t begin, uint64_t end) {
  for (uint64_t group = begin / SENDERS_GROUP; begin < end && group <= (end - 1) / SENDERS_GROUP;
       group++)
    if (senders->groups[group / 64] >> (group % 64) & 1)
      return true;
  return false;
}

static inline enum qn_status share_senders(const struct engine_state *state,
                                           struct senders *senders,
                                           const struct qn_frontier *active,
                                           struct qn_error *error) {
  const engine_view *view = state->view;
  if (!view->exchange) {
    take_own(state, senders, active);
    return QN_OK;
  }
  const unsigned num_ranks = view->exchange->num_ranks;
  senders->offsets[0] = 0;
  for (unsigned rank = 0; rank < num_ranks; rank++)
    senders->offsets[rank + 1] = senders->offsets[rank] + rank_bytes(view, senders->counts, rank);
  enum qn_status status = senders_reserve(senders, senders->offsets[num_ranks], error);
  if (status)
    return status;
  write_own(state, senders, active);
  status = view->exchange->gather(senders->bytes, senders->offsets, error);
  if (status)
    return status;
  memset(senders->all.bits, 0, qn_frontier_words(&senders->all) * sizeof *senders->all.bits);
  senders->is_equal = find_message(view, senders);
  for (unsigned rank = 0; rank < num_ranks; rank++)
    read_rank(view, senders, rank);
  return QN_OK;
}

/* All ranks learn who sends, and what. Some do. */
static inline enum qn_status senders_share(const struct engine_state *state,
                                           struct senders *senders,
                                           const struct qn_frontier *active,
                                           struct qn_error *error) {
  enum qn_status status = share_senders(state, senders, active, error);
  if (!status)
    find_groups(senders, state->context.num_vertices);
  return status;
}

/* ---- Their memory ----------------------------------------------------------- */

static inline enum qn_status senders_create(const struct engine_state *state,
                                            struct senders *senders, struct qn_error *error) {
  const uint64_t num_vertices = state->context.num_vertices, ranks = share_ranks(state->view);
  const uint64_t blocks = num_vertices / 64 / SENDERS_BLOCK + 3;
  enum qn_status status = qn_frontier_create_bitmap(&senders->all, num_vertices, error);
  if (!status)
    status = engine_alloc(&senders->messages, num_vertices, sizeof *senders->messages, "messages",
                          error);
  if (!status)
    status = qn_alloc(&senders->counts, ranks, sizeof *senders->counts, "counts of ranks", error);
  if (!status)
    status =
        qn_alloc(&senders->offsets, ranks + 1, sizeof *senders->offsets, "offsets of ranks", error);
  if (!status)
    status = qn_alloc(&senders->groups, num_groups(num_vertices) / 64 + 1, sizeof *senders->groups,
                      "groups of senders", error);
  return status ? status
                : qn_alloc(&senders->places, blocks, sizeof *senders->places, "places", error);
}

static inline void senders_destroy(const struct engine_state *state, struct senders *senders) {
  qn_free(senders->groups);
  qn_free(senders->places);
  qn_pages_free(senders->bytes, senders->capacity, 1);
  qn_free(senders->offsets);
  qn_free(senders->counts);
  qn_pages_free(senders->messages, state->context.num_vertices, sizeof *senders->messages);
  qn_frontier_destroy(&senders->all);
}
