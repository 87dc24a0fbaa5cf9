/* Hash tables by open addressing, in shards. Names that are there are found without a lock;
 * adding one takes the lock of its shard. A slot's name is stored last, so that who sees it sees
 * the rest; a table that has grown leaves its old one behind, for those who still look into it. */
#include "formats/text/string_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "formats/text/string_runs.h"
#include "formats/text/string_sort.h"
#include "support/memory.h"
#include "support/temp_file.h"

#define SHARD_BITS 7
#define NUM_SHARDS (1u << SHARD_BITS)
#define FIRST_SLOTS 64
#define MOST_CHUNK ((uint64_t)64 << 10)
#define LEAST_CHUNK ((uint64_t)1 << 10)
/* A name: two strings to sort, where it begins and which it is. */
#define SORTING_BYTES (2 * sizeof(struct qn_string) + sizeof(uint64_t) + sizeof(uint32_t))
/* A run ends well before the numbers of 32 bits do, as threads number some names at a time. */
#define MOST_OF_RUN ((uint64_t)1 << 31)

/* Most names are short, and lie in their slots. */
struct slot {
  _Atomic uint64_t name; /* a short name, or the address of a u32 length and the bytes; 0: free */
  uint32_t tag;          /* of the hash; its lowest bit tells names from addresses */
  uint32_t id;
};

struct table {
  struct table *outgrown; /* the one before */
  uint64_t num_slots;     /* a power of two */
  struct slot slots[];
};

/* Memory for names, never moved. */
struct chunk {
  struct chunk *next;
  char bytes[];
};

struct shard {
  _Atomic(struct table *) table; /* NULL: no names yet */
  pthread_mutex_t mutex;         /* for what follows, and to change the table */
  uint64_t count;
  struct chunk *chunks;
  char *free_bytes;
  uint64_t num_free_bytes;
} __attribute__((aligned(64)));

struct qn_string_map {
  struct shard shards[NUM_SHARDS];
  _Atomic uint64_t count;
  _Atomic uint64_t name_bytes;
  _Atomic uint64_t chunk_bytes;
  _Atomic uint64_t table_bytes; /* of outgrown ones, too */

  /* Of a map in runs. */
  bool in_runs;
  uint64_t most_names;         /* of a run */
  pthread_rwlock_t lock;       /* shared while names are numbered; alone to write a run */
  struct qn_string_runs *runs; /* NULL: none was written */
};

static void init_shards(struct qn_string_map *map) {
  for (unsigned i = 0; i < NUM_SHARDS; i++)
    pthread_mutex_init(&map->shards[i].mutex, NULL);
}

enum qn_status qn_string_map_create(struct qn_string_map **out, struct qn_error *error) {
  struct qn_string_map *map;
  *out = NULL;
  enum qn_status status = qn_pages_alloc(&map, 1, sizeof *map, "a map of names", error);
  if (status)
    return status;
  init_shards(map);
  *out = map;
  return QN_OK;
}

enum qn_status qn_string_map_create_in_runs(uint64_t most_names, struct qn_string_map **out,
                                            struct qn_error *error) {
  enum qn_status status = qn_string_map_create(out, error);
  if (status)
    return status;
  (*out)->in_runs = true;
  (*out)->most_names = most_names ? most_names : MOST_OF_RUN;
  pthread_rwlock_init(&(*out)->lock, NULL);
  return QN_OK;
}

static void free_names(struct qn_string_map *map) {
  for (unsigned i = 0; i < NUM_SHARDS; i++) {
    struct shard *shard = &map->shards[i];
    pthread_mutex_destroy(&shard->mutex);
    for (struct table *table = shard->table, *next; table; table = next) {
      next = table->outgrown;
      qn_free(table);
    }
    for (struct chunk *chunk = shard->chunks, *next; chunk; chunk = next) {
      next = chunk->next;
      qn_free(chunk);
    }
  }
}

void qn_string_map_destroy(struct qn_string_map *map) {
  if (!map)
    return;
  free_names(map);
  if (map->in_runs)
    pthread_rwlock_destroy(&map->lock);
  qn_string_runs_destroy(map->runs);
  qn_pages_free(map, 1, sizeof *map);
}

static uint64_t numbers_before(const struct qn_string_map *map) {
  return map->runs ? qn_string_runs_count(map->runs) : 0;
}

