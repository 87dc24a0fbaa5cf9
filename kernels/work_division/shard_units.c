#include "kernels/work_division/shard_units.h"

#include <string.h>

#include "support/memory.h"
#include "support/used_files.h"

/* An active vertex of more out-edges has them looked at by all threads. */
#define HUB_EDGES ((uint64_t)1 << 16)

/* Fewer edges one thread looks at before all others are awake: 1 to 3 ms on 16 processors that read
 * and copy besides. */
#define FEW_EDGES ((uint64_t)1 << 16)
/* Of a bitmap, what a thread looks at in turn, and how many of its words make a sample. */
#define PIECE_WORDS ((uint64_t)64)
#define SAMPLED_WORDS ((uint64_t)2048)

struct cutter {
  struct qn_sh_units *out; /* whose arrays are NULL while they are counted */
  uint32_t unit_edges, align;
  const uint32_t *bounds;
  uint64_t num_bounds;
  uint64_t room_units, room_hubs; /* of the arrays */
};

static bool fits(const struct cutter *cutter, uint64_t begin, uint64_t end) {
  return end - begin / cutter->align * cutter->align <= cutter->unit_edges;
}

/* The end of the rows from `row` on, of those before `last`, that one unit can take. */
static uint64_t unit_end(const struct cutter *cutter, uint64_t row, uint64_t last) {
  const uint64_t *offsets = cutter->out->view->in.row_offsets;
  uint64_t low = row, high = last;
  while (low < high) {
    uint64_t middle = high - (high - low) / 2;
    if (fits(cutter, offsets[row], offsets[middle]))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static void add_unit(struct cutter *cutter, uint64_t shard, uint64_t row, uint64_t begin,
                     uint64_t end, uint32_t segment) {
  struct qn_sh_units *out = cutter->out;
  if (out->num_units < cutter->room_units)
    out->units[out->num_units] = (struct qn_sh_unit){
        .first_edge = begin,
        .num_edges = (uint32_t)(end - begin),
        .first_row = (uint32_t)row,
        .first_offset = (uint32_t)(row - out->view->vertex_offsets[shard]),
        .segment = segment,
    };
  out->num_units++;
}

static void add_hub(struct cutter *cutter, uint64_t shard, uint64_t row) {
  struct qn_sh_units *out = cutter->out;
  uint64_t end = out->view->in.row_offsets[row + 1], first_segment = out->num_segments;
  end = end < out->view->num_edges ? end : out->view->num_edges;
  for (uint64_t begin = out->view->in.row_offsets[row]; begin < end; out->num_segments++) {
    uint64_t whole = begin / cutter->align * cutter->align + cutter->unit_edges;
    uint64_t next = whole < end ? whole : end;
    add_unit(cutter, shard, row, begin, next, (uint32_t)out->num_segments);
    begin = next;
  }
  if (out->num_hubs < cutter->room_hubs)
    out->hubs[out->num_hubs] = (struct qn_sh_hub){(uint32_t)row, (uint32_t)first_segment,
                                                  (uint32_t)(out->num_segments - first_segment)};
  out->num_hubs++;
}

/* Rows that receive nothing are no unit. */
static void cut_shards(struct cutter *cutter) {
  struct qn_sh_units *out = cutter->out;
  const struct qn_shards *view = out->view;
  const uint64_t *offsets = view->in.row_offsets;
  uint64_t bound = 0; /* the next one */
  out->num_units = out->num_hubs = out->num_segments = 0;
  for (uint64_t shard = 0; shard < view->num_shards; shard++) {
    uint64_t last = view->vertex_offsets[shard + 1];
    for (uint64_t row = view->vertex_offsets[shard]; row < last;) {
      while (bound < cutter->num_bounds && cutter->bounds[bound] <= row)
        bound++;
      uint64_t until =
          bound < cutter->num_bounds && cutter->bounds[bound] < last ? cutter->bounds[bound] : last;
      uint64_t end = unit_end(cutter, row, until);
      if (end == row)
        add_hub(cutter, shard, row);
      else if (offsets[row] < offsets[end])
        add_unit(cutter, shard, row, offsets[row], offsets[end], QN_SH_NO_SEGMENT);
      row = end > row ? end : row + 1;
    }
  }
}

enum qn_status qn_sh_units_create(struct qn_sh_units *units, const struct qn_shards *view,
                                  uint32_t unit_edges, uint32_t align, const uint32_t *bounds,
                                  uint64_t num_bounds, struct qn_error *error) {
  struct cutter cutter = {.out = units,
                          .unit_edges = unit_edges,
                          .align = align,
                          .bounds = bounds,
                          .num_bounds = bounds ? num_bounds : 0};
  *units = (struct qn_sh_units){.view = view};
  cut_shards(&cutter);
  if (units->num_units > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many shards or edges for one device");
  uint64_t num_units = units->num_units, num_hubs = units->num_hubs;
  enum qn_status status =
      qn_alloc(&units->units, num_units, sizeof *units->units, "units of shards", error);
  if (!status)
    status = qn_alloc(&units->hubs, num_hubs, sizeof *units->hubs, "units of shards", error);
  if (!status) {
    cutter.room_units = num_units;
    cutter.room_hubs = num_hubs;
    cut_shards(&cutter);
    if (units->num_units != num_units || units->num_hubs != num_hubs)
      status = qn_input_changed(error);
  }
  if (status)
    qn_sh_units_destroy(units);
  return status;
}

void qn_sh_units_destroy(struct qn_sh_units *units) {
  qn_free(units->units);
  qn_free(units->hubs);
  *units = (struct qn_sh_units){0};
}

enum qn_status qn_sh_stretches_create(const struct qn_shards *view, uint64_t count, uint64_t least,
                                      uint32_t **bounds, uint64_t *num_stretches,
                                      struct qn_error *error) {
  const uint64_t *offsets = view->in.row_offsets;
  uint64_t num_vertices = view->num_vertices, cost = num_vertices + view->num_edges;
  uint64_t each = cost / count > least ? cost / count : least, found = 0, begin = 0;
  const uint64_t room = cost / (each | 1) + 1;
  *num_stretches = 0;
  enum qn_status status = qn_alloc(bounds, room + 1, sizeof **bounds, "stretches of rows", error);
  if (status)
    return status;
  for (uint64_t row = 0; row < num_vertices && found < room;) {
    (*bounds)[found++] = (uint32_t)row;
    do
      row = row + 64 < num_vertices ? row + 64 : num_vertices;
    while (row < num_vertices && offsets[row] + row - begin < each);
    begin = offsets[row] + row;
  }
  (*bounds)[found] = (uint32_t)num_vertices;
  *num_stretches = found;
  return QN_OK;
}

/* ---- Which units have something to receive ------------------------------------------- */

static uint64_t num_words(const struct qn_sh_receivers *receivers) {
  return (receivers->units->view->num_vertices + 63) / 64;
}

/* Behind the rows of a unit, which may have a part of the first one alone. */
static uint64_t end_row(const struct qn_sh_receivers *receivers, uint64_t unit) {
  const uint64_t begin = receivers->first_rows[unit], next = receivers->first_rows[unit + 1];
  return next > begin ? next : begin + 1;
}

/* Which units have which rows. */
static void list_rows(struct qn_sh_receivers *receivers) {
  const struct qn_sh_units *units = receivers->units;
  uint64_t unit = 0;
  for (uint64_t u = 0; u < units->num_units; u++)
    receivers->first_rows[u] = units->units[u].first_row;
  receivers->first_rows[units->num_units] = (uint32_t)units->view->num_vertices;
  for (uint64_t word = 0; word < num_words(receivers); word++) {
    while (unit < units->num_units && end_row(receivers, unit) <= word * 64)
      unit++;
    receivers->first_units[word] = (uint32_t)unit;
  }
}

enum qn_status qn_sh_receivers_create(struct qn_sh_receivers *receivers,
                                      const struct qn_sh_units *units, struct qn_error *error) {
  const uint64_t *offsets = units->view->in.row_offsets;
  uint64_t num_vertices = units->view->num_vertices;
  *receivers = (struct qn_sh_receivers){.units = units};
  enum qn_status status = qn_pages_alloc(&receivers->all, num_vertices / 64 + 1,
                                         sizeof *receivers->all, "set of receivers", error);
  if (!status)
    status = qn_pages_alloc(&receivers->wanted, num_vertices / 64 + 1, sizeof *receivers->wanted,
                            "set of receivers", error);
  if (!status)
    status = qn_pages_alloc(&receivers->first_rows, units->num_units + 1,
                            sizeof *receivers->first_rows, "units of shards", error);
  if (!status)
    status = qn_pages_alloc(&receivers->first_units, num_vertices / 64 + 1,
                            sizeof *receivers->first_units, "units of shards", error);
  if (status) {
    qn_sh_receivers_destroy(receivers);
    return status;
  }
  list_rows(receivers);
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < num_words(receivers); word++)
    for (uint64_t v = word * 64; v < word * 64 + 64 && v < num_vertices; v++)
      if (offsets[v] < offsets[v + 1])
        receivers->all[word] |= (uint64_t)1 << (v % 64);
  return QN_OK;
}

void qn_sh_receivers_destroy(struct qn_sh_receivers *receivers) {
  if (!receivers->units)
    return;
  uint64_t words = receivers->units->view->num_vertices / 64 + 1;
  qn_pages_free(receivers->first_rows, receivers->units->num_units + 1,
                sizeof *receivers->first_rows);
  qn_pages_free(receivers->first_units, words, sizeof *receivers->first_units);
  qn_pages_free(receivers->all, words, sizeof *receivers->all);
  qn_pages_free(receivers->wanted, words, sizeof *receivers->wanted);
  *receivers = (struct qn_sh_receivers){0};
}

/* Out-edges of one word of active vertices. */
static uint64_t edges_of_word(const struct qn_sh_receivers *receivers, uint64_t word,
                              uint64_t bits) {
  const uint64_t *offsets = receivers->units->view->out.row_offsets;
  uint64_t edges = 0;
  for (; bits; bits &= bits - 1) {
    uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
    edges += offsets[v + 1] - offsets[v];
  }
  return edges;
}

/* How many out-edges the active vertices have, judged by some of them. The word that has most
 * stands for itself alone: it may be that of a hub. */
static uint64_t estimate_edges(const struct qn_sh_receivers *receivers, const uint64_t *active) {
  const uint64_t step = num_words(receivers) / SAMPLED_WORDS + 1;
  uint64_t edges = 0, most = 0;
  for (uint64_t word = 0; word < num_words(receivers); word += step) {
    const uint64_t here = edges_of_word(receivers, word, active[word]);
    edges += here;
    most = here > most ? here : most;
  }
  return (edges - most) * step + most;
}

static void want(struct qn_sh_receivers *receivers, uint64_t edge) {
  uint32_t v = receivers->units->view->out.column_indices[edge];
  uint64_t *word = &receivers->wanted[v / 64], bit = (uint64_t)1 << (v % 64);
  if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

/* Of one word of active vertices, the receivers, but for those of hubs; are there any? */
static bool notify_from_word(struct qn_sh_receivers *receivers, uint64_t word, uint64_t bits) {
  const uint64_t *offsets = receivers->units->view->out.row_offsets;
  bool has_hubs = false;
  for (; bits; bits &= bits - 1) {
    uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
    if (offsets[v + 1] - offsets[v] > HUB_EDGES) {
      has_hubs = true;
      continue;
    }
    for (uint64_t edge = offsets[v]; edge < offsets[v + 1]; edge++)
      want(receivers, edge);
  }
  return has_hubs;
}

static void notify_from_hubs(struct qn_sh_receivers *receivers, const uint64_t *active) {
  const uint64_t *offsets = receivers->units->view->out.row_offsets;
  for (uint64_t word = 0; word < num_words(receivers); word++)
    for (uint64_t bits = active[word]; bits; bits &= bits - 1) {
      uint64_t v = word * 64 + (uint64_t)__builtin_ctzll(bits);
      if (offsets[v + 1] - offsets[v] <= HUB_EDGES)
        continue;
#pragma omp parallel for schedule(static)
      for (uint64_t edge = offsets[v]; edge < offsets[v + 1]; edge++)
        want(receivers, edge);
    }
}

/* Of the words [begin, end), if with these no more than `limit` edges have been seen. */
static bool notify_from_words(struct qn_sh_receivers *receivers, const uint64_t *active,
                              uint64_t begin, uint64_t end, uint64_t limit, uint64_t *seen) {
  uint64_t edges = 0;
  bool has_hubs = false;
  if (__atomic_load_n(seen, __ATOMIC_RELAXED) > limit)
    return false;
  for (uint64_t word = begin; word < end; word++)
    edges += edges_of_word(receivers, word, active[word]);
  if (edges == 0 || __atomic_add_fetch(seen, edges, __ATOMIC_RELAXED) > limit)
    return false;
  for (uint64_t word = begin; word < end; word++)
    has_hubs = notify_from_word(receivers, word, active[word]) || has_hubs;
  return has_hubs;
}

/* Find the receivers, unless active vertices have more than `limit` out-edges: false then. */
static bool notify(struct qn_sh_receivers *receivers, const uint64_t *active, uint64_t limit,
                   bool are_few) {
  const uint64_t words = num_words(receivers);
  uint64_t seen = 0;
  bool has_hubs = false;
  memset(receivers->wanted, 0, words * sizeof *receivers->wanted);
#pragma omp parallel for schedule(dynamic) reduction(|| : has_hubs) if (!are_few)
  for (uint64_t begin = 0; begin < words; begin += PIECE_WORDS) {
    const uint64_t end = begin + PIECE_WORDS < words ? begin + PIECE_WORDS : words;
    has_hubs = notify_from_words(receivers, active, begin, end, limit, &seen) || has_hubs;
  }
  if (has_hubs && seen <= limit)
    notify_from_hubs(receivers, active);
  return seen <= limit;
}

/* Of the wanted receivers of one word, those that are open. */
static uint64_t open_of(const uint64_t *wanted, const uint64_t *open, uint64_t word) {
  return wanted[word] & (open ? open[word] : ~(uint64_t)0);
}

/* Receivers in the rows [begin, end) of one word. */
static uint64_t between(uint64_t bits, uint64_t word, uint64_t begin, uint64_t end) {
  const uint64_t first = word * 64;
  const uint64_t from = begin > first ? begin - first : 0;
  const uint64_t last = (end < first + 64 ? end - first : 64) - 1;
  return bits >> from << from << (63 - last);
}

/* Where most words have receivers: the first word of most units tells. */
static void flag_by_units(const struct qn_sh_receivers *receivers, const uint64_t *wanted,
                          const uint64_t *open, uint8_t *flags) {
  for (uint64_t u = 0; u < receivers->units->num_units; u++) {
    const uint64_t begin = receivers->first_rows[u], end = end_row(receivers, u);
    uint64_t found = 0;
    for (uint64_t word = begin / 64; word * 64 < end && !found; word++)
      found = between(open_of(wanted, open, word), word, begin, end);
    flags[u] = found != 0;
  }
}

/* Where few have: to look at their units alone saves a millisecond for 160,000 units. */
static void flag_by_words(const struct qn_sh_receivers *receivers, const uint64_t *wanted,
                          const uint64_t *open, uint8_t *flags) {
  const uint64_t num_units = receivers->units->num_units;
  memset(flags, 0, num_units);
  for (uint64_t word = 0; word < num_words(receivers); word++) {
    const uint64_t bits = open_of(wanted, open, word), end = word * 64 + 64;
    if (!bits)
      continue;
    for (uint64_t u = receivers->first_units[word]; u < num_units && receivers->first_rows[u] < end;
         u++)
      if (between(bits, word, receivers->first_rows[u], end_row(receivers, u)))
        flags[u] = 1;
  }
}

/* Have at least a quarter of all words receivers? */
static bool are_many(const struct qn_sh_receivers *receivers, const uint64_t *wanted,
                     const uint64_t *open) {
  uint64_t count = 0;
  for (uint64_t word = 0; word < num_words(receivers); word++)
    count += open_of(wanted, open, word) != 0;
  return count >= num_words(receivers) / 4;
}

bool qn_sh_receivers_find(struct qn_sh_receivers *receivers, const uint64_t *active,
                          const uint64_t *open, uint8_t *flags) {
  const struct qn_sh_units *units = receivers->units;
  const uint64_t limit = units->view->num_edges / QN_SH_NOTIFY_SHARE;
  const uint64_t estimate = estimate_edges(receivers, active);
  const bool all = estimate > limit || !notify(receivers, active, limit, estimate <= FEW_EDGES);
  const uint64_t *wanted = all ? receivers->all : receivers->wanted;
  if (all && !open) { /* all of them have in-edges */
    memset(flags, 1, units->num_units);
    return true;
  }
  if (are_many(receivers, wanted, open))
    flag_by_units(receivers, wanted, open, flags);
  else
    flag_by_words(receivers, wanted, open, flags);
  return false;
}
