/* The files of a recipe: found in folders, in the cache, or on servers, and verified before anybody
 * reads them. */
#pragma once

#include <argp.h>
#include <stdbool.h>

#include "converters/recipe/recipe.h"
#include "support/input/file_sums.h"

enum { QN_MOST_FOLDERS = 16 };

struct qn_sources {
  const char *from[QN_MOST_FOLDERS]; /* folders, or their URLs, that are looked at first */
  unsigned num_from;
  bool offline;
};

/* --from and --offline; `input` is a struct qn_sources. */
extern const struct argp qn_sources_argp;

struct qn_source_file {
  int descriptor; /* -1: it is not open */
  struct qn_file_sums sums;
  char *where; /* for people: a path, a URL without what is secret, or "the cache" */
};

/* Find file `number` of a recipe. It is QN_SYSTEM if it is nowhere, QN_INVALID if what is
 * there is another file; the error names the last place. Given back by
 * qn_source_file_close. */
enum qn_status qn_source_file_find(const struct qn_recipe *recipe, uint64_t number,
                                   const struct qn_sources *sources, struct qn_source_file *file,
                                   struct qn_error *error);
/* Allows one that was never found, with descriptor -1. */
void qn_source_file_close(struct qn_source_file *file);