uint64_t qn_string_map_count(const struct qn_string_map *map) {
  return numbers_before(map) + atomic_load(&map->count);
}

/* ---- One shard ------------------------------------------------------------ */

/* A name that is looked for. */
struct wanted {
  const char *bytes;
  uint64_t length;
  uint64_t short_name; /* all of it; 0: it is longer */
  uint64_t hash;
};

/* At most eight bytes, the first one lowest. */
static uint64_t short_name_of(const char *bytes, uint64_t length) {
  uint32_t first, last;
  if (length > 8 || length == 0)
    return 0;
  if (length < 4)
    return (uint64_t)(unsigned char)bytes[0] |
           (uint64_t)(unsigned char)bytes[length / 2] << 8 * (length / 2) |
           (uint64_t)(unsigned char)bytes[length - 1] << 8 * (length - 1);
  memcpy(&first, bytes, sizeof first);
  memcpy(&last, bytes + length - 4, sizeof last);
  return first | (uint64_t)last << 8 * (length - 4);
}

static uint64_t hash_of_short(uint64_t name) {
  unsigned __int128 product =
      (unsigned __int128)(name ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static struct wanted wanted_of(const char *bytes, uint64_t length) {
  uint64_t name = short_name_of(bytes, length);
  return (struct wanted){bytes, length, name,
                         name ? hash_of_short(name) : XXH3_64bits(bytes, length)};
}

/* The bits that choose slots; those that choose shards are others. */
static uint64_t slot_bits(uint64_t hash) {
  return hash >> SHARD_BITS;
}

static uint32_t tag_of(const struct wanted *wanted) {
  return (uint32_t)(wanted->hash >> 32) << 1 | (wanted->short_name != 0);
}

static bool is_short(const struct slot *slot) {
  return slot->tag & 1;
}

static bool is_same(uint64_t name, const struct wanted *wanted) {
  uint32_t stored;
  if (wanted->short_name)
    return name == wanted->short_name;
  const char *address = (const char *)(uintptr_t)name;
  memcpy(&stored, address, sizeof stored);
  return stored == wanted->length &&
         memcmp(address + sizeof stored, wanted->bytes, wanted->length) == 0;
}

/* Where the name is, or where it belongs; `*found` tells which. */
static inline struct slot *find_slot(struct table *table, const struct wanted *wanted,
                                     bool *found) {
  uint64_t mask = table->num_slots - 1;
  uint32_t tag = tag_of(wanted);
  for (uint64_t i = slot_bits(wanted->hash) & mask;; i = (i + 1) & mask) {
    struct slot *slot = &table->slots[i];
    uint64_t name = atomic_load_explicit(&slot->name, memory_order_acquire);
    *found = name && slot->tag == tag && is_same(name, wanted);
    if (!name || *found)
      return slot;
  }
}

static void fill_slot(struct slot *slot, uint64_t name, uint32_t tag, uint32_t id) {
  slot->tag = tag;
  slot->id = id;
  atomic_store_explicit(&slot->name, name, memory_order_release);
}

static uint64_t hash_of_slot(const struct slot *slot) {
  const char *address = (const char *)(uintptr_t)slot->name;
  uint32_t length;
  if (is_short(slot))
    return hash_of_short(slot->name);
  memcpy(&length, address, sizeof length);
  return XXH3_64bits(address + sizeof length, length);
}

static void copy_slots(const struct table *from, struct table *to) {
  uint64_t mask = to->num_slots - 1;
  for (uint64_t i = 0; i < from->num_slots; i++) {
    const struct slot *slot = &from->slots[i];
    uint64_t name = slot->name;
    if (!name)
      continue;
    uint64_t place = slot_bits(hash_of_slot(slot)) & mask;
    while (to->slots[place].name)
      place = (place + 1) & mask;
    fill_slot(&to->slots[place], name, slot->tag, slot->id);
  }
}

/* What the map and its sorting take. */
static uint64_t bytes_of(const struct qn_string_map *map) {
  return atomic_load(&map->table_bytes) + atomic_load(&map->chunk_bytes) +
         atomic_load(&map->count) * SORTING_BYTES + atomic_load(&map->name_bytes);
}

/* Would that exceed the limit of memory, if there is one, with tables of `more` bytes more? */
static bool is_too_large(const struct qn_string_map *map, uint64_t more) {
  const uint64_t limit = qn_memory_limit();
  return limit && atomic_load(&map->count) > 0 && bytes_of(map) + more > limit;
}

/* The shard's table with room for one more: twice as large once it is half full. NULL if memory
 * ran out. */
static struct table *make_room(struct qn_string_map *map, struct shard *shard) {
  struct table *table = shard->table, *larger;
  if (table && shard->count * 2 < table->num_slots)
    return table;
  const uint64_t num_slots = table ? 2 * table->num_slots : FIRST_SLOTS;
  const uint64_t bytes = sizeof *larger + num_slots * sizeof(struct slot);
  if (is_too_large(map, bytes) || qn_alloc_zeroed(&larger, 1, bytes, "a map of names", NULL))
    return NULL;
  atomic_fetch_add(&map->table_bytes, bytes);
  larger->num_slots = num_slots;
  larger->outgrown = table;
  if (table)
    copy_slots(table, larger);
  atomic_store_explicit(&shard->table, larger, memory_order_release);
  return larger;
}

/* Those of all shards take little of the memory that is allowed. */
static uint64_t chunk_bytes(void) {
  const uint64_t limit = qn_memory_limit(), share = limit / 32 / NUM_SHARDS;
  return !limit || share > MOST_CHUNK ? MOST_CHUNK : share < LEAST_CHUNK ? LEAST_CHUNK : share;
}

/* Its address; 0 if memory ran out. */
static uint64_t store_name(struct qn_string_map *map, struct shard *shard, const char *bytes,
                           uint64_t length) {
  uint32_t stored = (uint32_t)length;
  uint64_t needed = sizeof stored + length;
  if (needed > shard->num_free_bytes) {
    const uint64_t usual = chunk_bytes(), size = needed > usual ? needed : usual;
    struct chunk *chunk;
    if (qn_alloc(&chunk, 1, sizeof *chunk + size, "names", NULL))
      return 0;
    atomic_fetch_add(&map->chunk_bytes, size);
    chunk->next = shard->chunks;
    shard->chunks = chunk;
    shard->free_bytes = chunk->bytes;
    shard->num_free_bytes = size;
  }
  char *name = shard->free_bytes;
  memcpy(name, &stored, sizeof stored);
  memcpy(name + sizeof stored, bytes, length);
  shard->free_bytes += needed;
  shard->num_free_bytes -= needed;
  return (uint64_t)(uintptr_t)name;
}

/* Has any of eight bytes one below 14, as NUL, tab and line ends are? */
static bool has_low_byte(uint64_t bytes) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  return ((bytes - 14 * ones) & ~bytes & 128 * ones) != 0;
}

static bool has_forbidden_byte(const char *bytes, uint64_t length) {
  return memchr(bytes, '\0', length) || memchr(bytes, '\t', length) ||
         memchr(bytes, '\n', length) || memchr(bytes, '\r', length);
}

bool qn_is_name(const char *bytes, uint64_t length) {
  uint64_t part, at = 0;
  bool low = false;
  if (length == 0 || length > QN_MAX_NAME_BYTES)
    return false;
  for (; length - at > 8; at += 8) {
    memcpy(&part, bytes + at, sizeof part);
    low |= has_low_byte(part);
  }
  /* The zeros above what is shorter are no bytes of it. */
  part = short_name_of(bytes + at, length - at);
  low |= has_low_byte(part | ~UINT64_C(0) << 8 * (length - at - 1) << 8);
  return !low || !has_forbidden_byte(bytes, length);
}

/* Under the lock. */
static enum qn_interned add_name(struct qn_string_map *map, struct shard *shard,
                                 const struct wanted *wanted, uint32_t *id) {
  bool found;
  struct table *table = make_room(map, shard);
  if (!table)
    return QN_INTERN_NO_MEMORY;
  struct slot *slot = find_slot(table, wanted, &found);
  if (found) { /* another thread was faster */
    *id = slot->id;
    return QN_INTERNED;
  }
  uint64_t name = is_too_large(map, 0) ? 0
                  : wanted->short_name ? wanted->short_name
                                       : store_name(map, shard, wanted->bytes, wanted->length);
  if (!name)
    return QN_INTERN_NO_MEMORY;
  const uint64_t number = atomic_fetch_add(&map->count, 1);
  if (number >= UINT32_MAX) {
    atomic_fetch_sub(&map->count, 1);
    return QN_INTERN_TOO_MANY;
  }
  *id = (uint32_t)number;
  atomic_fetch_add(&map->name_bytes, wanted->length);
  fill_slot(slot, name, tag_of(wanted), *id);
  shard->count++;
  return QN_INTERNED;
}

static struct shard *shard_of(struct qn_string_map *map, uint64_t hash) {
  return &map->shards[hash & (NUM_SHARDS - 1)];
}

static inline enum qn_interned intern(struct qn_string_map *map, const struct wanted *wanted,
                                      uint32_t *id) {
  struct shard *shard = shard_of(map, wanted->hash);
  struct table *table = atomic_load_explicit(&shard->table, memory_order_acquire);
  if (table) {
    bool found;
    const struct slot *slot = find_slot(table, wanted, &found);
    if (found) {
      *id = slot->id;
      return QN_INTERNED;
    }
  }
  pthread_mutex_lock(&shard->mutex);
  enum qn_interned result = add_name(map, shard, wanted, id);
  pthread_mutex_unlock(&shard->mutex);
  return result;
}

enum qn_interned qn_string_map_intern(struct qn_string_map *map, const char *bytes, uint64_t length,
                                      uint32_t *id) {
  if (!qn_is_name(bytes, length))
    return QN_INTERN_NO_NAME;
  const struct wanted wanted = wanted_of(bytes, length);
  return intern(map, &wanted, id);
}

/* The slot where the name is if no other is in its place; NULL: there are no names yet. */
static const struct slot *first_slot(struct qn_string_map *map, uint64_t hash) {
  struct table *table = atomic_load_explicit(&shard_of(map, hash)->table, memory_order_acquire);
  return table ? &table->slots[slot_bits(hash) & (table->num_slots - 1)] : NULL;
}

/* Long names lie elsewhere. */
static void prefetch_long(struct qn_string_map *map, const struct wanted *wanted) {
  const struct slot *slot = first_slot(map, wanted->hash);
  uint64_t name = slot ? atomic_load_explicit(&slot->name, memory_order_acquire) : 0;
  if (name && !is_short(slot))
    __builtin_prefetch((const char *)(uintptr_t)name);
}

static enum qn_interned intern_many(struct qn_string_map *map, struct qn_waiting_name *names,
                                    uint32_t count) {
  const uint64_t before = numbers_before(map);
  struct wanted wanted[QN_WAITING_NAMES];
  enum qn_interned result = QN_INTERNED;
  bool any_long = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!names[i].bytes)
      continue;
    wanted[i] = wanted_of(names[i].bytes, names[i].length);
    any_long |= !wanted[i].short_name;
    __builtin_prefetch(first_slot(map, wanted[i].hash));
  }
  for (uint32_t i = 0; i < count && any_long; i++)
    if (names[i].bytes && !wanted[i].short_name)
      prefetch_long(map, &wanted[i]);
  for (uint32_t i = 0; i < count && result == QN_INTERNED; i++) {
    uint32_t id = 0;
    if (!names[i].bytes)
      continue;
    result = intern(map, &wanted[i], &id);
    names[i].id = before + id;
  }
  return result;
}

