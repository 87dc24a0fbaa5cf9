/* Folders of web graphs, as Common Crawl and LAW give them away:
 *
 *   NAME.graph, NAME.properties          WebGraph's; NAME-t.graph, the transpose, is left out
 *   NAME-edges.txt, or edges/part-*      numbers of two vertices a line, perhaps packed: where
 * there is no .graph NAME-vertices.txt, vertices/part-*,  their names, perhaps packed
 * (converters/import/ NAME.urls, vertices.txt              vertex_names.h)
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>

/* Where the graph and its names are: a file, or a folder of parts. NULL: nowhere. */
struct qn_web_folder {
  const char *graph, *edges, *names;
  bool edges_are_parts, names_are_parts;
};

/* Look at the names in a folder, which `found` borrows. False if that is no such folder: there is
 * no graph in it, or several. */
bool qn_web_folder_look(const char *folder, struct dirent *const *entries, int count,
                        struct qn_web_folder *found);
