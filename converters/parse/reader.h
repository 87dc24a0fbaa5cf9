/* Readers of graph formats: one file each in converters/readers/, listed in
 * format_table.c. A reader tells by content whether an input is of its
 * format, and turns it into an edge list. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/build/build.h"
#include "converters/edges/edge_list.h"
#include "converters/edges/ledger.h"
#include "converters/parse/record.h"
#include "support/input/named_inputs.h"
#include <quern/error.h>

struct qn_string_map;      /* formats/text/string_map.h */
struct qn_element_records; /* converters/elements/records.h */

/* Whether the two columns of ids number different things. */
enum qn_bipartite { QN_BIPARTITE_AUTO, QN_BIPARTITE_NO, QN_BIPARTITE_YES };

/* What is told by content unless the user says it. */
enum qn_said { QN_SAID_NOTHING, QN_SAID_NO, QN_SAID_YES };

/* In quotes: another quote, or a backslash, which may stand before a backslash, too. */
enum qn_escape { QN_ESCAPE_QUOTE, QN_ESCAPE_BACKSLASH };

/* How delimited text is written; see table.h. All zero: as its content says. */
struct qn_text_choice {
  char delimiter;         /* ' ' for blanks and tabs; 0: told by content */
  enum qn_said header;    /* whether the first line names columns */
  enum qn_said quotes;    /* yes: values in quotes may break lines; no: quotes are text */
  bool decimal_comma;     /* weights are written 0,5 */
  const char *comments;   /* two signs: lines that begin with one are comments; "" for none; NULL:
                             # and %, but for lines that may be edges */
  bool trailing_comments; /* "#" behind a blank begins one */
  enum qn_escape escape;  /* what stands before a quote in quotes */
  bool of_vertices;       /* tables of vertices are written so, too; else as CSV is */
};

/* What the user asked of a reader. Readers ignore what does not concern their format. */
struct qn_read_options {
  uint64_t max_bad;              /* bad records to skip and count before giving up */
  bool strings;                  /* --ids strings: vertex ids are any text */
  bool numbers;                  /* --ids keep or compact: they are not */
  enum qn_bipartite bipartite;   /* auto: as the content says */
  bool compact;                  /* --ids compact: declare no vertices, only edges */
  enum qn_weight_choice weights; /* none: do not even look at them; u32: refuse others */
  uint32_t source_column;        /* of delimited text, from 1; 0: by the header, else the first */
  uint32_t destination_column;   /* 0: the second */
  uint32_t weight_column;        /* 0: the third, if there is one */
  const char *column_names[3];   /* the same by name; see column_choice.h */
  struct qn_text_choice text;    /* of delimited text */
  struct qn_record record;       /* of binary edges without a header */
  uint64_t num_vertices;         /* --vertices; 0: none were given */
  bool keep_header;              /* see struct qn_table */
  bool alone;                    /* no other input comes into the same list */
  bool takes_rows;               /* rows may come as result->rows, without edges */
  bool others_wanted;            /* other columns become properties: nobody says that they do not */
  const char *label_predicate;   /* of RDF: its triples say properties of their subjects, and are no
                                    edges; NULL: there is none */
  struct qn_element_records *records; /* the graph is there, and the input is read again for its
                                         properties (converters/elements/records.h) */
};

/* Bad records that were skipped are listed up to this many. */
#define QN_LISTED_BAD 10

/* What the begin of an input says of all of it. Where only a part is read, whoever knows the other
 * parts has to check it. */
struct qn_claims {
  bool announced; /* a header says how many edges follow */
  uint64_t announced_edges;
  /* The first line is an edge, or says how many vertices and edges follow (0: it does not). */
  uint64_t vertices_said, edges_said, first_line;
  bool is_above;  /* as an edge it has an end above `vertices_said` itself */
  uint64_t above; /* ends of the part's edges that are */
};

