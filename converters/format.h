/* The formats of the outside world: one table, from which detection, --help and --formats come. */
#pragma once

#include <jansson.h>

#include "converters/output/writer.h"
#include "converters/parse/reader.h"

/* What one direction cannot keep, and what it does not take; NULL: nothing. */
struct qn_format_limits {
  const char *loses;
  const char *refuses;
};

struct qn_format {
  const char *name;        /* as --format takes it, e.g. "edges" */
  const char *files;       /* how such files are usually called, e.g. ".el .txt" */
  const char *description; /* one line */

  const struct qn_reader *reader; /* NULL: not read */
  struct qn_format_limits reading;

  const struct qn_graph_writer *writer; /* NULL: not written */
  struct qn_format_limits writing;

  /* Read and written by the Python package alone, which the tools hand over to (tools/tables.h), or
   * only written: `reader` and `writer` are NULL. */
  bool by_package, is_only_written;
};

/* Ends with a row without name; in the order in which equal detections win. */
extern const struct qn_format qn_formats[];

/* The reader of the format called `name`; QN_USAGE with the list of names if there is none. */
enum qn_status qn_reader_by_name(const char *name, const struct qn_reader **out,
                                 struct qn_error *error);

/* The writer, likewise. */
enum qn_status qn_graph_writer_by_name(const char *name, const struct qn_graph_writer **out,
                                       struct qn_error *error);

/* The name of the format that is written to files that end as `path` does; "edges" for a name
 * without an ending, and for a folder. QN_USAGE if several have the ending, or none that is
 * written. */
enum qn_status qn_format_of_output(const char *path, bool is_folder, const char **out,
                                   struct qn_error *error);

/* Is this the name of a format that the Python package alone reads, or writes? */
bool qn_format_is_read_by_package(const char *name);
bool qn_format_is_written_by_package(const char *name);

/* The reader that is surest; QN_INVALID if none wants it. */
enum qn_status qn_reader_detect(struct qn_input *input, const struct qn_read_options *options,
                                const struct qn_reader **out, struct qn_error *error);

/* Warn if the input is read as an edge list, but its name has the ending of another format. */
void qn_reader_compare_name(const struct qn_reader *reader, struct qn_input *input);

/* An argp help filter: puts the list of formats that are read, or written, where the documentation
 * behind the options has %s. */
char *qn_formats_help(bool written, int key, const char *text);

/* Everything about every format: a new reference, NULL if memory runs out. */
json_t *qn_formats_json(void);
/* The same on standard output: for --formats. */
enum qn_status qn_formats_print(bool json, struct qn_error *error);
