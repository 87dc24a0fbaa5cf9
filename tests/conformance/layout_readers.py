"""The layouts of specs/blocked-csr.md, edge-partitions.md, slotted-pages.md, shards.md, hybrid.md and packed.md, each read as its
page says and checked against every rule of it."""

import struct
from collections import Counter

from conformance.container_reader import insist
from conformance.graph_reader import Graph
from conformance.layout_reader import OPAQUE, SIGNED, Layout, reversed_edges

RANGE = 1024
NOBODY = 2**32 - 1


def ascends(values, strictly=False):
    return all(low < high or (low == high and not strictly) for low, high in zip(values, values[1:]))


def ceil_div(a, b):
    return -(-a // b)


def by_source(edges):
    """In the order of the graph layout; parallel edges keep theirs."""
    return sorted(edges, key=lambda edge: edge[:2])


class BlockedCsr(Layout):
    name = "blocked-csr"
    parts = ("block_rows", "block_edges", "range_starts", "id_map", "row_offsets", "columns", "weights")
    sections = ("out_degrees", *("pull_" + part for part in parts), *("push_" + part for part in parts),
                "row_offsets", "column_indices", "weights")
    num_parameters = 3
    finite, symmetric = "BC-9", "BC-13"

    def read(self):
        self.block_vertices, directions, range_vertices = self.container.parameters[:3]
        insist("BC-1", 1 <= self.block_vertices < 2**32 and 1 <= directions <= 3 and range_vertices == RANGE)
        self.num_blocks = ceil_div(self.num_vertices, self.block_vertices)
        self.num_ranges = ceil_div(self.num_vertices, RANGE)
        insist("BC-1", self.num_blocks * (self.num_ranges + 1) <= 2**32)
        found = []
        for bit, prefix in ((1, "pull_"), (2, "push_")):
            there = any(self.has(prefix + part) for part in self.parts)
            insist("BC-1", there == bool(directions & bit), prefix)
            if there:
                edges = self.read_blocks(prefix)
                found.append(by_source((column, row, weight) for row, column, weight in edges) if bit == 1
                             else by_source(edges))
        insist("BC-11", all(edges == found[0] for edges in found))
        if any(map(self.has, ("row_offsets", "column_indices", "weights"))):
            insist("BC-12", self.rows("row_offsets", "column_indices", "weights") == found[0])
        self.check_degrees("BC-10", found[0])
        return found[0]

    def read_blocks(self, prefix):
        block_rows = self.numbers(prefix + "block_rows", 8, self.num_blocks + 1)
        id_map = self.numbers(prefix + "id_map", 4)
        insist("BC-2", block_rows[0] == 0 and ascends(block_rows) and block_rows[-1] == len(id_map))
        block_edges = self.numbers(prefix + "block_edges", 8, self.num_blocks + 1)
        insist("BC-3", block_edges[0] == 0 and ascends(block_edges) and block_edges[-1] == self.num_edges)
        starts = self.numbers(prefix + "range_starts", 4, self.num_blocks * (self.num_ranges + 1))
        offsets = self.numbers(prefix + "row_offsets", 4, len(id_map) + self.num_blocks)
        columns = self.numbers(prefix + "columns", 4, self.num_edges)
        weights = self.weights(prefix + "weights", self.num_edges)
        edges = []
        for block in range(self.num_blocks):
            rows = id_map[block_rows[block]:block_rows[block + 1]]
            begin, end = block_edges[block], block_edges[block + 1]
            bounds = offsets[block_rows[block] + block:block_rows[block + 1] + block + 1]
            insist("BC-4", bounds[0] == 0 and ascends(bounds, True) and bounds[-1] == end - begin, block)
            insist("BC-5", ascends(rows, True) and all(row < self.num_vertices for row in rows), block)
            at = block * (self.num_ranges + 1)
            insist("BC-6", starts[at:at + self.num_ranges + 1]
                   == [sum(row < RANGE * r for row in rows) for r in range(self.num_ranges + 1)], block)
            first = block * self.block_vertices
            last = min(first + self.block_vertices, self.num_vertices)
            insist("BC-7", all(first <= column < last for column in columns[begin:end]), block)
            for row, low, high in zip(rows, bounds, bounds[1:]):
                held = columns[begin + low:begin + high]
                insist("BC-8", ascends(held), row)
                edges += zip([row] * len(held), held, weights[begin + low:begin + high])
        return edges


class EdgePartitions(Layout):
    name = "edge-partitions"
    sections = ("edge_offsets", "prefix_offsets", "new_to_old", "sources", "destinations", "weights")
    num_parameters = 4
    finite, symmetric = "EP-12", "EP-13"

    def read(self):
        self.read_parameters()
        parts, sources, vertices = self.num_partitions, self.num_sources, self.num_vertices
        offsets = self.numbers("edge_offsets", 8, parts + 1)
        insist("EP-2", offsets[0] == 0 and ascends(offsets, True) and offsets[-1] == self.num_edges)
        insist("EP-3", all(high - low <= self.capacity for low, high in zip(offsets, offsets[1:])))
        self.prefix = self.numbers("prefix_offsets", 4, parts + 1)
        growth = [high - low for low, high in zip(self.prefix, self.prefix[1:])]
        insist("EP-4", self.prefix[0] == 0 and all(0 <= more <= self.range_size for more in growth)
               and self.prefix[-1] == parts * self.range_size - sources)
        self.counts = [self.range_size - more for more in growth]
        insist("EP-5", parts == 0 or max(self.counts) == self.range_size)
        self.new_to_old = self.numbers("new_to_old", 4, vertices)
        insist("EP-6", ascends(self.new_to_old[:sources], True) and ascends(self.new_to_old[sources:], True)
               and all(vertex < vertices for vertex in self.new_to_old))
        insist("EP-7", len(set(self.new_to_old)) == vertices)
        self.sources = self.numbers("sources", 4, self.num_edges)
        self.check_sources(offsets)
        destinations = self.numbers("destinations", 4, self.num_edges)
        insist("EP-10", all(map(self.is_vertex, destinations)))
        insist("EP-11", all(self.sources[e] != self.sources[e + 1] or destinations[e] <= destinations[e + 1]
                            for e in range(self.num_edges - 1)))
        weights = self.weights("weights", self.num_edges)
        return by_source(zip(map(self.vertex, self.sources), map(self.vertex, destinations), weights))

    def read_parameters(self):
        self.num_partitions, self.range_size, self.num_sources, self.capacity = self.container.parameters[:4]
        insist("EP-1", 1 <= self.range_size <= NOBODY and self.capacity >= 1)
        insist("EP-1", self.num_partitions <= self.num_edges and self.num_sources <= min(self.num_vertices, self.num_edges))
        insist("EP-1", len({self.num_partitions == 0, self.num_sources == 0, self.num_edges == 0}) == 1)
        self.ids_of_sources = self.num_partitions * self.range_size
        self.num_ids = self.ids_of_sources + self.num_vertices - self.num_sources
        insist("EP-1", self.num_ids <= NOBODY)

    def check_sources(self, offsets):
        for p, count in enumerate(self.counts):
            held, first = self.sources[offsets[p]:offsets[p + 1]], p * self.range_size
            if count > 0:
                insist("EP-8", held[0] == first and held[-1] == first + count - 1
                       and all(high - low in (0, 1) for low, high in zip(held, held[1:])), p)
                continue
            head = p - 1
            while head >= 0 and self.counts[head] == 0:
                head -= 1
            insist("EP-9", head >= 0 and self.counts[head] == 1, p)
            insist("EP-9", all(offsets[q + 1] - offsets[q] == self.capacity for q in range(head, p)), p)
            insist("EP-9", set(held) == {head * self.range_size}, p)

    def is_vertex(self, number):
        if number < self.ids_of_sources:
            return number % self.range_size < self.counts[number // self.range_size]
        return number < self.num_ids

    def vertex(self, number):
        partition = number // self.range_size if number < self.ids_of_sources else self.num_partitions
        return self.new_to_old[number - self.prefix[partition]]


class SlottedPages(Layout):
    name = "slotted-pages"
    sections = ("start_vids", "lp_ranges", "edge_offsets", "pages")
    num_parameters = 4
    finite, symmetric = "SP-13", "SP-14"

    def read(self):
        self.read_parameters()
        self.read_table()
        pages = bytes(self.container.require("pages", OPAQUE, 1, self.num_pages * self.page_bytes))
        edges = []
        for i in range(self.num_pages):
            edges += self.read_page(i, pages[i * self.page_bytes:(i + 1) * self.page_bytes])
        insist("SP-10", all(a[0] != b[0] or a[1] <= b[1] for a, b in zip(edges, edges[1:])))
        return by_source(edges)

    def read_parameters(self):
        self.page_bytes, self.p, self.q, self.num_pages = self.container.parameters[:4]
        insist("SP-1", (self.p, self.q) in ((2, 2), (3, 3), (2, 4), (4, 2)))
        self.width = self.p + self.q
        self.edge_bytes = self.width + self.weight_bytes()
        most = {2: 1310720, 3: 335544320, 4: 4294967292}[self.q]
        insist("SP-1", self.page_bytes % 4 == 0 and ceil_div(14 + self.edge_bytes, 4) * 4 <= self.page_bytes <= most)
        insist("SP-1", self.num_pages <= min(2**(8 * self.p) - 1, 2**31 - 1))

    def read_table(self):
        self.starts = self.numbers("start_vids", 4, self.num_pages + 1)
        self.ranges = self.container.require("lp_ranges", SIGNED, 4, self.num_pages).tolist()
        self.offsets = self.numbers("edge_offsets", 8, self.num_pages + 1)
        insist("SP-2", self.starts[0] == 0 and self.starts[-1] == self.num_vertices)
        insist("SP-5", self.offsets[0] == 0 and ascends(self.offsets) and self.offsets[-1] == self.num_edges)
        for i, later in enumerate(self.ranges):
            after = self.ranges[i + 1] if i + 1 < self.num_pages else None
            insist("SP-3", later >= -1 and (later <= 0 or after == later - 1), i)
            insist("SP-3", later != 0 or (i > 0 and self.ranges[i - 1] == 1), i)
            step = self.starts[i + 1] - self.starts[i]
            insist("SP-4", 1 <= step <= 2**(8 * self.q) if later < 0 else step == (later == 0), i)
            held = self.offsets[i + 1] - self.offsets[i]
            insist("SP-5", 14 * self.num_slots(i) + self.edge_bytes * held <= self.page_bytes, i)
            full = (self.page_bytes - 14) // self.edge_bytes
            insist("SP-11", later < 0 or (held == full if later > 0 else held >= 1), i)

    def num_slots(self, i):
        return 1 if self.ranges[i] >= 0 else self.starts[i + 1] - self.starts[i]

    def read_page(self, i, page):
        edges, end, slots = [], 0, self.num_slots(i)
        for s in range(slots):
            at = self.page_bytes - 10 * (s + 1)
            insist("SP-6", int.from_bytes(page[at:at + 6], "little") == self.starts[i] + s, i)
            insist("SP-7", struct.unpack_from("<I", page, at + 6)[0] == end, i)
            degree, = struct.unpack_from("<I", page, end)
            ids, end = end + 4, end + 4 + self.edge_bytes * degree
            insist("SP-8", end <= self.page_bytes - 10 * slots, i)
            vertices = [self.vertex(page[ids + self.width * k:ids + self.width * (k + 1)]) for k in range(degree)]
            edges += zip([self.starts[i] + s] * degree, vertices, self.weights_at(page, ids + self.width * degree, degree))
        insist("SP-8", len(edges) == self.offsets[i + 1] - self.offsets[i], i)
        insist("SP-12", not any(page[end:self.page_bytes - 10 * slots]), i)
        return edges

    def vertex(self, physical):
        page, slot = int.from_bytes(physical[:self.p], "little"), int.from_bytes(physical[self.p:], "little")
        insist("SP-9", page < self.num_pages and (page == 0 or self.ranges[page - 1] <= 0) and slot < self.num_slots(page))
        return self.starts[page] + slot

    def weights_at(self, page, at, count):
        kind = (None, "I", "f", "q", "d")[self.container.weight_type]
        if kind is None:
            return [None] * count
        found = struct.unpack_from("<%d%s" % (count, kind), page, at)
        insist("SP-13", all(abs(weight) != float("inf") and weight == weight for weight in found))
        return found


class Shards(Layout):
    name = "shards"
    sections = ("in_row_offsets", "sources", "weights", "vertex_offsets", "replication", "page_shards",
                "destination_offsets", "out_row_offsets", "out_destinations")
    num_parameters = 5
    finite, symmetric = "SH-10", "SH-12"

    def read(self):
        shards, pages, most, shared_bytes, page_bytes = self.container.parameters[:5]
        insist("SH-1", shards <= self.num_vertices and pages <= shards and 1 <= most <= 65536)
        insist("SH-1", len({shards == 0, pages == 0, self.num_vertices == 0}) == 1)
        in_edges = self.rows("in_row_offsets", "sources", "weights")
        rows = self.numbers("in_row_offsets", 8)
        bounds = self.numbers("vertex_offsets", 4, shards + 1)
        insist("SH-2", bounds[0] == 0 and ascends(bounds, True) and bounds[-1] == self.num_vertices)
        insist("SH-3", all(high - low <= most for low, high in zip(bounds, bounds[1:])))
        replication = self.numbers("replication", 1, shards)
        for s, (low, high) in enumerate(zip(bounds, bounds[1:])):
            insist("SH-4", replication[s] == self.factor(high - low, rows[high] - rows[low]), s)
            insist("SH-5", shared_bytes == 0 or (high - low) * replication[s] * 4 <= shared_bytes, s)
        groups = self.numbers("page_shards", 4, pages + 1)
        insist("SH-6", groups[0] == 0 and ascends(groups, True) and groups[-1] == shards)
        edge_bytes = 6 + self.weight_bytes()
        insist("SH-7", all((rows[bounds[high]] - rows[bounds[low]]) * edge_bytes <= page_bytes
                           for low, high in zip(groups, groups[1:])))
        first = [low for low, high in zip(bounds, bounds[1:]) for _ in range(low, high)]
        insist("SH-8", self.numbers("destination_offsets", 2, self.num_edges)
               == [vertex - first[vertex] for vertex, _, _ in in_edges])
        edges = reversed_edges(in_edges)
        insist("SH-9", {self.has("out_row_offsets"), self.has("out_destinations")} == {not self.undirected})
        if not self.undirected:
            out = self.rows("out_row_offsets", "out_destinations")
            insist("SH-11", [edge[:2] for edge in out] == [edge[:2] for edge in edges])
        return edges

    @staticmethod
    def factor(vertices, edges):
        return next((r for r in (1, 2, 4, 8, 16) if edges**2 <= 2 * r**2 * vertices**2), 32)


class Hybrid(Layout):
    name = "hybrid"
    parts = ("ell_columns", "ell_weights", "coo_starts", "coo_rows", "coo_columns", "coo_weights")
    sections = ("out_degrees", *("in_" + part for part in parts), *("out_" + part for part in parts))
    num_parameters = 3
    finite, symmetric = "HY-9", "HY-12"

    def read(self):
        directions, *widths = self.container.parameters[:3]
        insist("HY-1", 1 <= directions <= 3 and not (directions == 3 and self.undirected))
        found = []
        for bit, prefix, width in ((1, "in_", widths[0]), (2, "out_", widths[1])):
            there = any(self.has(prefix + part) for part in self.parts)
            insist("HY-1", there == bool(directions & bit) and (there or width == 0) and width < 2**32, prefix)
            if there:
                edges = self.read_matrix(prefix, width)
                insist("HY-8", len(edges) == self.num_edges)
                found.append(reversed_edges(edges) if bit == 1 else by_source(edges))
        insist("HY-11", all(edges == found[0] for edges in found))
        self.check_degrees("HY-10", found[0])
        return found[0]

    def read_matrix(self, prefix, width):
        vertices, pitch = self.num_vertices, ceil_div(self.num_vertices, 32) * 32
        columns = self.numbers(prefix + "ell_columns", 4, width * pitch)
        weights = self.weights(prefix + "ell_weights", width * pitch)
        insist("HY-9", all(not weight for column, weight in zip(columns, weights) if column == NOBODY))
        rows = [[(columns[k * pitch + v], weights[k * pitch + v]) for k in range(width)] for v in range(pitch)]
        for v, row in enumerate(rows):
            length = next((k for k, (column, _) in enumerate(row) if column == NOBODY), width)
            insist("HY-3", all(column == NOBODY for column, _ in row[length:]) and (v < vertices or length == 0), v)
            insist("HY-3", all(column < vertices for column, _ in row[:length]), v)
            insist("HY-4", ascends([column for column, _ in row[:length]]), v)
            del row[length:]
        for v, column, weight in self.read_list(prefix):
            insist("HY-7", len(rows[v]) >= width and (width == 0 or rows[v][width - 1][0] <= column), v)
            rows[v].append((column, weight))
        return [(v, column, weight) for v, row in enumerate(rows) for column, weight in row]

    def read_list(self, prefix):
        rows = self.numbers(prefix + "coo_rows", 4)
        columns = self.numbers(prefix + "coo_columns", 4, len(rows))
        weights = self.weights(prefix + "coo_weights", len(rows))
        starts = self.numbers(prefix + "coo_starts", 8, ceil_div(self.num_vertices, RANGE) + 1)
        insist("HY-2", starts[0] == 0 and ascends(starts) and starts[-1] == len(rows))
        held = Counter(row // RANGE for row in rows)
        insist("HY-2", all(row < self.num_vertices for row in rows)
               and all(high - low == held[r] for r, (low, high) in enumerate(zip(starts, starts[1:]))))
        insist("HY-5", ascends(rows))
        insist("HY-6", all(column < self.num_vertices for column in columns)
               and all(rows[i] != rows[i + 1] or columns[i] <= columns[i + 1] for i in range(len(rows) - 1)))
        return zip(rows, columns, weights)


class Packed(Layout):
    name = "packed"
    parts = ("tile_rows", "tile_edges", "tile_starts", "words", "weights")
    sections = ("out_degrees", *("in_" + part for part in parts), *("out_" + part for part in parts), "weight_values")
    num_parameters = 2
    finite, symmetric = "PK-9", "PK-12"

    def read(self):
        directions = self.container.parameters[0]
        insist("PK-1", 1 <= directions <= 3 and (directions == 2 or not (self.undirected or self.container.rectangular)))
        insist("PK-1", self.has("out_degrees") == (directions == 1))
        self.values = self.read_values(self.container.parameters[1])
        found = []
        for bit, prefix in ((1, "in_"), (2, "out_")):
            insist("PK-1", any(self.has(prefix + part) for part in self.parts) == bool(directions & bit), prefix)
            if directions & bit:
                edges = self.read_tiles(prefix)
                found.append(reversed_edges(edges) if bit == 1 else by_source(edges))
        insist("PK-11", all(edges == found[0] for edges in found))
        if directions == 1:
            self.check_degrees("PK-10", found[0])
        return found[0]

    def read_values(self, kind):
        """What codes of weights stand for; None where they are plain."""
        weight_type = self.container.weight_type
        insist("PK-13", kind in ((0,), (0, 1, 2), (0, 2), (0, 1, 2), (0, 2))[weight_type] and
               self.has("weight_values") == (kind > 0))
        if kind == 0:
            return None
        section = self.container.sections["weight_values"]
        insist("PK-14", 1 <= section.count <= 65536)
        values = self.weights("weight_values", section.count)
        if kind == 1:
            insist("PK-14", len(values) == 2 and 0 <= values[1] - values[0] < 2**32)
            return range(values[0], values[1] + 1)
        whole = [int.from_bytes(struct.pack("<" + " Ifqd"[weight_type], value), "little") for value in values]
        insist("PK-14", all(low < high for low, high in zip(whole, whole[1:])))
        return values

    def read_weights(self, name):
        if self.values is None:
            return self.weights(name, self.num_edges)
        width = (len(self.values) - 1).bit_length()
        words = self.numbers(name, 4, ceil_div(self.num_edges * width, 32) + 2)
        bits = int.from_bytes(struct.pack("<%dI" % len(words), *words), "little")
        codes = [bits >> width * edge & (1 << width) - 1 for edge in range(self.num_edges)]
        insist("PK-15", bits >> width * self.num_edges == 0 and all(code < len(self.values) for code in codes))
        return [self.values[code] for code in codes]

    def read_tiles(self, prefix):
        rows = self.numbers(prefix + "tile_rows", 4)
        edges = self.numbers(prefix + "tile_edges", 8, len(rows))
        starts = self.numbers(prefix + "tile_starts", 8, len(rows))
        words = self.numbers(prefix + "words", 4)
        weights = self.read_weights(prefix + "weights")
        insist("PK-2", len(rows) > 0 and rows[0] == 0 and ascends(rows) and rows[-1] == self.num_rows)
        insist("PK-3", edges[0] == 0 and ascends(edges) and edges[-1] == self.num_edges)
        insist("PK-4", starts[0] == 0 and ascends(starts) and starts[-1] == len(words) - 8 and not any(words[-8:]))
        found = []
        for tile, (row, following) in enumerate(zip(rows, rows[1:])):
            range_end = min((row // RANGE + 1) * RANGE, self.num_rows)
            insist("PK-2", row < self.num_rows and following <= range_end, tile)
            count = edges[tile + 1] - edges[tile]
            insist("PK-3", count <= 2048 and (count == 2048 or following == range_end), tile)
            some = struct.pack("<%dI" % (starts[tile + 1] - starts[tile]), *words[starts[tile]:starts[tile + 1]])
            num_rows = following - row + (following < range_end)
            for at, column in self.read_tile(some, self.first_row + row, num_rows, count):
                insist("PK-8", column < self.num_vertices, tile)
                insist("PK-8", not found or found[-1][0] != at or found[-1][1] <= column, tile)
                found.append((at, column, weights[len(found)]))
        return found

    @staticmethod
    def read_tile(data, row, num_rows, num_edges):
        """[(row, column)] of a tile's bytes."""
        gap_codes = 16 + ceil_div(num_rows, 8)
        codes_end = gap_codes + ceil_div(num_edges, 8)
        numbers = ceil_div(codes_end, 4) * 4
        insist("PK-6", len(data) >= numbers)
        least, widths = data[0], [0, *data[1:16]]
        bits, at = int.from_bytes(data, "little"), 8 * numbers
        insist("PK-5", least <= 1 and max(widths) <= 32)

        def groups(first_code, count, width_of, most):
            nonlocal at
            codes = [data[first_code + i // 2] >> 4 * (i % 2) & 15 for i in range(2 * ceil_div(count, 8))]
            insist("PK-5", not any(codes[ceil_div(count, 4):]))
            values = []
            for code in codes[:ceil_div(count, 4)]:
                width = width_of(code)
                insist("PK-5", width <= most)
                values += [bits >> at + i * width & (1 << width) - 1 for i in range(4)]
                at += 4 * width
            return values[:count], values[count:]

        lengths, beyond = groups(16, num_rows, lambda code: code, 12)
        gaps, more = groups(gap_codes, num_edges, widths.__getitem__, 32)
        insist("PK-6", len(data) == ceil_div(at, 32) * 4 and bits >> at == 0 and not any(data[codes_end:numbers]))
        insist("PK-6", not any(beyond) and not any(more))
        insist("PK-7", sum(lengths) == num_edges)
        found, gaps = [], iter(gaps)
        for i, length in enumerate(lengths):
            for k in range(length):
                gap = next(gaps)
                step = gap + least if k else (row + i + (gap // 2 if gap % 2 == 0 else -(gap + 1) // 2))
                column = (step + (column if k else 0)) % 2**32
                found.append((row + i, column))
        return found


READERS = {reader.name: reader for reader in (Graph, BlockedCsr, EdgePartitions, SlottedPages, Shards, Hybrid, Packed)}


def read_layout(container):
    insist("C-7", container.layout in READERS)
    return READERS[container.layout](container)
