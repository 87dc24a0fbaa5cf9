/* Reading formats of lines, in parallel: the input's blocks are cut into parts of whole
 * lines, each parsed by one thread into a stream of edges of its own. What differs by
 * format is one function that parses a part.
 *
 *   static void parse(struct qn_text_part *part, const void *context) {
 *     const char *line, *end;
 *     while (qn_text_next_line(part, &line, &end)) {
 *       if (... no comment, and not an edge ...)
 *         qn_text_reject(part, line, where, "expected an edge, found %s", ...);
 *       ...
 *     }
 *   }
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/edges/edge_list.h"
#include "converters/parse/reader.h"
#include "support/input/input.h"
#include <quern/error.h>

/* A bad line. */
struct qn_text_bad {
  uint64_t line; /* of the part, from 1 */
  uint64_t column;
  char message[256];
};

/* Some lines, and what the parser makes of them. */
struct qn_text_part {
  const char *begin, *end;  /* whole lines; only the content's last may lack its line end */
  const char *readable_end; /* bytes up to here may be read, beyond `end` too */
  struct qn_edge_stream stream;

  const char *cursor; /* the first line not yet parsed */
  /* Lines that the parser counts: their sum, less `joined`, is the number of lines parsed. An edge
   * line pushes one edge, and perhaps others that it implies, which go into `implied`; where it
   * holds several, each counts. */
  uint64_t edges, comments, rejected;
  uint64_t implied;
  uint64_t joined; /* edges and bad entries that share a line with one counted before */
  uint64_t broken; /* line ends in quotes, of the records before the last one taken */
  uint64_t breaks; /* and in that one */

  uint64_t quotes;       /* with job->records: whether those before the part are odd */
  uint64_t first_number; /* with job->number: the number of the first line that has one, from 0 */

  bool records;      /* as the job's */
  const char *signs; /* the same */
  bool endless;      /* a line follows that is longer than QN_MOST_LINE_BYTES */
  bool fatal;        /* the last bad line is one that --max-bad does not excuse */
  bool stop;         /* more bad lines than allowed: parse no more */
  uint64_t max_bad;
  uint64_t num_listed;
  struct qn_text_bad last; /* the last bad line */
  struct qn_text_bad listed[QN_LISTED_BAD];
};

typedef void (*qn_text_parse)(struct qn_text_part *part, const void *context);

/* How many of the lines [begin, end) have a number, for formats in which the number of a line means
 * something. */
typedef uint64_t (*qn_text_number)(const char *begin, const char *end);

struct qn_text_job {
  struct qn_input *input;
  const struct qn_read_options *options;
  qn_text_parse parse;
  qn_text_number number; /* NULL: lines have none */
  bool long_lines;       /* lines may be of any length: that of a vertex has all its neighbours */
  bool records;          /* values in double quotes may break lines: a line is a record */
  const char *signs;     /* of records: what comments begin with; see qn_text_skip_comments */
  const void *context;
  struct qn_edge_list *list;
  uint64_t *sequence;       /* first unused number of a stream; advanced */
  struct qn_ledger *ledger; /* added to */
  uint64_t lines_before;    /* lines of the input that were taken before */
};

/* Parse `block`, then all blocks that the input still has. `block` is one that the
 * caller took with qn_input_next, perhaps without its first lines.
 * QN_INVALID with file, line and column of the first bad line if there are more than
 * options->max_bad; if not, the first few bad lines are listed as warnings. */
enum qn_status qn_text_read(const struct qn_text_job *job, struct qn_input_block *block,
                            struct qn_error *error);

/* Leave of a block that reaches to the content's end the lines (`records`: or records) that begin
 * in the part of the input that is wanted (qn_input_part). Returns where they begin. */
const char *qn_text_leave_part(const struct qn_input *input, bool records,
                               struct qn_input_block *block);
/* What is wrong is in a line counted from `part` on: count those of [whole, part), too. */
void qn_text_count_before(const char *whole, const char *part, struct qn_error *error);

/* The next line (or record) of the part, without line end ('\n' or "\r\n"); false at the end, or if
 * `stop` is set. Moves the cursor after it. */
bool qn_text_next_line(struct qn_text_part *part, const char **line, const char **end);

/* Pass over the lines at the cursor that are blank, or that begin with a character of `marks`, two
 * of them, behind blanks; they are counted as comments. */
void qn_text_skip_comments(struct qn_text_part *part, const char *marks);

/* The same in [p, end), where `p` begins a line: gives the first line that is no comment, or `end`,
 * and adds those before it to `*count`. */
const char *qn_text_comments_end(const char *p, const char *end, const char *marks,
                                 uint64_t *count);

/* Count and remember a bad line that begins at `line`; the fault is at `where`. */
void qn_text_reject(struct qn_text_part *part, const char *line, const char *where,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
