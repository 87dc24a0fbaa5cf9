/* Figures that describe containers: how tools show them, and those that several layouts have. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/container.h>

/* Print a JSON object as lines "key:  value" of at most `width` characters, objects inside it, and
 * lists of them, below an indented heading. */
void qn_figures_print(const json_t *object, unsigned width, FILE *stream);

/* The bytes of plain CSR with the container's vertices, edges and weights: 8 (V + 1) + 4 E, or
 * with weights 8 (V + 1) + 8 E or 8 (V + 1) + 12 E. */
uint64_t qn_csr_bytes(const struct qn_container_info *info);

/* Add "bytes_per_edge" (0 without edges) and "size_against_csr" for the `bytes` that a layout's
 * sections take (ids and metadata left out: they are the same in every layout). */
void qn_figures_size(const struct qn_container_info *info, uint64_t bytes, json_t *object);

/* The edges of an undirected graph, each once, of which `stored` are stored, as those who made it
 * or what it was made from have counted them: by the metadata of `container`, or NULL. 0 if none
 * has, or it cannot be read, and of directed graphs. */
uint64_t qn_undirected_edges(const struct qn_container *container, uint64_t stored);

/* What people count: "4 edges", or "4 undirected edges (8 stored)", of which `undirected` are as
 * above. Returns `text`. */
#define QN_EDGES_TEXT 96
char *qn_edges_text(enum qn_directedness directedness, uint64_t stored, uint64_t undirected,
                    char text[QN_EDGES_TEXT]);
