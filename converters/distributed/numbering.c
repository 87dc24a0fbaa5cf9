/* Which vertices the ids of all ranks are. */
#include <stdlib.h>
#include <string.h>

#include "converters/distributed/keys.h"
#include "converters/distributed/state.h"
#include "converters/parse/names.h"
#include "formats/text/string_map.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"

/* ---- Numbers as keys ---------------------------------------------------------- */

#define NUMBER_BYTES sizeof(uint64_t)

/* Whose bytewise order is that of the numbers. */
struct number_keys {
  struct qn_keys keys;
  uint64_t *offsets;
  uint64_t *bytes; /* with the highest first */
};

static void number_keys_free(struct number_keys *made) {
  qn_pages_free(made->offsets, made->keys.count + 1, sizeof *made->offsets);
  qn_pages_free(made->bytes, made->keys.count, sizeof *made->bytes);
}

static enum qn_status number_keys_of(const uint64_t *numbers, uint64_t count,
                                     struct number_keys *made, struct qn_error *error) {
  *made = (struct number_keys){.keys.count = count};
  enum qn_status status =
      qn_bulk_alloc(&made->offsets, count + 1, sizeof *made->offsets, "keys", error);
  if (!status)
    status = qn_bulk_alloc(&made->bytes, count, sizeof *made->bytes, "keys", error);
  if (status)
    return status;
  made->offsets[0] = 0;
  for (uint64_t i = 0; i < count; i++) {
    made->offsets[i + 1] = (i + 1) * NUMBER_BYTES;
    made->bytes[i] = __builtin_bswap64(numbers[i]);
  }
  made->keys.offsets = made->offsets;
  made->keys.bytes = (const char *)made->bytes;
  return QN_OK;
}

/* The numbers that all ranks own, at the first one behind the first `before` of spread->names. */
static enum qn_status gather_numbers(struct qn_distributed *distributed,
                                     const struct qn_owned_keys *owned, uint64_t before,
                                     struct qn_error *error) {
  struct qn_received received;
  enum qn_status status =
      qn_gather_to(distributed->ranks, 0, owned->bytes, owned->num_bytes, &received, error);
  if (!status && distributed->ranks->rank == 0) {
    const uint64_t *keys = (const uint64_t *)received.data;
    for (uint64_t i = 0; i < received.bytes / NUMBER_BYTES; i++)
      distributed->name_numbers[before + i] = __builtin_bswap64(keys[i]);
  }
  qn_received_free(&received);
  return status;
}

/* Room for the numbers that vertices are called, at the first rank. */
static enum qn_status take_numbers(struct qn_distributed *distributed, struct qn_error *error) {
  if (distributed->ranks->rank != 0)
    return QN_OK;
  enum qn_status status =
      qn_bulk_alloc(&distributed->name_numbers, distributed->num_vertices,
                    sizeof *distributed->name_numbers, "ids of vertices", error);
  distributed->names = (struct qn_ids){.kind = QN_IDS_NUMBERS,
                                       .num_vertices = distributed->num_vertices,
                                       .numbers = distributed->name_numbers,
                                       .ascending = true};
  return status;
}

/* ---- Ids that are numbers ------------------------------------------------------- */

static enum qn_status join_facts(struct qn_distributed *distributed, struct qn_id_facts *facts,
                                 struct qn_error *error) {
  qn_id_facts_of(distributed->sender.list, distributed->build, facts);
  facts->num_ranks = distributed->ranks->num_ranks;
  enum qn_status status = distributed->ranks->combine(&facts->num_ids, 1, QN_COMBINE_SUM, error);
  return status ? status : distributed->ranks->combine(&facts->largest, 1, QN_COMBINE_MOST, error);
}

static enum qn_status number_far(struct qn_distributed *distributed, struct qn_owned_keys *owned,
                                 struct qn_error *error) {
  struct number_keys made = {0};
  uint64_t count;
  const uint64_t *far = qn_id_map_far(distributed->sender.ids, &count);
  enum qn_status status = qn_bulk_alloc(&distributed->given, count, sizeof *distributed->given,
                                        "vertices of ids", error);
  distributed->num_given = count;
  if (!status)
    status = number_keys_of(far, count, &made, error);
  if (!status)
    status = qn_keys_number(distributed->ranks, &made.keys, distributed->given, owned, error);
  number_keys_free(&made);
  return status;
}

