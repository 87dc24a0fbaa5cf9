/* Folders as inputs: one that quern-export wrote stands for its manifest, one that Spark or Hadoop
 * wrote for the parts in it, one of KONECT's for the edges, out.NAME, and one of a web graph, as
 * Common Crawl and LAW have them, for NAME.graph or NAME-edges.txt and the names beside it. */
#pragma once

#include <quern/error.h>

/* Zeroed to begin with. */
struct qn_input_paths {
  char **paths; /* [count] */
  int count;
  char **names; /* [num_names] lists of what vertices are called, in order */
  int num_names;
  const char *format; /* of the paths; NULL: nobody says */
};

/* The paths of the inputs that the arguments stand for, in order: what is no folder stands for
 * itself. Parts come by name; empty ones, of which Spark writes many, are left out, and so are
 * names that begin with a point or an underscore. QN_INVALID of a folder that holds other files,
 * that its writer has not finished, or that nothing is in. Owned until qn_input_paths_release. */
enum qn_status qn_input_paths_of(char *const *arguments, int count, struct qn_input_paths *out,
                                 struct qn_error *error);
/* FILE,... in place of the lists that a folder holds, or one file whose name has commas. */
enum qn_status qn_input_paths_set_names(struct qn_input_paths *paths, const char *names,
                                        struct qn_error *error);
void qn_input_paths_release(struct qn_input_paths *paths);
