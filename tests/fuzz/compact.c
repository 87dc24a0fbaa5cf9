#include "fuzz/compact.h"

#include <stdbool.h>
#include <string.h>

#include "formats/container/container_disk.h"
#include "fuzz/fuzz_seal.h"
#include <quern/container.h>

const char *const fuzz_section_names[] = {"row_offsets",
                                          "column_indices",
                                          "weights",
                                          "in_row_offsets",
                                          "in_column_indices",
                                          "in_weights",
                                          "original_ids",
                                          "id_offsets",
                                          "id_bytes",
                                          "metadata",
                                          "chunk_hashes",
                                          "out_degrees",
                                          "pull_block_rows",
                                          "pull_block_edges",
                                          "pull_range_starts",
                                          "pull_id_map",
                                          "pull_row_offsets",
                                          "pull_columns",
                                          "pull_weights",
                                          "push_block_rows",
                                          "push_block_edges",
                                          "push_range_starts",
                                          "push_id_map",
                                          "push_row_offsets",
                                          "push_columns",
                                          "push_weights",
                                          "edge_offsets",
                                          "prefix_offsets",
                                          "new_to_old",
                                          "sources",
                                          "destinations",
                                          "in_ell_columns",
                                          "in_ell_weights",
                                          "in_coo_starts",
                                          "in_coo_rows",
                                          "in_coo_columns",
                                          "in_coo_weights",
                                          "out_ell_columns",
                                          "out_ell_weights",
                                          "out_coo_starts",
                                          "out_coo_rows",
                                          "out_coo_columns",
                                          "out_coo_weights",
                                          "vertex_offsets",
                                          "replication",
                                          "page_shards",
                                          "destination_offsets",
                                          "out_row_offsets",
                                          "out_destinations",
                                          "start_vids",
                                          "lp_ranges",
                                          "pages",
                                          "run",
                                          "registers",
                                          "values",
                                          "active",
                                          "waiting",
                                          "unheard_of",
                                          "in_tile_rows",
                                          "in_tile_edges",
                                          "in_tile_starts",
                                          "in_words",
                                          "out_tile_rows",
                                          "out_tile_edges",
                                          "out_tile_starts",
                                          "out_words",
                                          "out_weights",
                                          "weight_values",
                                          "properties",
                                          "property_v0",
                                          "property_v0_offsets",
                                          "property_v0_valid",
                                          "property_e0",
                                          "property_e0_valid",
                                          NULL};

#define NUM_NAMES (sizeof fuzz_section_names / sizeof fuzz_section_names[0] - 1)
#define HEAD 24
#define ENTRY 16
#define ALIGN 4096

/* What is read of the input, and what is written. */
struct expansion {
  const uint8_t *next, *end;
  uint8_t *out;
  size_t bytes;
  bool failed;
};

static uint8_t image[FUZZ_MOST_BYTES + ALIGN];
static size_t used; /* of the image, not zero any more */

static const uint8_t *take(struct expansion *expansion, size_t bytes) {
  static const uint8_t nothing[HEAD];
  expansion->failed |= bytes > (size_t)(expansion->end - expansion->next);
  if (expansion->failed)
    return nothing;
  expansion->next += bytes;
  return expansion->next - bytes;
}

static uint64_t take_u64(struct expansion *expansion) {
  uint64_t value;
  memcpy(&value, take(expansion, sizeof value), sizeof value);
  return value;
}

static uint32_t take_u32(struct expansion *expansion) {
  uint32_t value;
  memcpy(&value, take(expansion, sizeof value), sizeof value);
  return value;
}

/* Room for so many bytes at the end of what is written. */
static uint8_t *grow(struct expansion *expansion, size_t bytes) {
  expansion->failed |= bytes > FUZZ_MOST_BYTES - expansion->bytes;
  if (expansion->failed)
    return image;
  expansion->bytes += bytes;
  return expansion->out + expansion->bytes - bytes;
}

static void put(struct expansion *expansion, const void *data, size_t bytes) {
  uint8_t *at = grow(expansion, bytes);
  if (!expansion->failed && bytes)
    memcpy(at, data, bytes);
}

/* A zstd frame of one raw block (RFC 8878, 3.1.1): single segment, content size of 4 bytes. */
static void put_frame(struct expansion *expansion, size_t bytes) {
  enum { MOST = 1 << 17 };
  const uint8_t head[5] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0};
  const uint32_t size = (uint32_t)bytes, block = 1 | size << 3;
  expansion->failed |= bytes > MOST;
  put(expansion, head, sizeof head);
  put(expansion, &size, sizeof size);
  put(expansion, &block, 3);
  put(expansion, take(expansion, bytes), bytes);
}