static enum qn_status name_numbers(struct qn_distributed *distributed,
                                   const struct qn_owned_keys *owned, uint64_t num_marked,
                                   struct qn_error *error) {
  enum qn_status status = take_numbers(distributed, error);
  if (!status && distributed->ranks->rank == 0)
    qn_id_map_list(distributed->sender.ids, distributed->name_numbers);
  return status ? status : gather_numbers(distributed, owned, num_marked, error);
}

static enum qn_status share_map(struct qn_distributed *distributed, const struct qn_id_facts *facts,
                                struct qn_error *error) {
  struct qn_id_map *ids = distributed->sender.ids;
  struct qn_owned_keys owned = {0};
  uint64_t num_words, num_marked = 0;
  uint64_t *words = qn_id_map_words(ids, &num_words);
  enum qn_status status = distributed->ranks->combine(words, num_words, QN_COMBINE_OR, error);
  if (!status)
    status = number_far(distributed, &owned, error);
  if (!status)
    status = qn_id_map_share(ids, distributed->given, owned.num_of_all, facts->largest, &num_marked,
                             error);
  distributed->num_vertices = qn_id_map_num_vertices(ids);
  if (!status && !qn_id_map_is_identity(ids))
    status = name_numbers(distributed, &owned, num_marked, error);
  qn_owned_keys_free(&owned);
  return status;
}

static enum qn_status number_ids(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_build_job *sender = &distributed->sender;
  struct qn_id_facts facts;
  enum qn_status status = join_facts(distributed, &facts, error);
  if (!status)
    status = qn_id_map_create_shared(sender->list, distributed->build, &facts, &sender->ids, error);
  if (status)
    return status;
  distributed->num_vertices = qn_id_map_num_vertices(sender->ids);
  return qn_id_map_is_identity(sender->ids) ? QN_OK : share_map(distributed, &facts, error);
}

/* ---- Names that were given with the vertices ------------------------------------- */

/* One rank has them. Send what they are made of to the first rank. */
static enum qn_status send_array(struct qn_distributed *distributed, const void *array,
                                 uint64_t bytes, void *to, struct qn_error *error) {
  struct qn_received received;
  enum qn_status status = qn_gather_to(distributed->ranks, 0, array, bytes, &received, error);
  char *copy = NULL;
  if (!status && distributed->ranks->rank == 0)
    status = qn_bulk_alloc(&copy, received.bytes, 1, "names of vertices", error);
  if (copy)
    memcpy(copy, received.data, received.bytes);
  memcpy(to, &copy, sizeof copy);
  qn_received_free(&received);
  return status;
}

static enum qn_status send_names(struct qn_distributed *distributed, struct qn_error *error) {
  static const struct qn_ids none;
  const struct qn_read_result *result = distributed->job->result;
  const struct qn_ids *own = result ? &result->names : &none;
  struct qn_ids *names = &distributed->names;
  uint64_t count = own->kind == QN_IDS_DENSE ? 0 : own->num_vertices;
  uint64_t facts[2] = {own->kind, own->kind != QN_IDS_DENSE && own->ascending};
  enum qn_status status = distributed->ranks->combine(facts, 2, QN_COMBINE_MOST, error);
  if (status || facts[0] == QN_IDS_DENSE)
    return status;
  if (distributed->build->ids == QN_ID_COMPACT)
    return qn_fail(error, QN_USAGE, "vertices with names cannot be compacted");
  *names = (struct qn_ids){.kind = (enum qn_id_kind)facts[0],
                           .num_vertices = distributed->num_vertices,
                           .ascending = facts[1]};
  if (names->kind == QN_IDS_NUMBERS) {
    status = send_array(distributed, own->numbers, count * sizeof *own->numbers,
                        &distributed->name_numbers, error);
    names->numbers = distributed->name_numbers;
    return status;
  }
  uint64_t bytes = count ? own->string_offsets[count] : 0;
  status = send_array(distributed, own->string_offsets,
                      count ? (count + 1) * sizeof *own->string_offsets : 0,
                      &distributed->name_offsets, error);
  if (!status)
    status = send_array(distributed, own->string_bytes, bytes, &distributed->name_bytes, error);
  names->string_offsets = distributed->name_offsets;
  names->string_bytes = distributed->name_bytes;
  return status;
}

