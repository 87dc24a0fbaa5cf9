/* Containers changed on purpose: make every checksum right again, so that only the rules behind
 * the checksums can refuse them. */
#pragma once

#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include <quern/container.h>

/* The checksums of the contents of sections that lie within the file: after a change there. */
static inline void seal_sections(uint8_t *bytes, size_t size) {
  struct qn_disk_header header;
  memcpy(&header, bytes, sizeof header);
  for (uint32_t i = 0; i < header.num_sections; i++) {
    struct qn_disk_section entry;
    uint8_t *at = bytes + header.table_offset + i * sizeof entry;
    memcpy(&entry, at, sizeof entry);
    if (entry.offset > size || entry.stored_bytes > size - entry.offset)
      continue;
    entry.stored_checksum = qn_chunked_checksum(bytes + entry.offset, entry.stored_bytes);
    if (entry.codec == QN_CODEC_NONE)
      entry.checksum = entry.stored_checksum;
    memcpy(at, &entry, sizeof entry);
  }
}

/* The checksums of table, header and footer: after a change in one of them. */
static inline void seal_frame(uint8_t *bytes, size_t size) {
  struct qn_disk_header header;
  struct qn_disk_footer footer;
  memcpy(&header, bytes, sizeof header);
  uint64_t table_bytes = (uint64_t)header.num_sections * sizeof(struct qn_disk_section);
  if (header.table_offset < size && table_bytes <= size - header.table_offset)
    header.table_checksum = XXH3_64bits(bytes + header.table_offset, table_bytes);
  header.checksum = XXH3_64bits(&header, offsetof(struct qn_disk_header, checksum));
  memcpy(bytes, &header, sizeof header);
  memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
  footer.file_bytes = header.file_bytes;
  footer.table_checksum = header.table_checksum;
  footer.header_checksum = header.checksum;
  footer.checksum = XXH3_64bits(&footer, offsetof(struct qn_disk_footer, checksum));
  memcpy(bytes + size - sizeof footer, &footer, sizeof footer);
}
