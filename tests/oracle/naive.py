"""What the algorithms mean, as plainly as it can be written. Graphs are (V, [(source, destination, weight)])."""

import collections
import heapq
import itertools
import math


def out_edges(num_vertices, edges):
    rows = [[] for _ in range(num_vertices)]
    for source, destination, weight in edges:
        rows[source].append((destination, weight))
    return rows


def both_ways(edges):
    """An undirected reading: every edge that is not a loop in both directions."""
    return edges + [(destination, source, weight) for source, destination, weight in edges if source != destination]


def degree(num_vertices, edges):
    return [len(row) for row in out_edges(num_vertices, edges)]


def bfs(num_vertices, edges, source):
    rows, hops = out_edges(num_vertices, edges), [math.inf] * num_vertices
    hops[source], queue = 0, collections.deque([source])
    while queue:
        vertex = queue.popleft()
        for other, _ in rows[vertex]:
            if hops[other] == math.inf:
                hops[other] = hops[vertex] + 1
                queue.append(other)
    return hops


def sssp(num_vertices, edges, source):
    rows, far = out_edges(num_vertices, edges), [math.inf] * num_vertices
    far[source], heap = 0, [(0, source)]
    while heap:
        distance, vertex = heapq.heappop(heap)
        if distance > far[vertex]:
            continue
        for other, weight in rows[vertex]:
            if distance + weight < far[other]:
                far[other] = distance + weight
                heapq.heappush(heap, (far[other], other))
    return far


def parents(edges, far, source):
    """Of shortest paths whose lengths are `far`; None for vertices that are not reached.

    The first of the nearer vertices with a tight edge; of vertices that have none the first of those as far with a tight
    edge, from which fewest such edges lead back to one that has."""
    tight = [(u, v) for u, v, weight in edges if far[u] < math.inf and far[u] + weight == far[v] and v != source]
    parent = {source: source}
    for u, v in tight:
        if far[u] < far[v]:
            parent[v] = min(u, parent.get(v, u))
    while True:
        level = {}
        for u, v in tight:
            if u in parent and v not in parent:
                level[v] = min(u, level.get(v, u))
        if not level:
            return [parent.get(vertex) for vertex in range(len(far))]
        parent.update(level)


def cc(num_vertices, edges):
    """The smallest vertex that is weakly connected with each."""
    label = list(range(num_vertices))

    def root(vertex):
        while label[vertex] != vertex:
            vertex = label[vertex]
        return vertex

    for source, destination, _ in edges:
        low, high = sorted((root(source), root(destination)))
        label[high] = low
    return [root(vertex) for vertex in range(num_vertices)]


def scc(num_vertices, edges):
    """The smallest vertex that each can reach and be reached by."""
    turned = [(destination, source, weight) for source, destination, weight in edges]
    label = [math.inf] * num_vertices
    for vertex in range(num_vertices):
        if label[vertex] == math.inf:
            there, back = bfs(num_vertices, edges, vertex), bfs(num_vertices, turned, vertex)
            for other in range(num_vertices):
                if there[other] < math.inf and back[other] < math.inf:
                    label[other] = vertex
    return label


def kcore(num_vertices, edges):
    """Cores of the undirected reading: an edge counts at both its ends, a loop once."""
    cores, left = [0] * num_vertices, set(range(num_vertices))
    for core in range(1, len(edges) + 1):
        while left:
            degrees = collections.Counter(end for source, destination, _ in edges for end in {source, destination}
                                          if source in left and destination in left)
            few = {vertex for vertex in left if degrees[vertex] < core}
            if not few:
                break
            left -= few
        for vertex in left:
            cores[vertex] = core
    return cores


def pagerank(num_vertices, edges, damping=0.85, iterations=None, tolerance=1e-12, spread=True):
    """Parallel edges count as often as they are; what vertices without out-edges hold is spread evenly, or dropped. After
    so many iterations, or when values no longer change."""
    rows, ranks = out_edges(num_vertices, edges), [1 / num_vertices] * num_vertices
    for iteration in itertools.count(1):
        lost = math.fsum(rank for rank, row in zip(ranks, rows) if not row)
        following = [(1 - damping + damping * lost * spread) / num_vertices] * num_vertices
        for rank, row in zip(ranks, rows):
            for other, _ in row:
                following[other] += damping * rank / len(row)
        change = math.fsum(abs(new - old) for new, old in zip(following, ranks))
        ranks = following
        if iteration == iterations or (iterations is None and change < tolerance):
            return ranks


