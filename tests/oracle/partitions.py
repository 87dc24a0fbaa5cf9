"""Partitions as plainly as can be: LDG, Fennel, HDRF and 2PS-L part by part, and what is measured of a partition.

Edges are (source, destination), those that a container stores, in its order; an undirected one that is no loop is there in both
directions. Every method looks at all parts for each vertex or edge, and takes the best by (score, fewest, first)."""

import math
from collections import Counter, defaultdict


def capacity(count, parts, imbalance):
    return min(count, max(-(-count // parts), int((1 + imbalance) * count / parts)))


def neighbors(num_vertices, edges, undirected):
    """Of each vertex, as often as an edge leads there in either direction; loops are none."""
    rows = [[] for _ in range(num_vertices)]
    for at, to in edges:
        if at != to:
            rows[at].append(to)
            if not undirected:
                rows[to].append(at)
    return rows


def of_vertices(method, num_vertices, edges, undirected, parts, imbalance=0.05, passes=1):
    rows = neighbors(num_vertices, edges, undirected)
    most = capacity(num_vertices, parts, imbalance)
    num_edges = len(edges) / 2 if undirected else len(edges)
    weight = alpha_gamma(parts, num_edges, num_vertices) if num_vertices else 0
    found = [None] * num_vertices
    for _ in range(passes):
        sizes = [0] * parts
        for v in range(num_vertices):
            count = Counter(found[w] for w in rows[v] if found[w] is not None)

            def score(part):
                if method == "ldg":
                    return float(count[part]) * float(most - sizes[part])
                return float(count[part]) - weight * math.sqrt(sizes[part])
            found[v] = min((part for part in range(parts) if sizes[part] < most), key=lambda part: (-score(part), sizes[part], part))
            sizes[found[v]] += 1
    return found


def alpha_gamma(parts, num_edges, num_vertices):
    """Fennel's alpha times gamma, 1.5."""
    return 1.5 * math.sqrt(parts) * num_edges / (num_vertices * math.sqrt(num_vertices))


def counted(edges, undirected):
    """The places of the edges, each edge once."""
    return [e for e, (at, to) in enumerate(edges) if not undirected or at <= to]


def to_reverses(edges, found, undirected):
    """The k-th edge u -> v has what the k-th v -> u has."""
    if undirected:
        of, seen = defaultdict(list), Counter()
        for e, (at, to) in enumerate(edges):
            if at < to:
                of[to, at].append(found[e])
        for e, (at, to) in enumerate(edges):
            if at > to:
                found[e] = of[at, to][seen[at, to]]
                seen[at, to] += 1
    return found


def degrees_of(num_vertices, edges, places):
    degrees = [0] * num_vertices
    for e in places:
        for v in edges[e]:
            degrees[v] += 1
    return degrees


def hdrf(num_vertices, edges, undirected, parts, imbalance=0.05):
    places = counted(edges, undirected)
    degrees = degrees_of(num_vertices, edges, places)
    most = capacity(len(places), parts, imbalance)
    sizes, replicas, found = [0] * parts, [set() for _ in range(num_vertices)], [None] * len(edges)
    for e in places:
        u, v = edges[e]
        both = degrees[u] + degrees[v]

        def score(part):
            worth = {(0, 0): 0.0, (1, 1): 3.0, (1, 0): 1 + degrees[v] / both, (0, 1): 1 + degrees[u] / both}
            return 1.1 * (max(sizes) - sizes[part]) / (1 + max(sizes) - min(sizes)) + worth[part in replicas[u], part in replicas[v]]
        part = min((part for part in range(parts) if sizes[part] < most), key=lambda part: (-score(part), sizes[part], part))
        found[e] = part
        sizes[part] += 1
        replicas[u].add(part)
        replicas[v].add(part)
    return to_reverses(edges, found, undirected)


def clusters_of(num_vertices, edges, places, degrees, most):
    cluster, volume = list(range(num_vertices)), list(degrees)
    for e in places:
        u, v = edges[e]
        if cluster[u] == cluster[v] or volume[cluster[u]] > most or volume[cluster[v]] > most:
            continue
        small, large = (u, v) if volume[cluster[u]] - degrees[u] <= volume[cluster[v]] - degrees[v] else (v, u)
        if volume[cluster[large]] + degrees[small] <= most:
            volume[cluster[large]] += degrees[small]
            volume[cluster[small]] -= degrees[small]
            cluster[small] = cluster[large]
    return cluster, volume


def two_phase(num_vertices, edges, undirected, parts, imbalance=0.05):
    places = counted(edges, undirected)
    degrees = degrees_of(num_vertices, edges, places)
    most = capacity(len(places), parts, imbalance)
    cluster, volume = clusters_of(num_vertices, edges, places, degrees, 2 * len(places) // parts)
    loads, home = [0] * parts, {}
    for c in sorted(range(num_vertices), key=lambda c: (-volume[c], c)):
        home[c] = min(range(parts), key=lambda part: (loads[part], part))
        loads[home[c]] += volume[c]
    sizes, replicas, found = [0] * parts, [set() for _ in range(num_vertices)], [None] * len(edges)

    def place(e, part):
        u, v = edges[e]
        if sizes[part] >= most:
            part = ((u if degrees[u] >= degrees[v] else v) * 0x9E3779B97F4A7C15 % 2**64 >> 32) % parts
        if sizes[part] >= most:
            part = min(range(parts), key=lambda part: (sizes[part], part))
        found[e] = part
        sizes[part] += 1
        replicas[u].add(part)
        replicas[v].add(part)

    def worth(v, other, part):
        value = 1 + degrees[other] / (degrees[v] + degrees[other]) if part in replicas[v] else 0.0
        if home[cluster[v]] == part:
            value += volume[cluster[v]] / (volume[cluster[v]] + volume[cluster[other]])
        return value

    for e in places:
        if home[cluster[edges[e][0]]] == home[cluster[edges[e][1]]]:
            place(e, home[cluster[edges[e][0]]])
    for e in places:
        u, v = edges[e]
        homes = {home[cluster[u]], home[cluster[v]]}
        if len(homes) == 2:
            place(e, min(homes, key=lambda part: (-(worth(u, v, part) + worth(v, u, part)), sizes[part], part)))
    return to_reverses(edges, found, undirected)


def figures_of_vertices(num_vertices, edges, undirected, found, parts):
    places = counted(edges, undirected)
    cut = sum(found[edges[e][0]] != found[edges[e][1]] for e in places)
    copies = {(v, found[v]) for v in range(num_vertices)} | {(to, found[at]) for at, to in edges} | {(at, found[to]) for at, to in edges}
    sizes, ends = Counter(found), Counter()
    for at, to in edges:
        ends[found[at]] += 1
        if not undirected:
            ends[found[to]] += 1
    return {"of": "vertices", "parts": parts, "cut": cut, "cut_ratio": cut / len(places) if places else 0,
            "empty_parts": parts - len(sizes), "balance": largest(sizes, parts), "edge_balance": largest(ends, parts),
            "replication": len(copies) / num_vertices if num_vertices else 1}


def figures_of_edges(edges, undirected, found, parts):
    copies, sizes = defaultdict(set), Counter()
    for e in counted(edges, undirected):
        sizes[found[e]] += 1
        for v in edges[e]:
            copies[v].add(found[e])
    cut = sum(len(of) > 1 for of in copies.values())
    return {"of": "edges", "parts": parts, "cut": cut, "cut_ratio": cut / len(copies) if copies else 0,
            "empty_parts": parts - len(sizes), "balance": largest(sizes, parts),
            "replication": sum(map(len, copies.values())) / len(copies) if copies else 1}


def largest(sizes, parts):
    """In an average one."""
    return max(sizes.values()) * parts / sum(sizes.values()) if sum(sizes.values()) else 1
