/* Hash tables by open addressing, in shards. Names that are there are found without a lock;
 * adding one takes the lock of its shard. A slot's name is stored last, so that who sees it sees
 * the rest; a table that has grown leaves its old one behind, for those who still look into it. */
#include "converters/text/string_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "converters/text/string_sort.h"
#include "support/memory.h"
#include "support/temp_file.h"

#define SHARD_BITS 7
#define NUM_SHARDS (1u << SHARD_BITS)
#define FIRST_SLOTS 64
#define CHUNK_BYTES ((uint64_t)64 << 10)

struct slot {
  _Atomic(const char *) name; /* u32 length, then the bytes; NULL: free */
  uint32_t tag;               /* of the hash */
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
};

enum qn_status qn_string_map_create(struct qn_string_map **out, struct qn_error *error) {
  struct qn_string_map *map;
  *out = NULL;
  enum qn_status status = qn_pages_alloc(&map, 1, sizeof *map, "a map of names", error);
  if (status)
    return status;
  for (unsigned i = 0; i < NUM_SHARDS; i++)
    pthread_mutex_init(&map->shards[i].mutex, NULL);
  *out = map;
  return QN_OK;
}

void qn_string_map_destroy(struct qn_string_map *map) {
  if (!map)
    return;
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
  qn_pages_free(map, 1, sizeof *map);
}

uint64_t qn_string_map_count(const struct qn_string_map *map) {
  return atomic_load(&map->count);
}

/* ---- One shard ------------------------------------------------------------ */

static uint64_t hash_of(const char *bytes, uint64_t length) {
  return XXH3_64bits(bytes, length);
}

/* The bits that choose slots; those that choose shards are others. */
static uint64_t slot_bits(uint64_t hash) {
  return hash >> SHARD_BITS;
}

/* Where the name is, or where it belongs; `*found` tells which. */
static struct slot *find_slot(struct table *table, const char *bytes, uint64_t length,
                              uint64_t hash, bool *found) {
  uint64_t mask = table->num_slots - 1;
  uint32_t tag = (uint32_t)(hash >> 32);
  for (uint64_t i = slot_bits(hash) & mask;; i = (i + 1) & mask) {
    struct slot *slot = &table->slots[i];
    const char *name = atomic_load_explicit(&slot->name, memory_order_acquire);
    *found = false;
    if (!name)
      return slot;
    uint32_t stored;
    if (slot->tag != tag)
      continue;
    memcpy(&stored, name, sizeof stored);
    *found = stored == length && memcmp(name + sizeof stored, bytes, length) == 0;
    if (*found)
      return slot;
  }
}

static void fill_slot(struct slot *slot, const char *name, uint32_t tag, uint32_t id) {
  slot->tag = tag;
  slot->id = id;
  atomic_store_explicit(&slot->name, name, memory_order_release);
}

static void copy_slots(const struct table *from, struct table *to) {
  uint64_t mask = to->num_slots - 1;
  for (uint64_t i = 0; i < from->num_slots; i++) {
    const struct slot *slot = &from->slots[i];
    const char *name = slot->name;
    if (!name)
      continue;
    uint32_t length;
    memcpy(&length, name, sizeof length);
    uint64_t place = slot_bits(hash_of(name + sizeof length, length)) & mask;
    while (to->slots[place].name)
      place = (place + 1) & mask;
    fill_slot(&to->slots[place], name, slot->tag, slot->id);
  }
}

/* The shard's table with room for one more: twice as large once it is half full. NULL if memory
 * ran out. */
static struct table *make_room(struct shard *shard) {
  struct table *table = shard->table, *larger;
  if (table && shard->count * 2 < table->num_slots)
    return table;
  uint64_t num_slots = table ? 2 * table->num_slots : FIRST_SLOTS;
  if (qn_alloc_zeroed(&larger, 1, sizeof *larger + num_slots * sizeof(struct slot),
                      "a map of names", NULL))
    return NULL;
  larger->num_slots = num_slots;
  larger->outgrown = table;
  if (table)
    copy_slots(table, larger);
  atomic_store_explicit(&shard->table, larger, memory_order_release);
  return larger;
}

