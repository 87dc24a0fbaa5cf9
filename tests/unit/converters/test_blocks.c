/* Sets that are built block by block, with ids and names numbered on disk, against the ones that
 * are cut out of the graph as a whole: byte for byte, with little memory and much. */
#include "converters/blocks/build.h"
#include "converters/distributed/distributed.h"
#include "formats/text/string_map.h"
#include "helpers/random_numbers.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/ranks/collective.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/metadata.h>

enum { MOST_EDGES = 3000 };

/* What is built, and how. */
struct scene {
  struct qn_build build;
  struct qn_set_options set;
  enum qn_weight_type types[2]; /* of weights, in turn */
  uint64_t num_edges, num_extra, width;
  unsigned names;      /* what ids are called, 1 to NAMES; 0: they are ids */
  bool number_names;   /* names may be numbers */
  uint64_t most_names; /* of a run */
  uint64_t ends[MOST_EDGES][2], weights[MOST_EDGES], extra[64];
};

static uint64_t weight_of(enum qn_weight_type type) {
  const double real = (double)random_below(1000) / 8;
  const float narrow = (float)real;
  uint64_t bits = 0;
  switch (type) {
  case QN_WEIGHT_F32:
    memcpy(&bits, &narrow, sizeof narrow);
    return bits;
  case QN_WEIGHT_F64:
    memcpy(&bits, &real, sizeof real);
    return bits;
  case QN_WEIGHT_I64:
    return (uint64_t)((int64_t)random_below(100) - 50);
  default:
    return random_below(100);
  }
}

/* Close ids, ids without gaps, ids all over the numbers, the largest ones. */
static uint64_t random_id(unsigned kind, uint64_t count) {
  const uint64_t i = random_number() % count;
  switch (kind) {
  case 0:
    return i;
  case 1:
    return 7 * i;
  case 2:
    return i * 0x9e3779b97f4a7c15; /* odd: different */
  default:
    return UINT64_MAX - 3 * i;
  }
}

/* Short names, numbers, names that begin others, bytes beyond ASCII, and long ones. */
enum { NUMBERS = 1, PREFIXES, BYTES, ALL, NAMES = ALL };
static char name_bytes[QN_MAX_NAME_BYTES];

static struct qn_waiting_name name_of(unsigned kind, uint64_t id) {
  static const char hostile[] = "a\"\\ \x01\x7f\x80\xff,;";
  uint64_t length;
  switch (kind == ALL ? 1 + id % 3 : kind) {
  case NUMBERS:
    length = (uint64_t)sprintf(name_bytes, "%llu", (unsigned long long)id);
    break;
  case PREFIXES:
    length = 1 + id % 50;
    memset(name_bytes, 'p', length);
    name_bytes[length - 1] = (char)('p' + id / 50 % 8);
    if (id % 397 == 0) {
      length = QN_MAX_NAME_BYTES - id % 3;
      memset(name_bytes, 'p', length);
    }
    break;
  default:
    length = 0;
    do
      name_bytes[length++] = hostile[id % (sizeof hostile - 1)];
    while (id /= sizeof hostile - 1);
  }
  return (struct qn_waiting_name){name_bytes, length, 0};
}

static void make_names(struct scene *scene) {
  scene->names = 1 + random_below(NAMES);
  scene->number_names = random_below(2);
  scene->most_names = random_below(3) ? 20 + random_below(400) : 0;
  scene->build.num_vertices = QN_VERTICES_FROM_EDGES;
  scene->build.ids = QN_ID_AUTO;
  scene->build.num_extra_ids = scene->num_extra = 0;
}

static void make_scene(struct scene *scene) {
  static const enum qn_duplicates merges[] = {QN_DUPLICATES_KEEP, QN_DUPLICATES_REMOVE,
                                              QN_DUPLICATES_MIN, QN_DUPLICATES_SUM};
  const unsigned kind = random_below(4), sizes[] = {0, 1, 40, MOST_EDGES};
  const uint64_t ids = 1 + random_below(random_below(2) ? 40 : 2500);
  *scene = (struct scene){.build.num_vertices = QN_VERTICES_FROM_EDGES};
  scene->num_edges = sizes[random_below(4)];
  scene->num_extra = random_below(3) ? 0 : random_below(64);
  scene->types[0] = (enum qn_weight_type)random_below(QN_WEIGHT_TYPES);
  scene->types[1] = scene->types[0] && random_below(2)
                        ? (enum qn_weight_type)(1 + random_below(QN_WEIGHT_TYPES - 1))
                        : scene->types[0];
  const bool plain = scene->types[0] == QN_WEIGHT_NONE;
  scene->build.undirected = random_below(2);
  scene->build.self_loops = (enum qn_self_loops)random_below(2);
  scene->build.duplicates = merges[random_below(plain ? 2 : 4)];
  scene->build.transpose = random_below(2);
  scene->build.ids = random_below(4) ? QN_ID_AUTO : QN_ID_COMPACT;
  if (kind == 0 && !random_below(3)) {
    scene->build.num_vertices = ids + random_below(50);
    scene->build.ids = QN_ID_KEEP;
    scene->num_extra = 0;
  }
  scene->build.extra_ids = scene->extra;
  scene->build.num_extra_ids = scene->num_extra;
  scene->set.block_vertices = 1 + ids / 5 + random_below(200);
  scene->set.rows = random_below(2) ? QN_SET_ROWS_IN : QN_SET_ROWS_OUT;
  for (uint64_t e = 0; e < scene->num_edges; e++) {
    scene->ends[e][0] = random_id(kind, ids);
    scene->ends[e][1] = random_below(9) ? random_id(kind, ids) : scene->ends[e][0];
    scene->weights[e] = weight_of(scene->types[e % 2]);
  }
  for (uint64_t i = 0; i < scene->num_extra; i++)
    scene->extra[i] = random_id(kind, ids);
}

