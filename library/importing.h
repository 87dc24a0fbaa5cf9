/* What the imports of the library share. */
#pragma once

#include "converters/build_settings.h"
#include "converters/import/import.h"
#include "formats/arrays/number_array.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include "support/progress.h"

/* An import as it was called; what is not named is the work's own. */
struct qn_importing {
  const struct qn_option *given;
  uint64_t num_given;
  const char *path; /* of the output */
  struct qn_session **out;
  char **paths; /* [num_paths] of inputs */
  int num_paths;
  struct qn_edge_feed *feed;              /* instead of inputs */
  const struct qn_setting *more_settings; /* of `more_target`; NULL: none */
  void *more_target;
  /* When the options are known; NULL: nothing. */
  enum qn_status (*prepare)(struct qn_importing *importing, struct qn_error *error);
  struct qn_import_options options;
  struct qn_memory_options memory;
  bool replace;
};

enum qn_status qn_importing_call(struct qn_importing *importing, const struct qn_job *job,
                                 struct qn_error *error);

/* How the elements of an array are decoded; false if they are no numbers. */
bool qn_numbers_of(enum qn_type type, const char *name, const void *data, uint64_t count,
                   struct qn_number_array *out);