enum qn_interned qn_string_map_intern_many(struct qn_string_map *map, struct qn_waiting_name *names,
                                           uint32_t count) {
  if (!map->in_runs)
    return intern_many(map, names, count);
  pthread_rwlock_rdlock(&map->lock);
  const enum qn_interned result = intern_many(map, names, count);
  pthread_rwlock_unlock(&map->lock);
  return result;
}

/* ---- Sorting -------------------------------------------------------------- */

static void list_names(const struct qn_string_map *map, struct qn_string *strings) {
#pragma omp parallel for schedule(dynamic)
  for (unsigned s = 0; s < NUM_SHARDS; s++) {
    const struct table *table = map->shards[s].table;
    for (uint64_t i = 0; table && i < table->num_slots; i++) {
      const struct slot *slot = &table->slots[i];
      uint64_t name = slot->name;
      if (name)
        strings[slot->id] = is_short(slot) ? qn_string_of_short(name, slot->id)
                                           : qn_string_of((const char *)(uintptr_t)name, slot->id);
    }
  }
}

static enum qn_status lay_out(const struct qn_string *strings, uint64_t count,
                              struct qn_sorted_names *names, struct qn_error *error) {
  names->offsets[0] = 0;
  for (uint64_t i = 0; i < count; i++)
    names->offsets[i + 1] = names->offsets[i] + qn_string_length(&strings[i]);
  enum qn_status status =
      qn_pages_alloc(&names->bytes, names->offsets[count], 1, "names of vertices", error);
  if (status)
    return status;
#pragma omp parallel for
  for (uint64_t i = 0; i < count; i++) {
    uint64_t room;
    memcpy(names->bytes + names->offsets[i], qn_string_bytes(&strings[i], &room),
           names->offsets[i + 1] - names->offsets[i]);
    names->new_of_old[strings[i].id] = (uint32_t)i;
  }
  return QN_OK;
}