/* What a reader found, beside the edges. All zero to begin with, but num_vertices. */
struct qn_read_result {
  struct qn_ledger ledger;   /* records, comments, rejected, edges_read; edges_added if it pushed
                                reverses that the input implies */
  uint64_t num_vertices;     /* declared (before the first edge is pushed), or
                                QN_VERTICES_FROM_EDGES */
  bool symmetric;            /* the format says that every edge stands for both directions:
                                build undirected. Set before the first edge is pushed */
  bool listed_once;          /* ... and lists each once, where it has no parallel edges */
  bool already_symmetric;    /* both directions were pushed */
  bool check_symmetric;      /* the input says so, and nobody has looked */
  bool adds_up;              /* the format takes edges with the same ends for one, their sum */
  bool weights_are_defaults; /* of edges that say none: they have no weights */
  bool unique;               /* the format forbids two edges with the same ends */
  bool number_names;         /* vertices are called by whole numbers ... */
  bool string_names;         /* ... but not all of them */
  struct qn_ids names;       /* kind QN_IDS_DENSE if vertices have no names */
  uint64_t *extra_ids;       /* qn_alloc'ed; see struct qn_build */
  uint64_t num_extra_ids;
  uint64_t vertices_listed;     /* by lists and tables of vertices */
  struct qn_named_inputs named; /* to be read next; the caller releases them */
  bool has_id_space;            /* some input says of which space its ids are: */
  char id_space[64];            /* "(Person)", as Neo4j's headers have it, or "" */
  struct qn_claims claims;      /* of the last input, if only a part of it was read */
  struct qn_build_rows rows;    /* in place of edges, if options->takes_rows */
  bool keeps_input; /* the list has views of the input, or the rows are read from it: it must stay
                       open as long as the list */
  struct qn_string_map *names_map; /* of readers that give vertices names, from the first input to
                                      the last (names.h); the reader's release frees it */
  bool names_in_runs;    /* they may be more than memory holds, for who can build of that */
  uint64_t names_of_run; /* for tests: at most so many; 0: as many as there is memory for */
  void *names_memory;    /* behind `names`; the same */
  char description[256]; /* e.g. "2 columns separated by tabs"; printed after the format's name */
};

struct qn_input; /* support/input/input.h */

/* Of detection: content that is all of this format may be a list of edges as well. */
#define QN_IN_DOUBT (-1)

struct qn_reader {
  const char *name; /* of its format, e.g. "edges" */

  /* How sure the reader is that content beginning with these bytes (the first 64 KiB
   * at least, or all) is its own: 0 no, 1 possible, 2 a plausible look, 3 a signature; or
   * QN_IN_DOUBT. NULL: only --format can tell. */
  int (*detect)(const char *head, uint64_t bytes, const struct qn_read_options *options);

  /* The same for formats of several files, which looks beside the input too; NULL otherwise. */
  int (*detect_files)(struct qn_input *input, const char *head, uint64_t bytes);

  /* About how many edges a plain file of `file_bytes` holds that begins with these bytes. NULL: as
   * many as it has lines if it is text, else nobody knows. */
  uint64_t (*estimate)(const struct qn_read_options *options, const char *head, uint64_t bytes,
                       uint64_t file_bytes);

  /* Read all of `input` into `list`, streams numbered from `*sequence` on, which becomes the
   * first unused number (several inputs fill one list). Adds to `result->ledger`. */
  enum qn_status (*read)(struct qn_input *input, const struct qn_read_options *options,
                         struct qn_edge_list *list, uint64_t *sequence,
                         struct qn_read_result *result, struct qn_error *error);

  /* For formats that are `unique`: the line, from 1, of the second edge with these ends, as the
   * reader pushed them, in an input opened once more; 0 if it is not found. NULL if not needed. */
  enum qn_status (*locate)(struct qn_input *input, const struct qn_read_options *options,
                           uint64_t source, uint64_t destination, uint64_t *line,
                           struct qn_error *error);

  /* Free result->names_memory; NULL if there never is any. */
  void (*release)(struct qn_read_result *result);

  /* `read` heeds qn_input_part: of an input of which only a part is wanted it takes the lines or
   * records that begin there, as if it had read those before, and fills result->claims. */
  bool divides;
  bool gives_properties; /* it heeds options->records */
};