/* The ends of an edge, as numbers for the time being of those with names. */
static void number_ends(const struct scene *scene, uint64_t edge, struct qn_string_map *map,
                        uint64_t ends[2]) {
  static char first[QN_MAX_NAME_BYTES];
  memcpy(ends, scene->ends[edge], sizeof scene->ends[edge]);
  if (!scene->names)
    return;
  struct qn_waiting_name names[2] = {name_of(scene->names, ends[0])};
  memcpy(first, name_bytes, names[0].length);
  names[0].bytes = first;
  names[1] = name_of(scene->names, ends[1]);
  assert_int_equal(qn_string_map_make_room(map, NULL), QN_OK);
  assert_int_equal(qn_string_map_intern_many(map, names, 2), QN_INTERNED);
  ends[0] = names[0].id;
  ends[1] = names[1].id;
}

static struct qn_edge_list *list_of(const struct scene *scene, struct qn_string_map *map,
                                    bool on_disk) {
  const struct qn_spill_options options = {
      .undirected = scene->build.undirected,
      .ids = scene->build.ids == QN_ID_KEEP ? QN_SPILL_IDS_IGNORE : QN_SPILL_IDS_COLLECT,
      .num_piles = 4};
  struct qn_edge_list *list;
  struct qn_edge_stream stream;
  assert_int_equal(on_disk ? qn_edge_list_create_on_disk(&options, &list, NULL)
                           : qn_edge_list_create(&list, NULL),
                   QN_OK);
  for (uint64_t e = 0, s = 0; e < scene->num_edges; s++) {
    qn_edge_stream_open(&stream, list, s);
    for (uint64_t end = e + 500; e < end && e < scene->num_edges; e++) {
      uint64_t ends[2];
      number_ends(scene, e, map, ends);
      if (scene->types[0] == QN_WEIGHT_NONE)
        qn_edge_push(&stream, ends[0], ends[1]);
      else
        qn_edge_push_weighted(&stream, ends[0], ends[1], scene->types[e % 2], scene->weights[e]);
    }
    assert_int_equal(qn_edge_stream_close(&stream, NULL), QN_OK);
  }
  return list;
}

static enum qn_status write_metadata(void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  json_t *json = qn_ledger_json(context);
  enum qn_status status = qn_writer_metadata(writer, json, error);
  json_decref(json);
  return status;
}

static enum qn_status build_whole(const struct scene *scene, const char *path,
                                  struct qn_error *error) {
  struct qn_read_result result = {.number_names = scene->number_names};
  if (scene->names)
    assert_int_equal(qn_string_map_create(&result.names_map, NULL), QN_OK);
  struct qn_edge_list *list = list_of(scene, result.names_map, false);
  struct qn_ledger ledger = {.records = scene->num_edges};
  struct qn_set *set;
  const struct qn_distributed_job job = {.ranks = &qn_collective_alone,
                                         .list = list,
                                         .build = &scene->build,
                                         .result = scene->names ? &result : NULL,
                                         .set = &scene->set,
                                         .path = path,
                                         .replace = true,
                                         .write_metadata = write_metadata,
                                         .context = &ledger};
  enum qn_status status = qn_distributed(&job, &ledger, &set, error);
  qn_string_map_destroy(result.names_map);
  qn_set_close(set);
  qn_edge_list_destroy(list);
  return status;
}