/* ---- Names --------------------------------------------------------------------- */

struct numbered {
  uint64_t number;
  uint32_t vertex; /* in the order of this rank's names */
};

static int compare_numbered(const void *a, const void *b) {
  uint64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
  return (x > y) - (x < y);
}

/* This rank's names as numbers, ascending; `*all` if they all are such. */
static enum qn_status names_as_numbers(const struct qn_ids *names, struct numbered **out, bool *all,
                                       struct qn_error *error) {
  enum qn_status status =
      qn_bulk_alloc(out, names->num_vertices, sizeof **out, "ids of vertices", error);
  *all = !status;
  for (uint64_t v = 0; v < names->num_vertices && *all; v++) {
    (*out)[v].vertex = (uint32_t)v;
    *all = qn_names_parse(names, v, &(*out)[v].number);
  }
  if (*all)
    qsort(*out, names->num_vertices, sizeof **out, compare_numbered);
  return status;
}

/* `places[i]` becomes the vertex of this rank's name i. */
static enum qn_status place_numbers(struct qn_distributed *distributed,
                                    const struct numbered *numbered, uint64_t count,
                                    uint32_t *places, struct qn_error *error) {
  struct number_keys made = {0};
  struct qn_owned_keys owned = {0};
  uint64_t *numbers = NULL, largest = count ? numbered[count - 1].number : 0;
  uint32_t *vertices = NULL;
  enum qn_status status = qn_bulk_alloc(&numbers, count, sizeof *numbers, "ids", error);
  if (!status)
    status = qn_bulk_alloc(&vertices, count, sizeof *vertices, "ids", error);
  for (uint64_t i = 0; i < count && !status; i++)
    numbers[i] = numbered[i].number;
  if (!status)
    status = number_keys_of(numbers, count, &made, error);
  if (!status)
    status = qn_keys_number(distributed->ranks, &made.keys, vertices, &owned, error);
  if (!status)
    status = distributed->ranks->combine(&largest, 1, QN_COMBINE_MOST, error);
  distributed->num_vertices = owned.num_of_all;
  for (uint64_t i = 0; i < count && !status; i++)
    places[numbered[i].vertex] = vertices[i];
  if (!status && distributed->num_vertices && largest != distributed->num_vertices - 1) {
    status = take_numbers(distributed, error);
    if (!status)
      status = gather_numbers(distributed, &owned, 0, error);
  }
  number_keys_free(&made);
  qn_pages_free(numbers, count, sizeof *numbers);
  qn_pages_free(vertices, count, sizeof *vertices);
  qn_owned_keys_free(&owned);
  return status;
}

/* The names that all ranks own, at the first one. */
static enum qn_status gather_names(struct qn_distributed *distributed,
                                   const struct qn_owned_keys *owned, struct qn_error *error) {
  const struct qn_collective *ranks = distributed->ranks;
  struct qn_received lengths = {0}, bytes = {0};
  uint32_t *own = NULL;
  enum qn_status status = qn_bulk_alloc(&own, owned->count, sizeof *own, "lengths", error);
  for (uint64_t i = 0; i < owned->count && !status; i++)
    own[i] = (uint32_t)(owned->offsets[i + 1] - owned->offsets[i]);
  if (!status)
    status = qn_gather_to(ranks, 0, own, owned->count * sizeof *own, &lengths, error);
  if (!status)
    status = qn_gather_to(ranks, 0, owned->bytes, owned->num_bytes, &bytes, error);
  if (!status && ranks->rank == 0) {
    const uint32_t *length = (const uint32_t *)lengths.data;
    uint64_t count = distributed->num_vertices;
    status = qn_bulk_alloc(&distributed->name_offsets, count + 1, sizeof *distributed->name_offsets,
                           "names of vertices", error);
    for (uint64_t v = 0; v < count && !status; v++)
      distributed->name_offsets[v + 1] = distributed->name_offsets[v] + length[v];
    distributed->name_bytes = bytes.data;
    bytes.data = NULL;
    distributed->names = (struct qn_ids){.kind = QN_IDS_STRINGS,
                                         .num_vertices = count,
                                         .string_offsets = distributed->name_offsets,
                                         .string_bytes = distributed->name_bytes,
                                         .ascending = true};
  }
  qn_pages_free(own, owned->count, sizeof *own);
  qn_received_free(&lengths);
  qn_received_free(&bytes);
  return status;
}