def pagerank_weighted(num_vertices, edges, damping=0.85, tolerance=1e-12, spread=True):
    """Edges are taken in proportion to their weights; what vertices hold that have none is spread evenly, or dropped."""
    ranks, out = [1 / num_vertices] * num_vertices, [0.0] * num_vertices
    for source, _, weight in edges:
        out[source] += weight
    while True:
        lost = math.fsum(rank for rank, weight in zip(ranks, out) if weight == 0)
        following = [(1 - damping + damping * lost * spread) / num_vertices] * num_vertices
        for source, destination, weight in edges:
            if out[source] > 0:
                following[destination] += damping * ranks[source] * weight / out[source]
        change = math.fsum(abs(new - old) for new, old in zip(following, ranks))
        ranks = following
        if change < tolerance:
            return ranks


def unit(values):
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values]


def katz(num_vertices, edges, alpha):
    values = [0.0] * num_vertices
    while True:
        following = [1.0] * num_vertices
        for source, destination, _ in edges:
            following[destination] += alpha * values[source]
        if all(math.isclose(old, new, rel_tol=1e-14) for old, new in zip(values, following)):
            return unit(following)
        values = following


def eigenvector(num_vertices, edges, iterations):
    """Powers of A + I, where an edge leads from its column to its row."""
    values = [1.0] * num_vertices
    for _ in range(iterations):
        following = list(values)
        for source, destination, _ in edges:
            following[destination] += values[source]
        values = unit(following)
    return values


def hits(num_vertices, edges, iterations):
    """Hubs and authorities, each in sum 1."""
    hubs, authorities = [1.0] * num_vertices, []
    for _ in range(iterations):
        authorities = [0.0] * num_vertices
        for source, destination, _ in edges:
            authorities[destination] += hubs[source]
        hubs = [0.0] * num_vertices
        for source, destination, _ in edges:
            hubs[source] += authorities[destination]
        total = math.fsum(hubs)
        hubs = [hub / total for hub in hubs]
    total = math.fsum(authorities)
    return hubs, [authority / total for authority in authorities]


def closeness(num_vertices, edges, samples):
    """Closeness and harmonic centrality, by the distances from the samples."""
    close, harmonic = [], []
    tables = {source: bfs(num_vertices, edges, source) for source in samples}
    for vertex in range(num_vertices):
        others = [source for source in samples if source != vertex]
        far = [tables[source][vertex] for source in others if tables[source][vertex] < math.inf]
        reached, total = len(far), sum(far)
        close.append(reached / total * reached / len(others) if total else 0.0)
        harmonic.append(math.fsum(1 / hops for hops in far) * (num_vertices - 1) / len(others) if others else 0.0)
    return close, harmonic


def rwr(num_vertices, edges, seeds, damping=0.85, tolerance=1e-12):
    """PageRank whose walker restarts at `seeds`, {vertex: weight}, also where there is no way on."""
    total, rows = math.fsum(seeds.values()), out_edges(num_vertices, edges)
    start = [seeds.get(vertex, 0) / total for vertex in range(num_vertices)]
    ranks = start
    while True:
        lost = math.fsum(rank for rank, row in zip(ranks, rows) if not row)
        following = [share * (1 - damping + damping * lost) for share in start]
        for rank, row in zip(ranks, rows):
            for other, _ in row:
                following[other] += damping * rank / len(row)
        change = math.fsum(abs(new - old) for new, old in zip(following, ranks))
        ranks = following
        if change < tolerance:
            return ranks


def tc(num_vertices, edges):
    """Triangles of the simple undirected graph, each once."""
    later = [set() for _ in range(num_vertices)]
    for source, destination, _ in edges:
        if source != destination:
            later[min(source, destination)].add(max(source, destination))
    return sum(len(later[a] & later[b]) for a in range(num_vertices) for b in later[a])


