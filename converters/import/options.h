/* What an import is asked for, by the names of quern-import's options. */
#pragma once

#include <jansson.h>

#include "converters/parse/reader.h"
#include "support/input/input.h"
#include "support/options.h"

struct qn_import_options {
  struct qn_read_options read;
  struct qn_build build; /* qn_build_settings are of this */
  struct qn_input_options input;
  bool directed;            /* the user says so */
  bool strict;              /* refuse what is warned of */
  const char *format;       /* "auto": by content */
  const char *record_text;  /* "record" as given */
  const char *columns_text; /* "columns" as given */
  const char *properties;   /* of edges: "all" or NAME[:TYPE],...; NULL: none */
  const char *vertex_table; /* a file; NULL: none */
  const char *names;        /* a list of names of vertices (vertex_names.h); NULL: none */
  char columns[512];        /* the same, cut up */
};

/* For qn_setting_set, into options that were begun and stay where they are; texts are borrowed. */
extern const struct qn_setting qn_import_settings[];

/* Nothing is asked for. */
void qn_import_options_begin(struct qn_import_options *options);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_import_options_settle(const struct qn_import_options *options,
                                        struct qn_error *error);

/* Record them in a container's provenance; `build` is how it was built in the end. */
enum qn_status qn_provenance_import(json_t *provenance, const struct qn_import_options *options,
                                    const struct qn_build *build, struct qn_error *error);
