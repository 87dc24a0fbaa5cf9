/* Progress of long work, and what there is to note: told to the context that the thread works for
 * (support/context.h). A tool shows them on stderr, progress as one line, rewritten in place, only
 * on a terminal, only after a second, never with --quiet.
 *
 * A notice says what is being done, and is gone. A note is part of the result: it has a code, and
 * is kept for --json and for the container's metadata. A warning is a note of something that
 * changes what the graph means: it is shown with --quiet, too, and --strict refuses it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* This process is a tool, which shows notices on stderr and, unless `quiet`, progress. */
void qn_progress_show(bool quiet);

/* From now on, or no longer, another process says what there is to say: neither notices nor
 * warnings are shown. */
void qn_progress_mute(bool muted);

/* Begin a task: `what` is a present participle ("reading"), `unit` what is
 * counted ("edges", or "bytes", which are shown as sizes), `total` how many will
 * come, 0 if unknown. One task at a time; a new one ends the one before. */
void qn_progress_begin(const char *what, const char *unit, uint64_t total);

/* `count` more are done. Any thread may call; call every few milliseconds of work, not per item. */
void qn_progress_add(uint64_t count);

/* End the task and erase its line. */
void qn_progress_end(void);

/* A line that says how far something is whose end nobody knows, on the same terms; a later one
 * takes its place, qn_progress_end erases it. */
void qn_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of information for the user; dropped with --quiet. */
void qn_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Notes ------------------------------------------------------------------- */

enum qn_note_kind {
  QN_NOTE_WARNING,
  QN_NOTE_OF_GRAPH, /* what became of the graph: kept in its metadata, as warnings are */
  QN_NOTE_OF_RUN,   /* how it was done */
};

/* X(identifier, code, kind, meaning), which docs/json.md lists. */
#define QN_NOTES(X)                                                                                \
  X(LINES_SKIPPED, "lines-skipped", WARNING, "Bad lines were skipped, as `--max-bad` allows")      \
  X(SIDES_MERGED, "sides-merged", WARNING,                                                         \
    "A list that calls itself bipartite has ids on both sides; equal ones became one vertex")      \
  X(ONE_WAY, "one-way", WARNING,                                                                   \
    "A format of undirected graphs lists some edges at one end only; the graph is directed")       \
  X(PARALLEL_EDGES, "parallel-edges", WARNING,                                                     \
    "Undirected edges have the same endpoints as another, as where both directions were listed")   \
  X(REPEATED_ENTRIES, "repeated-entries", WARNING,                                                 \
    "Entries of a matrix have the same place; a matrix adds them up, here they are parallel")      \
  X(HEADER_OR_EDGE, "header-or-edge", WARNING,                                                     \
    "The first line was taken as an edge, and may be a header")                                    \
  X(SHAPE_AMBIGUOUS, "shape-ambiguous", WARNING,                                                   \
    "An array of two rows and two columns was taken by rows")                                      \
  X(NAME_DIFFERS, "name-differs", WARNING,                                                         \
    "An edge list has a name with the ending of another format")                                   \
  X(ONLY_VERTICES, "only-vertices", WARNING,                                                       \
    "What looks like a list of vertices is all of the input")                                      \
  X(UNDECLARED_VERTICES, "undeclared-vertices", WARNING,                                           \
    "Edges have ends that a file which declares vertices does not declare")                        \
  X(ZEROS_DROPPED, "zeros-dropped", WARNING,                                                       \
    "Zeros in front of ids were dropped, as `--ids` asks: 007 is 7")                               \
  X(UNTESTED, "untested", WARNING,                                                                 \
    "A recipe does not say what must come out: nobody has verified what did")                      \
  X(ZEROS_KEPT, "zeros-kept", OF_GRAPH, "Ids with zeros in front were taken as names")             \
  X(DEFAULT_WEIGHTS, "default-weights", OF_GRAPH,                                                  \
    "Some edges say no weight, and have the format's default")                                     \
  X(UNDIRECTED, "undirected", OF_GRAPH, "The format says that every edge goes both ways")          \
  X(TWO_SIDES, "two-sides", OF_GRAPH,                                                              \
    "A matrix that is not square became a bipartite graph of rows L and columns R")                \
  X(NOT_READ, "not-read", OF_GRAPH, "The input holds something that was not read")                 \
  X(WEIGHTS_ROUNDED, "weights-rounded", OF_GRAPH,                                                  \
    "Weights were rounded, as `--narrow-weights` asks")                                            \
  X(NOT_KEPT, "not-kept", OF_GRAPH, "The output does not keep something that the input has")       \
  X(REFUSED_ELSEWHERE, "refused-elsewhere", OF_RUN,                                                \
    "Other programs may not read what was written")                                                \
  X(NOT_IDENTICAL, "not-identical", OF_RUN,                                                        \
    "The graph is the same, but not the bytes of the container that the set was made of")          \
  X(COPIED, "copied", OF_RUN, "The input needed no conversion: the output is a copy")              \
  X(FEWER_PARTITIONS, "fewer-partitions", OF_RUN,                                                  \
    "There are fewer and larger partitions than asked for, since vertex ids would run out")        \
  X(ROUNDING, "rounding", OF_RUN,                                                                  \
    "Values are rounded by more than the tolerance, which may never be reached")                   \
  X(RESTORED, "restored", OF_RUN, "Rows were restored in memory or on disk before the run")        \
  X(BOTH_WAYS, "both-ways", OF_RUN,                                                                \
    "Rows of a directed graph were put together with those of its reverse before the run")         \
  X(READ_WHOLE, "read-whole", OF_RUN,                                                              \
    "A set was put together, since it could not be run in parts")                                  \
  X(ON_THE_CPU, "on-the-cpu", OF_RUN, "The CPU did what the device could not")                     \
  X(ONE_BY_ONE, "one-by-one", OF_RUN, "Sources were run one after another, not together")          \
  X(PATHS, "paths", OF_RUN, "How many paths a projection follows; it has no more edges")           \
  X(ONE_DEVICE, "one-device", OF_RUN, "One device ran alone, which was expected to be faster")     \
  X(ONE_MACHINE, "one-machine", OF_RUN,                                                            \
    "All ranks are on one machine, where one process is expected to be faster")

enum qn_note {
#define QN_NOTE_IDENTIFIER(identifier, code, kind, meaning) QN_NOTE_##identifier,
  QN_NOTES(QN_NOTE_IDENTIFIER)
#undef QN_NOTE_IDENTIFIER
      QN_NUM_NOTES
};

/* A note or, if it is of this kind, a warning. Any thread may call. */
void qn_note(enum qn_note note, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What was noted so far, in order: a new array of {"code", "warning", "message"}; NULL if memory
 * runs out. */
json_t *qn_notes_json(void);

/* Which were noted of the graph: a new array of codes in the order above, however many threads
 * there are; NULL if memory runs out. */
json_t *qn_note_codes_json(void);

/* The kinds that were noted, a bit each; and what others have noted. */
uint64_t qn_notes_made(void);
void qn_notes_add(uint64_t made);

/* With --strict: QN_INVALID with the text of the first warning, if there was one. */
enum qn_status qn_notes_refuse_warnings(struct qn_error *error);
