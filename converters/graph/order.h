/* Orders of vertices in which neighbours lie near one another. */
#pragma once

#include <stdint.h>

#include "formats/vertices/vertex_file.h"
#include <quern/graph.h>

/* Reverse Cuthill-McKee (Cuthill, McKee 1969; George 1971), directions ignored: level by level from
 * a vertex at the edge of its component (George, Liu: An Implementation of a Pseudoperipheral Node
 * Finder, 1979), neighbours by ascending degree, and all of it reversed. Components come in the
 * order of their vertices of least degree. `order` [V] becomes the vertices in the new order. Takes
 * 20 bytes a vertex, and in-edges where the graph has none at hand. */
enum qn_status qn_order_rcm(const struct qn_graph *graph, uint32_t *order, struct qn_error *error);

/* Layered label propagation (Boldi, Rosa, Santini, Vigna: Layered Label Propagation, WWW 2011),
 * directions ignored: labels spread at 14 resolutions, from one at which communities are small to
 * one at which only edges count; each makes neighbours of the vertices of a label, in the order
 * that the finer ones gave, at first that of like rows. The same order for a seed, on any number of
 * threads. Takes 33 bytes a vertex and 4 an edge end, QN_LLP_THREAD_BYTES for each thread, and at
 * first in-edges where the graph has none at hand. */
#define QN_LLP_THREAD_BYTES ((uint64_t)81 << 12)
enum qn_status qn_order_llp(const struct qn_graph *graph, uint64_t seed, uint32_t *order,
                            struct qn_error *error);

/* Gorder (Wei, Yu, Lu, Lin: Speedup Graph Processing by Graph Ordering, SIGMOD 2016): the vertex
 * comes next that has most in common with the last 5, edges and in-neighbours counted;
 * in-neighbours with more than sqrt(V) out-edges are not. Of equals the one comes whose priority
 * rose last, at first the one of most in-edges. Of more than 2^20 vertices every 2^20 are ordered
 * for themselves, in their places, each by one thread. Takes 16 bytes a vertex,
 * QN_GORDER_THREAD_BYTES for each thread, and in-edges where the graph has none at hand; up to E
 * sqrt(V) steps. */
#define QN_GORDER_THREAD_BYTES ((uint64_t)1 << 18)
enum qn_status qn_order_gorder(const struct qn_graph *graph, uint32_t *order,
                               struct qn_error *error);

/* METIS (Karypis, Kumar: A Fast and High Quality Multilevel Scheme for Partitioning Irregular
 * Graphs, 1998), directions ignored: halves of halves, down to parts of about 64 vertices, which
 * come in the order in which they were cut, vertices within as they are. By libmetis.so.5, which is
 * loaded when this is called: QN_UNSUPPORTED without it, or if it is built for fewer edges. Takes 8
 * bytes an edge end and a vertex at most, and what METIS takes, which is more. */
enum qn_status qn_order_metis(const struct qn_graph *graph, uint32_t *order,
                              struct qn_error *error);

/* Vertices of one group beside one another, groups in their order, vertices within as they are;
 * last those of no group. */
enum qn_status qn_order_groups(const struct qn_vertex_groups *groups, uint32_t *order,
                               struct qn_error *error);
