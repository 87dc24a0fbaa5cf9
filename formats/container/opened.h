/* An open container, as the files of this folder see it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/remote/remote_copy.h"
#include "support/used_files.h"
#include <quern/remote.h>

/* A chunk of a section, as it is stored. */
struct qn_chunk {
  const struct qn_section *section;
  uint64_t number;
};

/* Who makes chunks of a container when they are needed: after verifying them (qn_verifier_offer)
 * they are written to where they are mapped. One thread calls at a time. */
struct qn_maker {
  enum qn_status (*make)(void *user, struct qn_container *container, const struct qn_chunk *chunks,
                         uint64_t count, struct qn_error *error);
  void (*destroy)(void *user);       /* with the container */
  const struct qn_remote_copy *afar; /* from which it makes them */
  void *user;
};

struct qn_container {
  char *path;
  const uint8_t *mapping; /* of the container's first byte */
  void *mapped;           /* the pages around it */
  uint64_t mapped_bytes;
  struct qn_used_file file;
  struct qn_stripes *stripes;  /* that the bytes lie in; NULL: they lie in the file */
  struct qn_remote_copy *afar; /* on a server, likewise */
  struct qn_maker maker;       /* of chunks; none if `make` is NULL */
  pthread_mutex_t making;
  struct qn_container_info info;
  struct qn_section *sections;
  struct qn_verifier *verifier;
};

/* Are all of these bytes zero? */
bool qn_all_zero(const void *memory, uint64_t bytes);

/* ---- Sections that come from a server (fetch.c) ----------------------------- */

/* For opening: the section of chunk hashes comes. */
enum qn_status qn_container_need_hashes(const struct qn_container *container,
                                        struct qn_error *error);
/* Before sections are verified: those chosen by `wants` come. */
enum qn_status qn_container_need_sections(const struct qn_container *container,
                                          bool (*wants)(const struct qn_section *section),
                                          struct qn_error *error);
enum qn_status qn_container_need_section(const struct qn_container *container,
                                         const struct qn_section *section, struct qn_error *error);

/* The container is a file that nobody else writes to, and lacks what the maker makes, which is the
 * container's from now on. */
void qn_container_set_maker(struct qn_container *container, const struct qn_maker *maker);

/* Give the plain form of `archive` its length, header, table, footer and chunk hashes: all but the
 * other sections. */
enum qn_status qn_container_put_plain_frame(const struct qn_container *archive, int descriptor,
                                            struct qn_error *error);
