/* Partitions of vertices by one look at each, with those that came before it in sight: LDG
 * (I. Stanton, G. Kliot: Streaming Graph Partitioning for Large Distributed Graphs, KDD 2012) and
 * Fennel (C. Tsourakakis, C. Gkantsidis, B. Radunovic, M. Vojnovic: FENNEL: Streaming Graph
 * Partitioning for Massive Scale Graphs, WSDM 2014). Further passes are those of J. Nishimura and
 * J. Ugander: Restreaming Graph Partitioning, KDD 2013: sizes count from 0, and all neighbours have
 * parts, those of this pass or of the one before. */
#pragma once

#include "converters/partition/neighbors.h"
#include "converters/partition/options.h"

/* Give every vertex its part in `parts` [V]. The stream is in the order of the vertices; of equally
 * good parts the one with fewer vertices is taken, of several the first. 24 bytes a part are kept
 * beside `parts`. The number of parts is at most V. */
enum qn_status qn_partition_vertices(const struct qn_graph *graph,
                                     const struct qn_neighbors *neighbors,
                                     const struct qn_partition_options *options, uint32_t *parts,
                                     struct qn_error *error);
