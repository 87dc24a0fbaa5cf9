/* Exports of several files: a folder that appears whole, with a manifest of what is in it.
 *
 *   qn_output_folder_create(path, force, &folder, &error);
 *   qn_output_folder_begin(folder, "edges.csv", &output, &error);
 *   ... write to output, a text_output ...
 *   qn_output_folder_end(folder, output, "edges", count, &error);
 *   qn_output_folder_commit(folder, "graphframes", graph, &error);
 *
 * _manifest.json, which is written last, has the format, the graph's sizes and for each file its
 * name, bytes, XXH3-128 and how many records of which kind it holds. */
#pragma once

#include <stdio.h>

#include "formats/text/text_output.h"
#include <quern/graph.h>

struct qn_output_folder;

/* Readers of a folder of tables leave out what begins with an underscore. */
#define QN_MANIFEST_NAME "_manifest.json"

/* Begin a folder. QN_USAGE if `path` exists; with `force` a folder is replaced if it holds nothing
 * but what its own manifest lists. Owned until commit or abort. */
enum qn_status qn_output_folder_create(const char *path, bool force, struct qn_output_folder **out,
                                       struct qn_error *error);

/* Begin a file; QN_OUTPUT_FOLDER_FILES may be under way at a time. `*output` belongs to the folder.
 */
#define QN_OUTPUT_FOLDER_FILES 2
enum qn_status qn_output_folder_begin(struct qn_output_folder *folder, const char *name,
                                      struct qn_text_output **output, struct qn_error *error);

/* The same, called as the folder is, with `end` behind that. */
enum qn_status qn_output_folder_begin_own(struct qn_output_folder *folder, const char *end,
                                          struct qn_text_output **output, struct qn_error *error);

/* End it: it holds `count` records that are called `records`. Files are in the manifest in the
 * order in which they end. */
enum qn_status qn_output_folder_end(struct qn_output_folder *folder, struct qn_text_output *output,
                                    const char *records, uint64_t count, struct qn_error *error);

/* A file of a few lines, called as the folder is, which describes the others. */
enum qn_status qn_output_folder_describe(struct qn_output_folder *folder, const char *end,
                                         void (*print)(FILE *text, const char *name,
                                                       const void *context),
                                         const void *context, struct qn_error *error);

/* Bytes of all files that were ended. */
uint64_t qn_output_folder_bytes(const struct qn_output_folder *folder);

/* Write the manifest and make the folder appear; a graph without rows says how large it is, and not
 * how many vertices have no edges. Frees `folder` whatever the outcome. */
enum qn_status qn_output_folder_commit(struct qn_output_folder *folder, const char *format,
                                       const struct qn_graph *graph, struct qn_error *error);
/* NULL is allowed. */
void qn_output_folder_abort(struct qn_output_folder *folder);
