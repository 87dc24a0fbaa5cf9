/* Opening, checking, describing and giving back a container of any bytes. Every input is tried as
 * it is and with checksums made to fit, so that the rules behind them are reached too. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "formats/container.h"
#include "formats/container_disk.h"
#include "formats/layouts.h"
#include "fuzz/fuzz.h"

/* Whatever passes the checks can be walked, and restored to a graph of the same size. */
static void walk(const struct qn_container *container, const struct qn_layout_operations *layout) {
  struct qn_error error;
  struct qn_graph graph;
  const struct qn_container_info *info = qn_container_info(container);
  if (layout->restore(container, &graph, &error))
    return;
  FUZZ_PROMISE(graph.out.num_vertices == info->num_vertices);
  uint64_t edges = 0;
  for (uint64_t v = 0; v < graph.out.num_vertices; v++)
    for (uint64_t e = graph.out.row_offsets[v]; e < graph.out.row_offsets[v + 1]; e++, edges++)
      FUZZ_PROMISE(graph.out.column_indices[e] < info->num_vertices);
  FUZZ_PROMISE(edges == info->num_edges);
  qn_graph_unmap(&graph);
}

static void open_and_use(const uint8_t *data, size_t size) {
  struct qn_error error;
  struct qn_container *container;
  const struct qn_layout_operations *layout;
  if (qn_container_map(fuzz_file(data, size), QN_MAP_ARCHIVE, &container, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return;
  }
  json_t *description;
  if (!qn_container_describe(container, &description, &error))
    json_decref(description);
  (void)qn_container_verify(container, &error);
  if (!(qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE) &&
      !qn_layout_operations(container, &layout, &error) && !layout->check(container, &error))
    walk(container, layout);
  qn_container_unmap(container);
}

static void reseal_sections(uint8_t *data, uint64_t table_offset, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct qn_disk_section section;
    uint8_t *entry = data + table_offset + i * sizeof section;
    memcpy(&section, entry, sizeof section);
    if (section.offset > table_offset || section.stored_bytes > table_offset - section.offset)
      continue;
    section.stored_checksum = qn_chunked_checksum(data + section.offset, section.stored_bytes);
    if (section.codec == QN_CODEC_NONE && section.filter == QN_FILTER_NONE)
      section.checksum = section.stored_checksum;
    memcpy(entry, &section, sizeof section);
  }
}

/* Make every checksum fit, as far as header and table can be found at all. */
static bool reseal(uint8_t *data, size_t size) {
  struct qn_disk_header header;
  struct qn_disk_footer footer = {.signature = QN_SIGNATURE};
  if (size < sizeof header + sizeof footer)
    return false;
  memcpy(&header, data, sizeof header);
  header.file_bytes = size;
  uint64_t table_bytes = (uint64_t)header.num_sections * sizeof(struct qn_disk_section);
  if (table_bytes > size - sizeof header - sizeof footer)
    return false;
  uint64_t table_offset = size - sizeof footer - table_bytes;
  reseal_sections(data, table_offset, header.num_sections);
  header.table_checksum = XXH3_64bits(data + table_offset, table_bytes);
  header.checksum = XXH3_64bits(&header, offsetof(struct qn_disk_header, checksum));
  footer.file_bytes = header.file_bytes;
  footer.table_checksum = header.table_checksum;
  footer.header_checksum = header.checksum;
  footer.checksum = XXH3_64bits(&footer, offsetof(struct qn_disk_footer, checksum));
  memcpy(data, &header, sizeof header);
  memcpy(data + size - sizeof footer, &footer, sizeof footer);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  open_and_use(data, size);
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    exit(5);
  memcpy(copy, data, size);
  if (reseal(copy, size))
    open_and_use(copy, size);
  free(copy);
  return 0;
}