static enum qn_status build_blocks(const struct scene *scene, uint64_t memory, bool on_disk,
                                   const char *path, struct qn_error *error) {
  struct qn_string_map *map = NULL;
  qn_memory_limit_set(memory, scratch_folder);
  if (scene->names)
    assert_int_equal(qn_string_map_create_in_runs(scene->most_names, &map, NULL), QN_OK);
  struct qn_edge_list *list = list_of(scene, map, on_disk);
  struct qn_ledger ledger = {.records = scene->num_edges};
  struct qn_set *set;
  const struct qn_blocks_job job = {.list = list,
                                    .build = &scene->build,
                                    .names = map,
                                    .names_may_be_numbers = scene->number_names,
                                    .set = &scene->set,
                                    .path = path,
                                    .replace = true,
                                    .write_metadata = write_metadata,
                                    .context = &ledger};
  enum qn_status status = qn_blocks_build(&job, &ledger, &set, error);
  qn_string_map_destroy(map);
  qn_set_close(set);
  qn_edge_list_destroy(list);
  qn_memory_limit_set(0, NULL);
  return status;
}

static void compare_folders(const char *a, const char *b) {
  char command[1100];
  snprintf(command, sizeof command, "diff -rq '%s' '%s'", a, b);
  assert_int_equal(system(command), 0);
}

static struct scene scene;

TEST(random_sets) {
  char whole[512], blocks[512];
  strcpy(whole, scratch_path("whole"));
  strcpy(blocks, scratch_path("blocks"));
  unsigned compared = 0;
  for (unsigned i = 0; i < 72; i++) {
    struct qn_error first = {0}, second = {0};
    const uint64_t memory = random_below(2) ? 48 << 10 : 0;
    make_scene(&scene);
    if (i % 3 == 2)
      make_names(&scene);
    qn_threads_set(1 + random_below(3));
    const enum qn_status status = build_whole(&scene, whole, &first);
    const enum qn_status other = build_blocks(&scene, scene.names ? 8 * memory : memory,
                                              memory && random_below(2), blocks, &second);
    if (status != other)
      fail_msg("scene %u: %s; %s", i, first.message, second.message);
    if (status) {
      print_message("%u %s\n", i, first.message);
      continue;
    }
    compare_folders(whole, blocks);
    compared++;
  }
  assert_true(compared > 48);
}

TEST(what_is_refused) {
  struct qn_error error;
  scene = (struct scene){.build = {.num_vertices = 3, .unique = true},
                         .set = {.block_vertices = 2, .rows = QN_SET_ROWS_OUT},
                         .num_edges = 3,
                         .ends = {{2, 1}, {0, 2}, {2, 1}}};
  assert_int_equal(build_blocks(&scene, 0, false, scratch_path("set"), &error), QN_INVALID);
  assert_non_null(strstr(error.message, "the edge from 2 to 1 occurs more than once"));
  scene.ends[1][0] = 3;
  assert_int_equal(build_blocks(&scene, 0, false, scratch_path("set"), &error), QN_INVALID);
  assert_non_null(strstr(error.message, "vertex 3 is beyond the 3 vertices declared"));
  scene.build = (struct qn_build){.num_vertices = QN_VERTICES_FROM_EDGES,
                                  .duplicates = QN_DUPLICATES_SUM,
                                  .self_loops = QN_SELF_LOOPS_KEEP};
  scene.types[0] = scene.types[1] = QN_WEIGHT_U32;
  scene.weights[0] = scene.weights[2] = UINT32_MAX;
  scene.ends[0][1] = scene.ends[2][1] = 1ull << 40;
  assert_int_equal(build_blocks(&scene, 0, false, scratch_path("set"), &error), QN_INVALID);
  assert_non_null(strstr(error.message, "the edges from 2 to 1099511627776 sum to more than u32"));
  scene.names = NUMBERS;
  assert_int_equal(build_blocks(&scene, 0, false, scratch_path("set"), &error), QN_INVALID);
  assert_non_null(strstr(error.message, "the edges from 2 to 1099511627776 sum to more than u32"));
  assert_int_equal(access(scratch_path("set"), F_OK), -1);
}

/* Many more vertices than blocks can hold are said, before anything is made of them. */
TEST(needed) {
  struct qn_edge_list *list;
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES, .ids = QN_ID_KEEP};
  scene = (struct scene){.num_edges = 2, .ends = {{1, UINT32_MAX}, {0, 1}}};
  list = list_of(&scene, NULL, false);
  assert_true(qn_blocks_are_needed(list, &build, UINT32_MAX));
  build.ids = QN_ID_AUTO;
  assert_false(qn_blocks_are_needed(list, &build, UINT32_MAX)); /* at most four */
  assert_true(qn_blocks_are_needed(list, &build, 3));
  build.num_vertices = (uint64_t)1 << 32;
  assert_true(qn_blocks_are_needed(list, &build, UINT32_MAX));
  qn_edge_list_destroy(list);
}

TEST_MAIN(scratch_create, scratch_remove)