static const char *store_name(struct shard *shard, const char *bytes, uint64_t length) {
  uint32_t stored = (uint32_t)length;
  uint64_t needed = sizeof stored + length;
  if (needed > shard->num_free_bytes) {
    uint64_t size = needed > CHUNK_BYTES ? needed : CHUNK_BYTES;
    struct chunk *chunk;
    if (qn_alloc(&chunk, 1, sizeof *chunk + size, "names", NULL))
      return NULL;
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
  return name;
}

bool qn_is_name(const char *bytes, uint64_t length) {
  return length > 0 && length <= QN_MAX_NAME_BYTES && !memchr(bytes, '\0', length) &&
         !memchr(bytes, '\t', length) && !memchr(bytes, '\n', length) &&
         !memchr(bytes, '\r', length);
}

/* Would the map and its sorting exceed the limit of memory, if there is one? */
static bool is_too_large(const struct qn_string_map *map) {
  uint64_t limit = qn_memory_limit(), count = atomic_load(&map->count);
  return limit && count > 0 &&
         NUM_SHARDS * CHUNK_BYTES + count * 124 + 2 * atomic_load(&map->name_bytes) > limit;
}

/* Under the lock. */
static enum qn_interned add_name(struct qn_string_map *map, struct shard *shard, const char *bytes,
                                 uint64_t length, uint64_t hash, uint32_t *id) {
  bool found;
  struct table *table = make_room(shard);
  if (!table)
    return QN_INTERN_NO_MEMORY;
  struct slot *slot = find_slot(table, bytes, length, hash, &found);
  if (found) { /* another thread was faster */
    *id = slot->id;
    return QN_INTERNED;
  }
  if (!qn_is_name(bytes, length))
    return QN_INTERN_NO_NAME;
  const char *name = is_too_large(map) ? NULL : store_name(shard, bytes, length);
  if (!name)
    return QN_INTERN_NO_MEMORY;
  uint64_t number = atomic_fetch_add(&map->count, 1);
  if (number >= UINT32_MAX) {
    atomic_fetch_sub(&map->count, 1);
    return QN_INTERN_TOO_MANY;
  }
  *id = (uint32_t)number;
  atomic_fetch_add(&map->name_bytes, length);
  fill_slot(slot, name, (uint32_t)(hash >> 32), *id);
  shard->count++;
  return QN_INTERNED;
}

static struct shard *shard_of(struct qn_string_map *map, uint64_t hash) {
  return &map->shards[hash & (NUM_SHARDS - 1)];
}

static enum qn_interned intern(struct qn_string_map *map, const char *bytes, uint64_t length,
                               uint64_t hash, uint32_t *id) {
  struct shard *shard = shard_of(map, hash);
  struct table *table = atomic_load_explicit(&shard->table, memory_order_acquire);
  if (table) {
    bool found;
    const struct slot *slot = find_slot(table, bytes, length, hash, &found);
    if (found) {
      *id = slot->id;
      return QN_INTERNED;
    }
  }
  pthread_mutex_lock(&shard->mutex);
  enum qn_interned result = add_name(map, shard, bytes, length, hash, id);
  pthread_mutex_unlock(&shard->mutex);
  return result;
}

enum qn_interned qn_string_map_intern(struct qn_string_map *map, const char *bytes, uint64_t length,
                                      uint32_t *id) {
  return intern(map, bytes, length, hash_of(bytes, length), id);
}

/* The slot where a name with this hash would be if no other is in its place; NULL: no names yet. */
static const struct slot *first_slot(struct qn_string_map *map, uint64_t hash) {
  struct table *table = atomic_load_explicit(&shard_of(map, hash)->table, memory_order_acquire);
  return table ? &table->slots[slot_bits(hash) & (table->num_slots - 1)] : NULL;
}

enum qn_interned qn_string_map_intern_many(struct qn_string_map *map, struct qn_waiting_name *names,
                                           uint32_t count) {
  uint64_t hashes[QN_WAITING_NAMES];
  enum qn_interned result = QN_INTERNED;
  for (uint32_t i = 0; i < count; i++) {
    hashes[i] = names[i].bytes ? hash_of(names[i].bytes, names[i].length) : 0;
    __builtin_prefetch(first_slot(map, hashes[i]));
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct slot *slot = first_slot(map, hashes[i]);
    if (slot)
      __builtin_prefetch(atomic_load_explicit(&slot->name, memory_order_relaxed));
  }
  for (uint32_t i = 0; i < count && result == QN_INTERNED; i++)
    if (names[i].bytes)
      result = intern(map, names[i].bytes, names[i].length, hashes[i], &names[i].id);
  return result;
}

/* ---- Sorting -------------------------------------------------------------- */

static void list_names(const struct qn_string_map *map, struct qn_string *strings) {
#pragma omp parallel for schedule(dynamic)
  for (unsigned s = 0; s < NUM_SHARDS; s++) {
    const struct table *table = map->shards[s].table;
    for (uint64_t i = 0; table && i < table->num_slots; i++) {
      const struct slot *slot = &table->slots[i];
      const char *name = slot->name;
      if (name)
        strings[slot->id] = qn_string_of(name, slot->id);
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
    memcpy(names->bytes + names->offsets[i], qn_string_bytes(&strings[i]),
           qn_string_length(&strings[i]));
    names->new_of_old[strings[i].id] = (uint32_t)i;
  }
  return QN_OK;
}

enum qn_status qn_string_map_sort(const struct qn_string_map *map, struct qn_sorted_names *names,
                                  struct qn_error *error) {
  uint64_t count = qn_string_map_count(map);
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
