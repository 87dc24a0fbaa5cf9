/* Vertices with names: strings to numbers, filled by all threads at once, and at the end
 * sorted, so that the result does not depend on who came first.
 *
 *   struct qn_string_map *map;
 *   qn_string_map_create(&map, &error);
 *   qn_string_map_intern(map, bytes, length, &id)       from any thread: numbers for the time being
 *   qn_string_map_sort(map, &names, &error);            the order of the names, bytewise
 *   names.new_of_old[id]                                the number that stays
 *
 * Takes 64 to 128 bytes a name, and the name if it has more than eight; sorting 60 bytes a name and
 * the name more, for a while.
 *
 * A map in runs holds any number of names: those that would take too much memory go to disk,
 * sorted, and the map begins anew. A name then has a number of each run that it is in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/ids.h>

struct qn_string_map;
struct qn_string_runs;

/* Names of vertices are not longer than this, so that a binary file is not taken for one. */
#define QN_MAX_NAME_BYTES 65535

/* Owned until destroy (NULL is allowed). */
enum qn_status qn_string_map_create(struct qn_string_map **out, struct qn_error *error);
void qn_string_map_destroy(struct qn_string_map *map);
/* In runs of so many names at most; 0: as many as there is memory for. */
enum qn_status qn_string_map_create_in_runs(uint64_t most_names, struct qn_string_map **out,
                                            struct qn_error *error);

enum qn_interned {
  QN_INTERNED,
  QN_INTERN_NO_NAME,   /* empty, too long, or with a NUL, tab or line end in it */
  QN_INTERN_TOO_MANY,  /* more than 2^32-1 names */
  QN_INTERN_NO_MEMORY, /* or no more than the limit of it allows */
};

/* The number of a name; a new name gets the next one. `length` bytes are copied. Of a map in runs:
 * counted from the first one of its run. */
enum qn_interned qn_string_map_intern(struct qn_string_map *map, const char *bytes, uint64_t length,
                                      uint32_t *id);

/* Is it one? */
bool qn_is_name(const char *bytes, uint64_t length);

/* A name to be numbered with others: while one is waited for, the next ones are looked up, which in
 * maps larger than the caches takes half the time. */
struct qn_waiting_name {
  const char *bytes; /* NULL: the number is known */
  uint64_t length;
  uint64_t id; /* its number, when it is known */
};
#define QN_WAITING_NAMES 64

/* Number at most QN_WAITING_NAMES names, which are such (qn_is_name). */
enum qn_interned qn_string_map_intern_many(struct qn_string_map *map, struct qn_waiting_name *names,
                                           uint32_t count);

/* How many names there are; in runs, numbers of them. */
uint64_t qn_string_map_count(const struct qn_string_map *map);

/* Before names are numbered: those that take too much memory go to disk, if the map is one in runs.
 * From any thread. Names that are numbered together afterwards have numbers of the same run. */
enum qn_status qn_string_map_make_room(struct qn_string_map *map, struct qn_error *error);

/* The runs that a map in runs has written; NULL: all its names are in memory. */
const struct qn_string_runs *qn_string_map_runs(const struct qn_string_map *map);
/* What is in memory becomes the last run. The runs are the map's. */
enum qn_status qn_string_map_end_runs(struct qn_string_map *map, const struct qn_string_runs **runs,
                                      struct qn_error *error);

/* Names in bytewise order. */
struct qn_sorted_names {
  struct qn_ids ids;    /* kind strings, ascending; points into the memory below */
  uint32_t *new_of_old; /* [ids.num_vertices] */
  uint64_t *offsets;
  char *bytes;
};

/* Sort the names. Owned until qn_sorted_names_destroy. */
enum qn_status qn_string_map_sort(const struct qn_string_map *map, struct qn_sorted_names *names,
                                  struct qn_error *error);
/* A zeroed one is allowed. */
void qn_sorted_names_destroy(struct qn_sorted_names *names);
