/* Checksums of containers of any bytes, so that the rules behind them are reached. */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include <quern/container.h>

static inline void fuzz_seal_sections(uint8_t *data, uint64_t table_offset, uint32_t count) {
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
static inline bool fuzz_seal(uint8_t *data, size_t size) {
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
  fuzz_seal_sections(data, table_offset, header.num_sections);
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