static enum qn_status place_strings(struct qn_distributed *distributed, const struct qn_ids *names,
                                    uint32_t *places, struct qn_error *error) {
  const struct qn_keys keys = {names->num_vertices, names->string_offsets, names->string_bytes};
  struct qn_owned_keys owned = {0};
  enum qn_status status = qn_keys_number(distributed->ranks, &keys, places, &owned, error);
  distributed->num_vertices = owned.num_of_all;
  if (!status)
    status = gather_names(distributed, &owned, error);
  qn_owned_keys_free(&owned);
  return status;
}

/* All ranks' names, if they are numbers everywhere and the input may mean them so. */
static enum qn_status place_names(struct qn_distributed *distributed, const struct qn_ids *names,
                                  uint32_t *places, struct qn_error *error) {
  const struct qn_read_result *result = distributed->job->result;
  struct numbered *numbered = NULL;
  uint64_t are_strings = 1;
  enum qn_status status = QN_OK;
  if (result->number_names && !result->string_names) {
    bool all;
    status = names_as_numbers(names, &numbered, &all, error);
    are_strings = !all;
    if (!status)
      status = distributed->ranks->combine(&are_strings, 1, QN_COMBINE_MOST, error);
  }
  if (!status && are_strings)
    status = place_strings(distributed, names, places, error);
  else if (!status)
    status = place_numbers(distributed, numbered, names->num_vertices, places, error);
  qn_pages_free(numbered, names->num_vertices, sizeof *numbered);
  return status;
}

static enum qn_status number_names(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_sorted_names sorted = {0};
  uint32_t *places = NULL;
  enum qn_status status = qn_string_map_sort(distributed->job->result->names_map, &sorted, error);
  uint64_t count = sorted.ids.num_vertices;
  if (!status)
    status = qn_bulk_alloc(&places, count, sizeof *places, "numbers of names", error);
  if (!status)
    status = place_names(distributed, &sorted.ids, places, error);
  if (!status)
    status = qn_bulk_alloc(&distributed->given, count, sizeof *distributed->given,
                           "numbers of names", error);
  distributed->num_given = count;
  for (uint64_t i = 0; i < count && !status; i++)
    distributed->given[i] = places[sorted.new_of_old[i]];
  if (!status)
    status = qn_id_map_create_given(distributed->given, distributed->num_vertices,
                                    &distributed->sender.ids, error);
  qn_pages_free(places, count, sizeof *places);
  qn_sorted_names_destroy(&sorted);
  qn_string_map_destroy(distributed->job->result->names_map);
  distributed->job->result->names_map = NULL;
  return status;
}

/* ---- The whole ------------------------------------------------------------------ */

/* A rank that has read nothing has no names either, but shares those of others. */
static enum qn_status have_names(struct qn_distributed *distributed, bool *have,
                                 struct qn_error *error) {
  struct qn_read_result *result = distributed->job->result;
  uint64_t named = result && result->names_map;
  enum qn_status status = distributed->ranks->combine(&named, 1, QN_COMBINE_MOST, error);
  *have = named;
  return status || !named ? status : qn_names_begin(result, error);
}

enum qn_status qn_distributed_number(struct qn_distributed *distributed, struct qn_error *error) {
  bool named;
  enum qn_status status = have_names(distributed, &named, error);
  if (status || named)
    return status ? status : number_names(distributed, error);
  status = number_ids(distributed, error);
  return status ? status : send_names(distributed, error);
}
