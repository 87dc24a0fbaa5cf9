/* An open container, as the files of this folder see it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/remote/remote_copy.h"
#include "support/used_files.h"
#include <quern/remote.h>

struct qn_container {
  char *path;
  const uint8_t *mapping; /* of the container's first byte */
  void *mapped;           /* the pages around it */
  uint64_t mapped_bytes;
  struct qn_used_file file;
  struct qn_stripes *stripes;  /* that the bytes lie in; NULL: they lie in the file */
  struct qn_remote_copy *afar; /* on a server, likewise */
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