def cdlp(num_vertices, edges, iterations, loops=2):
    """Graphalytics' communities: all take the most frequent label at the other ends of their edges, the least of
    several. `edges` as they were put in: an undirected one once. A loop counts so often."""
    ends, labels = [[] for _ in range(num_vertices)], list(range(num_vertices))
    for source, destination, _ in edges:
        ends[source].append(destination)
        if source != destination or loops == 2:
            ends[destination].append(source)
    for _ in range(iterations):
        counted = [collections.Counter(labels[other] for other in row) for row in ends]
        labels = [min(count, key=lambda label: (-count[label], label)) if count else labels[vertex]
                  for vertex, count in enumerate(counted)]
    return labels


def lcc(num_vertices, edges):
    """Graphalytics' clustering coefficients: edges between a vertex's neighbours, of all that there could be."""
    links = {(source, destination) for source, destination, _ in edges if source != destination}
    neighbors = [set() for _ in range(num_vertices)]
    for source, destination in links:
        neighbors[source].add(destination)
        neighbors[destination].add(source)
    return [sum((a, b) in links for a in row for b in row) / max(1, len(row) * (len(row) - 1)) for row in neighbors]


def bc(num_vertices, edges, sources):
    """Brandes: the sum over the given sources, not normalised."""
    rows, score = out_edges(num_vertices, edges), [0.0] * num_vertices
    for source in sources:
        hops = bfs(num_vertices, edges, source)
        order = sorted((vertex for vertex in range(num_vertices) if hops[vertex] < math.inf), key=hops.__getitem__)
        paths, share = [0] * num_vertices, [0.0] * num_vertices
        paths[source] = 1
        for vertex in order:
            for other, _ in rows[vertex]:
                if hops[other] == hops[vertex] + 1:
                    paths[other] += paths[vertex]
        for vertex in reversed(order):
            for other, _ in rows[vertex]:
                if hops[other] == hops[vertex] + 1:
                    share[vertex] += paths[vertex] / paths[other] * (1 + share[other])
            if vertex != source:
                score[vertex] += share[vertex]
    return score


def modularity(num_vertices, edges, labels, resolution=1):
    """Of an undirected graph; `edges` in both directions, loops once."""
    total = math.fsum(weight * (2 if source == destination else 1) for source, destination, weight in edges)
    degrees, inside = collections.Counter(), []
    for source, destination, weight in edges:
        ends = weight * (2 if source == destination else 1)
        degrees[labels[source]] += ends
        inside += [ends] if labels[source] == labels[destination] else []
    expected = math.fsum((degree / total) ** 2 for degree in degrees.values())
    return math.fsum(inside) / total - resolution * expected


def widest(num_vertices, edges, source):
    """tests/programs/widest.h: the narrowest edge of the widest path."""
    rows, width = out_edges(num_vertices, edges), [0] * num_vertices
    width[source], waiting = math.inf, [source]
    while waiting:
        vertex = waiting.pop()
        for other, weight in rows[vertex]:
            if min(width[vertex], weight) > width[other]:
                width[other] = min(width[vertex], weight)
                waiting.append(other)
    return width


def spmv(num_vertices, edges, vector):
    """y[v] = the sum over v's in-edges of weight times x[source]."""
    result = [0.0] * num_vertices
    for source, destination, weight in edges:
        result[destination] += weight * vector[source]
    return result


def simulated(num_vertices, edges, values, update):
    """Ten times: update(vertex, its value, the sum of weight times value, and of weight, over its in-edges)."""
    for _ in range(10):
        sums, weights = [0.0] * num_vertices, [0.0] * num_vertices
        for source, destination, weight in edges:
            sums[destination] += weight * values[source]
            weights[destination] += weight
        values = [update(*row) for row in zip(range(num_vertices), values, sums, weights)]
    return values


def heat(num_vertices, edges, source):
    return simulated(num_vertices, edges, [float(v == source) for v in range(num_vertices)],
                     lambda v, old, total, weights: (old + total) / (1 + weights))


def circuit(num_vertices, edges, source):
    held = (source, int(source == 0))
    return simulated(num_vertices, edges, [float(v == source) for v in range(num_vertices)],
                     lambda v, old, total, weights: old if v in held or weights == 0 else total / weights)


def neural(num_vertices, edges):
    return simulated(num_vertices, edges, [(1 + v % 64) / 64 for v in range(num_vertices)],
                     lambda v, old, total, weights: math.tanh(total))


def neighborhood(num_vertices, edges, source, hops):
    """bfs, but nothing beyond so many hops."""
    return [found if found <= hops else math.inf for found in bfs(num_vertices, edges, source)]