enum qn_status qn_string_map_sort(const struct qn_string_map *map, struct qn_sorted_names *names,
                                  struct qn_error *error) {
  const uint64_t count = atomic_load(&map->count);
  struct qn_string *strings = NULL;
  *names = (struct qn_sorted_names){.ids.num_vertices = count};
  enum qn_status status =
      qn_pages_alloc(&strings, count, sizeof *strings, "the sorting of names", error);
  if (!status)
    status = qn_pages_alloc(&names->offsets, count + 1, sizeof *names->offsets, "names of vertices",
                            error);
  if (!status)
    status = qn_pages_alloc(&names->new_of_old, count, sizeof *names->new_of_old,
                            "the order of names", error);
  if (!status) {
    list_names(map, strings);
    status = qn_strings_sort(strings, count, error);
  }
  if (!status)
    status = lay_out(strings, count, names, error);
  qn_pages_free(strings, count, sizeof *strings);
  if (status) {
    qn_sorted_names_destroy(names);
    return status;
  }
  names->ids = (struct qn_ids){.kind = QN_IDS_STRINGS,
                               .num_vertices = count,
                               .string_offsets = names->offsets,
                               .string_bytes = names->bytes,
                               .ascending = true};
  return QN_OK;
}

void qn_sorted_names_destroy(struct qn_sorted_names *names) {
  uint64_t count = names->ids.num_vertices;
  if (names->bytes)
    qn_pages_free(names->bytes, names->offsets[count], 1);
  qn_pages_free(names->offsets, count + 1, sizeof *names->offsets);
  qn_pages_free(names->new_of_old, count, sizeof *names->new_of_old);
  *names = (struct qn_sorted_names){0};
}

