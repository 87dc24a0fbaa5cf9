"""Pages of slotted pages in archive form, decoded as specs/archive.md says."""

import struct

from conformance.archive_reader import (FRAME_BYTES, RowsInBits, frame_places, from_gaps, insist, leading_varints,
                                        unpacked_all, unshuffled, words)

PAGE_GAPS, PAGE_ROWS = 6, 7


class Paging:
    """What slotted pages say outside of the pages."""

    def __init__(self, container):
        self.page_bytes, self.p, self.q, self.pages = container.parameters[:4]
        self.starts, self.ranges, self.edges = map(container.array, ("start_vids", "lp_ranges", "edge_offsets"))
        insist("A-1", container.weight_type < 3)
        self.num_vertices, self.weighted = container.num_vertices, container.weight_type != 0
        first_pages = [i for i in range(self.pages) if i == 0 or self.ranges[i - 1] <= 0]
        self.address = {self.starts[i] + slot: (i, slot) for i in first_pages for slot in range(self.slots(i))}

    def slots(self, page):
        return 1 if self.ranges[page] >= 0 else self.starts[page + 1] - self.starts[page]

    def page(self, page, degrees, destinations, weights):
        """Its bytes; takes what is on it from the three."""
        records, slots, edges = b"", b"", 0
        for slot in range(self.slots(page)):
            degree = next(degrees)
            edges += degree
            slots = struct.pack("<IHI", self.starts[page] + slot, 0, len(records)) + slots
            records += struct.pack("<I", degree)
            for _ in range(degree):
                at, number = self.address[next(destinations)]
                records += at.to_bytes(self.p, "little") + number.to_bytes(self.q, "little")
            records += b"".join(next(weights) for _ in range(degree if self.weighted else 0))
        insist("A-3", edges == self.edges[page + 1] - self.edges[page], "degrees of a page")
        return records + bytes(self.page_bytes - len(records) - len(slots)) + slots


def decoded_paged_frame(frame, kind, pages, paging):
    slots, edges = sum(map(paging.slots, pages)), paging.edges[pages[-1] + 1] - paging.edges[pages[0]]
    content = unpacked_all(frame, 2**27)
    degrees, at = leading_varints(content, 0, slots)
    insist("A-3", sum(degrees) == edges, "degrees")
    weights = b""
    if paging.weighted:
        insist("A-3", len(content) >= at + 4 * edges, "weights")
        weights, at = unshuffled(content[at:at + 4 * edges], 4), at + 4 * edges
    if kind == PAGE_GAPS:
        destinations = words(from_gaps(content[at:]))
    else:
        insist("A-3", len(content) >= at + 4)
        rows = RowsInBits(struct.unpack_from("<I", content, at)[0], content[at + 4:], paging.num_vertices)
        destinations = [column for degree in degrees for column in rows.row(0, degree)]
        rows.insist_end()
    insist("A-3", len(destinations) == edges and all(v < paging.num_vertices for v in destinations), "destinations")
    parts = iter(degrees), iter(destinations), (weights[i:i + 4] for i in range(0, len(weights), 4))
    return b"".join(paging.page(page, *parts) for page in pages)


def decoded_pages(section, stored, container):
    insist("A-1", container.layout == "slotted-pages" and section.name == "pages" and section.element_bytes == 1
           and 0 < container.parameters[0] <= 2**26, section.name)
    paging = Paging(container)
    insist("A-5", section.count == paging.pages * paging.page_bytes, section.name)
    whole = max(1, FRAME_BYTES // paging.page_bytes)
    out, first = b"", 0
    for begin, end, length in frame_places(section, stored, section.count, whole * paging.page_bytes):
        pages = range(first, first + length // paging.page_bytes)
        out += decoded_paged_frame(stored[begin:end], section.filter, pages, paging)
        first = pages.stop
    return out