static void expand_frames(struct expansion *expansion, const uint8_t *entry) {
  const uint64_t num_frames = entry[7], reserved = 0;
  const bool strips = entry[6] & QN_SECTION_STRIPS;
  const size_t begin = expansion->bytes, index_entry = strips ? 16 : 8;
  put(expansion, take(expansion, 16), 16);
  put(expansion, &num_frames, 8);
  put(expansion, &reserved, 8);
  uint8_t *index = grow(expansion, (num_frames + 1) * index_entry);
  uint32_t strip = 0;
  for (uint64_t i = 0; i <= num_frames && !expansion->failed; i++) {
    const uint64_t offset = expansion->bytes - begin;
    memcpy(index + i * index_entry, &offset, 8);
    const bool last = i == num_frames;
    const uint32_t bytes = last ? 0 : take_u32(expansion);
    if (strips) {
      strip = last ? strip + 1 : take_u32(expansion);
      const uint32_t count = last ? 0 : take_u32(expansion);
      memcpy(index + i * index_entry + 8, &strip, 4);
      memcpy(index + i * index_entry + 12, &count, 4);
    }
    if (!last && !(strips && bytes == 0))
      put_frame(expansion, bytes);
  }
}

static void expand_section(struct expansion *expansion, const uint8_t *entry,
                           struct qn_disk_section *section) {
  uint16_t element_bytes;
  uint32_t bytes, count;
  memcpy(&element_bytes, entry + 2, 2);
  memcpy(&bytes, entry + 8, 4);
  memcpy(&count, entry + 12, 4);
  grow(expansion, (ALIGN - expansion->bytes % ALIGN) % ALIGN);
  *section = (struct qn_disk_section){.element_type = entry[1],
                                      .element_bytes = element_bytes,
                                      .count = count,
                                      .offset = expansion->bytes,
                                      .logical_bytes = (uint64_t)count * element_bytes,
                                      .codec = entry[4],
                                      .filter = entry[5],
                                      .align_log2 = 12,
                                      .flags = entry[6]};
  memcpy(section->name, fuzz_section_names[entry[0] % NUM_NAMES],
         strlen(fuzz_section_names[entry[0] % NUM_NAMES]));
  if (entry[4] == QN_CODEC_ZSTD_FRAMES)
    expand_frames(expansion, entry);
  else
    put(expansion, take(expansion, bytes), bytes);
  section->stored_bytes = expansion->bytes - section->offset;
}

static void expand_header(struct expansion *expansion, unsigned layout, const uint8_t *head) {
  struct qn_disk_header header = {.signature = QN_SIGNATURE,
                                  .version_major = QN_VERSION_MAJOR,
                                  .header_bytes = QN_HEADER_BYTES,
                                  .layout = layout ? layout : head[0],
                                  .weight_type = head[1],
                                  .directedness = head[2],
                                  .incompatible_features = head[3],
                                  .compatible_features = head[4],
                                  .num_sections = head[6]};
  memcpy(&header.num_vertices, head + 8, 8);
  memcpy(&header.num_edges, head + 16, 8);
  for (unsigned i = 0; i < head[5] % (QN_NUM_PARAMETERS + 1u); i++)
    header.parameters[i] = take_u64(expansion);
  if (header.incompatible_features & QN_FEATURE_RECTANGULAR) {
    header.num_rows = take_u64(expansion);
    header.first_row = take_u64(expansion);
  }
  put(expansion, &header, sizeof header);
}

uint8_t *fuzz_expand(const uint8_t *data, size_t size, unsigned layout, size_t *bytes) {
  struct expansion expansion = {.next = data, .end = data + size, .out = image};
  memset(image, 0, used);
  used = 0;
  const uint8_t *head = take(&expansion, HEAD);
  if (expansion.failed)
    return NULL;
  expand_header(&expansion, layout, head);
  const unsigned num_sections = head[6];
  const uint8_t *entries = take(&expansion, num_sections * (size_t)ENTRY);
  static struct qn_disk_section sections[256];
  for (unsigned i = 0; i < num_sections && !expansion.failed; i++)
    expand_section(&expansion, entries + i * ENTRY, &sections[i]);
  grow(&expansion, (ALIGN - expansion.bytes % ALIGN) % ALIGN);
  const uint64_t table_offset = expansion.bytes;
  put(&expansion, sections, num_sections * sizeof sections[0]);
  grow(&expansion, sizeof(struct qn_disk_footer));
  used = expansion.bytes;
  if (expansion.failed)
    return NULL;
  memcpy(image + offsetof(struct qn_disk_header, table_offset), &table_offset, sizeof table_offset);
  fuzz_seal(image, expansion.bytes);
  *bytes = expansion.bytes;
  return image;
}