/* ---- Runs ------------------------------------------------------------------- */

/* Half of the memory is left for what threads add until they ask for room again. */
static bool is_run(const struct qn_string_map *map) {
  const uint64_t limit = qn_memory_limit();
  return atomic_load(&map->count) >= map->most_names || (limit && bytes_of(map) > limit / 2);
}

/* Alone. */
static enum qn_status write_run(struct qn_string_map *map, struct qn_error *error) {
  struct qn_sorted_names names = {0};
  enum qn_status status = map->runs ? QN_OK : qn_string_runs_create(&map->runs, error);
  if (!status)
    status = qn_string_map_sort(map, &names, error);
  free_names(map);
  memset(map->shards, 0, sizeof map->shards);
  init_shards(map);
  map->count = map->name_bytes = map->chunk_bytes = map->table_bytes = 0;
  if (!status)
    status = qn_string_runs_add(map->runs, &names, error);
  qn_sorted_names_destroy(&names);
  return status;
}

enum qn_status qn_string_map_make_room(struct qn_string_map *map, struct qn_error *error) {
  if (!map->in_runs || !is_run(map))
    return QN_OK;
  pthread_rwlock_wrlock(&map->lock);
  const enum qn_status status = is_run(map) ? write_run(map, error) : QN_OK;
  pthread_rwlock_unlock(&map->lock);
  return status;
}

const struct qn_string_runs *qn_string_map_runs(const struct qn_string_map *map) {
  return map->runs;
}

enum qn_status qn_string_map_end_runs(struct qn_string_map *map, const struct qn_string_runs **runs,
                                      struct qn_error *error) {
  const enum qn_status status = write_run(map, error);
  *runs = map->runs;
  return status;
}
