/* Opening containers: header, table and footer are judged in a private copy before use. */
#include <quern/container.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include "formats/container/opened.h"
#include "formats/container/stripes.h"
#include "formats/container/verifier.h"
#include "support/atomic_file.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/remote/remote.h"
#include "support/temp_file.h"
#include "support/text/url.h"
#include "support/used_files.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "containers are little-endian and used in place: this host needs byte swapping"
#endif

/* What an opening works on: the file and the private copies of its frame. */
struct frame {
  const char *path;
  int descriptor;
  bool whole; /* the container is all of the file at `path` */
  struct qn_stripes *stripes;
  struct qn_remote_copy *afar; /* the container is on a server */
  struct qn_file_state state;
  uint64_t base; /* where the container begins in the file */
  uint64_t actual_bytes;
  struct qn_disk_header header;
  struct qn_disk_section *table;
  struct qn_disk_footer footer;
};

static enum qn_status invalid_at(struct qn_error *error, const struct frame *frame, uint64_t offset,
                                 const char *rule, const char *what) {
  qn_fail(error, QN_INVALID, "%s: %s", rule, what);
  if (frame->stripes)
    qn_stripes_error_at(frame->stripes, offset, error);
  else
    qn_error_at_offset(error, frame->path, offset);
  return QN_INVALID;
}

static enum qn_status read_at(const struct frame *frame, void *into, uint64_t bytes,
                              uint64_t offset, struct qn_error *error) {
  if (frame->afar)
    return qn_remote_copy_read(frame->afar, into, bytes, offset, error);
  if (frame->stripes)
    return qn_stripes_read(frame->stripes, into, bytes, offset, error);
  return qn_read_at(frame->descriptor, frame->path, into, bytes, frame->base + offset, error);
}

bool qn_all_zero(const void *memory, uint64_t bytes) {
  const uint8_t *byte = memory;
  if (bytes == 0)
    return true;
  return byte[0] == 0 && memcmp(byte, byte + 1, bytes - 1) == 0;
}

/* The first member's name and the signature of tar, where the first bytes of a bundle have them. */
static bool begins_a_bundle(const uint8_t *bytes, uint64_t present) {
  return present >= 512 && memcmp(bytes, QN_BUNDLE_MANIFEST, sizeof QN_BUNDLE_MANIFEST) == 0 &&
         memcmp(bytes + 257, "ustar", 5) == 0;
}

/* The signature's bytes each betray one kind of damage in transfer. */
static enum qn_status check_signature(const struct frame *frame, const uint8_t *bytes,
                                      uint64_t present, struct qn_error *error) {
  static const uint8_t expected[8] = QN_SIGNATURE;
  uint64_t shorter = present < 8 ? present : 8;
  const char *what = "this is not a Quern container; quern-import makes one of a graph";
  if (present == 0)
    what = "the file is empty; a container was expected";
  else if (qn_stripes_begin(bytes, present))
    what = "this is the main file of a striped container, which is opened by its name";
  else if (qn_stripe_begins(bytes, present))
    what = "this is one stripe of a container: name its main file";
  else if (begins_a_bundle(bytes, present))
    what =
        "this is a bundle: name one of its members as BUNDLE:MEMBER; quern-archive list shows them";
  else if (memcmp(bytes, expected, shorter) == 0)
    return present >= 8 ? QN_OK
                        : invalid_at(error, frame, present, "C-1", "truncated in the signature");
  else if (present >= 4 && bytes[0] == (expected[0] & 0x7f) && !memcmp(bytes + 1, "QRN", 3))
    what = "damaged in transfer: the eighth bit of every byte was cleared";
  else if (present >= 8 && !memcmp(bytes, "\x89QRN\n", 5))
    what = "damaged in transfer: CR LF was turned into LF; copy the file in binary mode";
  else if (present >= 8 && !memcmp(bytes, "\x89QRN\r\n\x1a\r", 8))
    what = "damaged in transfer: LF was turned into CR LF; copy the file in binary mode";
  else if (present >= 4 && !memcmp(bytes, "\x89QRN", 4))
    what = "the signature is damaged";
  return invalid_at(error, frame, 0, "C-1", what);
}

/* Of the header `present` bytes are there. */
static enum qn_status check_header(const struct frame *frame, uint64_t present,
                                   struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  enum qn_status status = check_signature(frame, (const uint8_t *)header, present, error);
  if (status)
    return status;
  if (present < sizeof *header)
    return invalid_at(error, frame, present, "C-2", "truncated in the header");
  if (XXH3_64bits(header, offsetof(struct qn_disk_header, checksum)) != header->checksum)
    return invalid_at(error, frame, 0, "C-3", "the header is corrupt: its checksum does not match");
  return QN_OK;
}

static enum qn_status read_header(struct frame *frame, struct qn_error *error) {
  struct qn_disk_header *header = &frame->header;
  memset(header, 0, sizeof *header);
  uint64_t present = frame->actual_bytes < sizeof *header ? frame->actual_bytes : sizeof *header;
  enum qn_status status = read_at(frame, header, present, 0, error);
  return status ? status : check_header(frame, present, error);
}

static enum qn_status unsupported(struct qn_error *error, const struct frame *frame) {
  return qn_error_in_file(error, frame->path), QN_UNSUPPORTED;
}

static enum qn_status check_versions(const struct frame *frame, unsigned flags,
                                     struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  /* A greater minor version adds what may be ignored, or says with a bit that it may not. */
  if (header->version_major != QN_VERSION_MAJOR) {
    qn_fail(error, QN_UNSUPPORTED,
            "C-4: container version %u.%u; this build reads version %u: install a newer Quern",
            header->version_major, header->version_minor, QN_VERSION_MAJOR);
    return unsupported(error, frame);
  }
  uint64_t unknown = header->incompatible_features & ~QN_KNOWN_INCOMPATIBLE;
  if (!(header->incompatible_features & QN_FEATURE_ARCHIVE)) /* nothing is encoded */
    unknown |= header->incompatible_features & QN_ENCODED_FEATURES;
  if (unknown) {
    qn_fail(error, QN_UNSUPPORTED,
            "C-5: the container needs the unknown feature bits 0x%" PRIx64
            ": install a newer Quern",
            unknown);
    return unsupported(error, frame);
  }
  if ((header->incompatible_features & QN_FEATURE_ARCHIVE) && !(flags & QN_MAP_ARCHIVE)) {
    qn_fail(error, QN_UNSUPPORTED,
            "this is the archive form of a container; unpack it first: quern-archive extract");
    return unsupported(error, frame);
  }
  if ((header->incompatible_features & QN_FEATURE_RECTANGULAR) && !(flags & QN_MAP_RECTANGULAR)) {
    qn_fail(error, QN_UNSUPPORTED,
            "this is a part of a set, which has the rows of some vertices alone; name the folder "
            "of the set");
    return unsupported(error, frame);
  }
  if (!qn_layout_holds_graph(header->layout) && header->layout != QN_LAYOUT_CHECKPOINT) {
    qn_fail(error, QN_UNSUPPORTED, "C-7: unknown layout code %" PRIu32, header->layout);
    return unsupported(error, frame);
  }
  return QN_OK;
}

/* C-27. */
static enum qn_status check_rectangle(const struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  if (!(header->incompatible_features & QN_FEATURE_RECTANGULAR))
    return header->num_rows || header->first_row
               ? invalid_at(error, frame, 88, "C-27",
                            "there are rows of some vertices alone, but no feature bit 4")
               : QN_OK;
  if (header->layout != QN_LAYOUT_GRAPH && header->layout != QN_LAYOUT_PACKED)
    return invalid_at(error, frame, 24, "C-27", "the layout has no rows of some vertices alone");
  if (header->num_rows > UINT32_MAX || header->first_row > UINT32_MAX)
    return invalid_at(error, frame, 88, "C-27", "the rows are more than 2^32 - 1, or not vertices");
  if (header->directedness == QN_UNDIRECTED && header->num_edges > 0)
    return invalid_at(error, frame, 40, "C-27",
                      "rows of some vertices alone are no undirected graph");
  return QN_OK;
}

static enum qn_status check_header_fields(const struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  if (header->header_bytes != QN_HEADER_BYTES)
    return invalid_at(error, frame, 12, "C-2", "the header's size is not 4096");
  if (!qn_all_zero(header->reserved, sizeof header->reserved) ||
      !qn_all_zero(header->reserved_tail, sizeof header->reserved_tail))
    return invalid_at(error, frame, 88, "C-6", "reserved header bytes are not zero");
  if (header->weight_type >= QN_WEIGHT_TYPES)
    return invalid_at(error, frame, 36, "C-8", "unknown weight type");
  bool wide = qn_weight_bytes((enum qn_weight_type)header->weight_type) == 8;
  if (wide != !!(header->incompatible_features & QN_FEATURE_WIDE_WEIGHTS))
    return invalid_at(error, frame, 24, "C-8",
                      wide ? "weights of 8 bytes, but no feature bit 3"
                           : "feature bit 3, but no weights of 8 bytes");
  if (header->directedness > QN_UNDIRECTED)
    return invalid_at(error, frame, 40, "C-9", "unknown directedness");
  if (header->num_sections > QN_MAX_SECTIONS)
    return invalid_at(error, frame, 44, "C-10", "more than 4096 sections");
  if (header->num_vertices > UINT32_MAX)
    return invalid_at(error, frame, 48, "C-11", "more than 2^32 - 1 vertices");
  return check_rectangle(frame, error);
}

static enum qn_status check_length(const struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  if (frame->actual_bytes < header->file_bytes) {
    qn_fail(error, QN_INVALID, "C-12: truncated: %" PRIu64 " of %" PRIu64 " bytes are there",
            frame->actual_bytes, header->file_bytes);
    return qn_error_at_offset(error, frame->path, frame->actual_bytes), QN_INVALID;
  }
  if (frame->actual_bytes > header->file_bytes)
    return invalid_at(error, frame, header->file_bytes, "C-12", "bytes follow the footer");
  uint64_t table_bytes = (uint64_t)header->num_sections * sizeof(struct qn_disk_section);
  uint64_t end;
  if (header->table_offset < QN_HEADER_BYTES ||
      header->table_offset % ((uint64_t)1 << QN_MIN_ALIGN_LOG2) ||
      !qn_add_u64(header->table_offset, table_bytes + sizeof(struct qn_disk_footer), &end) ||
      end != header->file_bytes)
    return invalid_at(error, frame, 72, "C-13",
                      "the section table and the footer do not end where the file does");
  return QN_OK;
}

static enum qn_status read_table_and_footer(struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  uint64_t table_bytes = (uint64_t)header->num_sections * sizeof(struct qn_disk_section);
  uint64_t footer_offset = header->table_offset + table_bytes;
  enum qn_status status =
      qn_alloc(&frame->table, header->num_sections, sizeof *frame->table, "a section table", error);
  if (!status)
    status = read_at(frame, frame->table, table_bytes, header->table_offset, error);
  if (!status)
    status = read_at(frame, &frame->footer, sizeof frame->footer, footer_offset, error);
  if (status)
    return status;
  const struct qn_disk_footer *footer = &frame->footer;
  if (XXH3_64bits(frame->table, table_bytes) != header->table_checksum)
    return invalid_at(error, frame, header->table_offset, "C-14",
                      "the section table is corrupt: its checksum does not match");
  if (memcmp(footer->signature, QN_SIGNATURE, 8) != 0 ||
      XXH3_64bits(footer, offsetof(struct qn_disk_footer, checksum)) != footer->checksum)
    return invalid_at(error, frame, footer_offset, "C-15", "the footer is corrupt");
  if (footer->file_bytes != header->file_bytes ||
      footer->table_checksum != header->table_checksum ||
      footer->header_checksum != header->checksum)
    return invalid_at(error, frame, footer_offset, "C-15", "the footer contradicts the header");
  return qn_all_zero(footer->reserved, sizeof footer->reserved)
             ? QN_OK
             : invalid_at(error, frame, footer_offset, "C-6", "reserved fields are not zero");
}

static bool valid_name(const uint8_t *name) {
  unsigned length = 0;
  while (length < QN_SECTION_NAME_BYTES && name[length]) {
    uint8_t c = name[length];
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
    length++;
  }
  return length > 0 && qn_all_zero(name + length, QN_SECTION_NAME_BYTES - length);
}

static bool valid_element(uint32_t type, uint32_t bytes) {
  switch (type) {
  case QN_ELEMENT_UNSIGNED:
  case QN_ELEMENT_SIGNED:
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  case QN_ELEMENT_FLOAT:
    return bytes == 4 || bytes == 8;
  case QN_ELEMENT_TEXT:
    return bytes == 1;
  case QN_ELEMENT_OPAQUE:
    return bytes >= 1 && bytes <= 4096;
  default:
    return false;
  }
}

/* Strips are of triangles. */
static bool valid_flags(const struct qn_disk_section *entry, uint64_t features) {
  uint8_t known = QN_SECTION_CRITICAL | QN_SECTION_UPPER;
  if (features & QN_FEATURE_STRIPS && entry->flags & QN_SECTION_UPPER)
    known |= QN_SECTION_STRIPS;
  return (entry->flags & ~known) == 0;
}

/* Rows are of strips, and new filters are announced. */
static bool valid_filter(const struct qn_disk_section *entry, uint64_t features) {
  if (entry->filter == QN_FILTER_REFERENCES)
    return features & QN_FEATURE_REFERENCES;
  if (entry->filter > QN_FILTER_ROWS)
    return features & QN_FEATURE_PAGES && entry->filter <= QN_FILTER_PAGE_ROWS;
  return entry->filter < QN_FILTER_ROWS || entry->flags & QN_SECTION_STRIPS;
}

/* A plain section has nothing to say about an encoding. */
static bool valid_encoding(const struct qn_disk_section *entry, uint64_t features) {
  if (entry->codec == QN_CODEC_NONE && entry->filter == QN_FILTER_NONE)
    return entry->stored_bytes == entry->logical_bytes &&
           entry->stored_checksum == entry->checksum && !(entry->flags & QN_SECTION_UPPER);
  return features & QN_FEATURE_ARCHIVE && entry->codec == QN_CODEC_ZSTD_FRAMES &&
         valid_filter(entry, features);
}

static enum qn_status check_section(const struct frame *frame, uint32_t index, uint64_t *end,
                                    struct qn_error *error) {
  const struct qn_disk_section *entry = &frame->table[index];
  uint64_t at = frame->header.table_offset + (uint64_t)index * sizeof *entry;
  uint64_t features = frame->header.incompatible_features;
  uint64_t logical, expected, section_end;
  if (!valid_name(entry->name))
    return invalid_at(error, frame, at, "C-16", "a section's name is malformed");
  for (uint32_t other = 0; other < index; other++)
    if (memcmp(frame->table[other].name, entry->name, QN_SECTION_NAME_BYTES) == 0)
      return invalid_at(error, frame, at, "C-16", "two sections have the same name");
  if (!valid_element(entry->element_type, entry->element_bytes))
    return invalid_at(error, frame, at + 32, "C-17", "a section's element type is unknown");
  if (!qn_mul_u64(entry->count, entry->element_bytes, &logical) || logical != entry->logical_bytes)
    return invalid_at(error, frame, at + 40, "C-17", "a section's count contradicts its length");
  if (entry->align_log2 < QN_MIN_ALIGN_LOG2 || entry->align_log2 > QN_MAX_ALIGN_LOG2)
    return invalid_at(error, frame, at + 74, "C-18", "a section's alignment is out of range");
  if (!qn_align_u64(*end, entry->align_log2, &expected) || entry->offset != expected)
    return invalid_at(error, frame, at + 48, "C-18",
                      "a section does not begin where the one before it ends");
  if (!qn_add_u64(entry->offset, entry->stored_bytes, &section_end) ||
      section_end > frame->header.table_offset)
    return invalid_at(error, frame, at + 56, "C-18", "a section reaches into the section table");
  if (features & QN_FEATURE_ARCHIVE &&
      (entry->codec > QN_CODEC_ZSTD_FRAMES || entry->filter > QN_FILTER_REFERENCES)) {
    qn_fail(error, QN_UNSUPPORTED,
            "C-19: a section has the unknown codec %u or filter %u: install a newer Quern",
            entry->codec, entry->filter);
    return unsupported(error, frame);
  }
  if (!valid_encoding(entry, features))
    return invalid_at(error, frame, at + 72, "C-19", "a section's encoding is inconsistent");
  if (!valid_flags(entry, features) || entry->reserved0 ||
      !qn_all_zero(entry->reserved, sizeof entry->reserved))
    return invalid_at(error, frame, at + 75, "C-6", "reserved bytes of a section are not zero");
  *end = section_end;
  return QN_OK;
}

/* So that counts can be added to and multiplied with small numbers, and that nothing is allocated
 * for what isn't there. A checkpoint counts the edges of a graph that is elsewhere. */
static enum qn_status check_counts(const struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < header->num_sections; i++)
    if (!qn_add_u64(bytes, frame->table[i].logical_bytes, &bytes) || bytes > INT64_MAX)
      return invalid_at(error, frame, header->table_offset, "C-24",
                        "the sections have more than 2^63 - 1 bytes");
  if (header->layout == QN_LAYOUT_CHECKPOINT)
    return QN_OK;
  if (header->layout == QN_LAYOUT_PACKED) /* a bit for each */
    bytes = bytes > INT64_MAX / 8 ? INT64_MAX : 8 * bytes;
  const bool rectangular = header->incompatible_features & QN_FEATURE_RECTANGULAR;
  if ((rectangular ? header->num_rows : header->num_vertices) > bytes)
    return invalid_at(error, frame, 48, "C-24", "the sections cannot hold this many vertices");
  if (header->num_edges > bytes)
    return invalid_at(error, frame, 56, "C-24", "the sections cannot hold this many edges");
  return QN_OK;
}

static enum qn_status check_table(const struct frame *frame, struct qn_error *error) {
  uint64_t end = QN_HEADER_BYTES;
  for (uint32_t i = 0; i < frame->header.num_sections; i++) {
    enum qn_status status = check_section(frame, i, &end, error);
    if (status)
      return status;
  }
  uint64_t table_offset;
  if (!qn_align_u64(end, QN_MIN_ALIGN_LOG2, &table_offset) ||
      table_offset != frame->header.table_offset)
    return invalid_at(error, frame, 72, "C-13",
                      "the section table does not follow the last section");
  return check_counts(frame, error);
}

static enum qn_status refuse_file(const struct frame *frame, struct qn_error *error,
                                  const char *what) {
  qn_fail(error, QN_INVALID, "%s", what);
  return qn_error_in_file(error, frame->path), QN_INVALID;
}

/* What comes is looked at before more of it is kept: it may be endless. A byte more than the header
 * says tells that there are too many. */
static enum qn_status keep_stream(struct frame *frame, struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  uint64_t present, more;
  int kept;
  if (isatty(frame->descriptor))
    return refuse_file(frame, error, "a container cannot come from a terminal");
  enum qn_status status =
      qn_stream_read(frame->descriptor, &frame->header, sizeof frame->header, &present, error);
  if (!status)
    status = check_header(frame, present, error);
  if (!status)
    status = qn_scratch_open(header->file_bytes, &kept, error);
  if (status)
    return status;
  more = header->file_bytes > present ? header->file_bytes - present : 0;
  status = qn_scratch_put(kept, header, present, error);
  if (!status)
    status = qn_scratch_take(kept, frame->descriptor, more + 1, error);
  close(frame->descriptor);
  frame->descriptor = kept;
  return status;
}

/* A container that cannot be mapped where it is, since it comes through a pipe, is kept first. */
static enum qn_status use_descriptor(struct frame *frame, struct qn_error *error) {
  struct stat state;
  enum qn_status status = QN_OK;
  if (frame->descriptor < 0 || fstat(frame->descriptor, &state) != 0) {
    qn_fail_errno(error, "cannot open");
    return qn_error_in_file(error, frame->path), QN_SYSTEM;
  }
  if (S_ISFIFO(state.st_mode) || S_ISCHR(state.st_mode) || S_ISSOCK(state.st_mode))
    status = keep_stream(frame, error);
  else if (!S_ISREG(state.st_mode))
    status = refuse_file(frame, error, "not a regular file; a container was expected");
  if (status && error && !error->file[0])
    qn_error_in_file(error, frame->path);
  if (status)
    return status;
  if (fstat(frame->descriptor, &state) != 0 ||
      !qn_file_state_of(frame->descriptor, &frame->state)) {
    qn_fail_errno(error, "cannot open");
    return qn_error_in_file(error, frame->path), QN_SYSTEM;
  }
  uint64_t size = (uint64_t)state.st_size;
  if (frame->base > size)
    return refuse_file(frame, error, "the file ends before the container in it begins");
  if (frame->actual_bytes > size - frame->base)
    frame->actual_bytes = size - frame->base;
  return QN_OK;
}

/* If the file is the main one of a striped container, open its stripes, whose bytes are those of
 * the container. */
static enum qn_status use_stripes(struct frame *frame, struct qn_error *error) {
  uint8_t begin[8];
  if (!frame->whole || frame->actual_bytes < sizeof begin)
    return QN_OK;
  enum qn_status status = read_at(frame, begin, sizeof begin, 0, error);
  if (status || !qn_stripes_begin(begin, sizeof begin))
    return status;
  status = qn_stripes_open(frame->descriptor, frame->path, &frame->stripes, error);
  if (!status)
    frame->actual_bytes = qn_stripes_bytes(frame->stripes);
  return status;
}

/* ST-8. */
static enum qn_status check_identity(const struct frame *frame, struct qn_error *error) {
  if (!frame->stripes || qn_stripes_identity(frame->stripes) == frame->header.checksum)
    return QN_OK;
  qn_fail(error, QN_INVALID, "ST-8: the stripes hold another container than the main file names");
  return qn_error_in_file(error, frame->path), QN_INVALID;
}

static void describe_container(struct qn_container *container, const struct frame *frame) {
  const struct qn_disk_header *header = &frame->header;
  struct qn_container_info *info = &container->info;
  info->version_major = header->version_major;
  info->version_minor = header->version_minor;
  info->compatible_features = header->compatible_features;
  info->incompatible_features = header->incompatible_features;
  info->layout = (enum qn_layout)header->layout;
  info->weight_type = (enum qn_weight_type)header->weight_type;
  info->directedness = (enum qn_directedness)header->directedness;
  info->num_sections = header->num_sections;
  info->num_vertices = header->num_vertices;
  info->num_edges = header->num_edges;
  info->num_rows = qn_is_rectangular(info) ? header->num_rows : header->num_vertices;
  info->first_row = header->first_row;
  info->file_bytes = header->file_bytes;
  info->header_checksum = header->checksum;
  static_assert(sizeof info->parameters == sizeof header->parameters, "parameters");
  memcpy(info->parameters, header->parameters, sizeof info->parameters);
  for (uint32_t i = 0; i < header->num_sections; i++) {
    const struct qn_disk_section *entry = &frame->table[i];
    struct qn_section *section = &container->sections[i];
    memcpy(section->name, entry->name, QN_SECTION_NAME_BYTES);
    section->name[QN_SECTION_NAME_BYTES] = '\0';
    section->element_type = (enum qn_element_type)entry->element_type;
    section->element_bytes = entry->element_bytes;
    section->count = entry->count;
    section->offset = entry->offset;
    section->stored_bytes = entry->stored_bytes;
    section->logical_bytes = entry->logical_bytes;
    section->codec = entry->codec;
    section->filter = entry->filter;
    section->align_log2 = entry->align_log2;
    section->critical = entry->flags & QN_SECTION_CRITICAL;
    section->upper = entry->flags & QN_SECTION_UPPER;
    section->strips = entry->flags & QN_SECTION_STRIPS;
    section->checksum = entry->checksum;
    section->stored_checksum = entry->stored_checksum;
    section->stored = container->mapping + entry->offset;
    bool plain = entry->codec == QN_CODEC_NONE && entry->filter == QN_FILTER_NONE;
    section->data = plain ? section->stored : NULL;
  }
}

static enum qn_status map_frame(struct qn_container *container, struct frame *frame,
                                struct qn_error *error) {
  uint64_t lead = frame->base % (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t bytes = lead + frame->actual_bytes;
  void *mapped;
  if (frame->afar) {
    char name[64];
    snprintf(name, sizeof name, "%016" PRIx64 "-%" PRIu64 ".qrn", frame->header.checksum,
             frame->actual_bytes);
    enum qn_status status = qn_remote_copy_map(frame->afar, name, &mapped, error);
    if (status)
      return status;
    container->mapped = mapped;
    container->mapped_bytes = bytes;
    container->mapping = mapped;
    container->afar = frame->afar; /* which now goes with it */
    frame->afar = NULL;
    return QN_OK;
  }
  if (frame->stripes) {
    enum qn_status status = qn_stripes_map(frame->stripes, &mapped, error);
    container->mapped = mapped;
    container->mapped_bytes = bytes;
    container->mapping = mapped;
    return status;
  }
  mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, frame->descriptor, (off_t)(frame->base - lead));
  if (mapped == MAP_FAILED) {
    qn_fail_errno(error, "cannot map");
    return qn_error_in_file(error, frame->path), QN_SYSTEM;
  }
  container->mapped = mapped;
  container->mapped_bytes = bytes;
  container->mapping = (const uint8_t *)mapped + lead;
  return QN_OK;
}

/* Whatever was found before. The checksums to compare with are those of the private table. */
static bool is_intact(const void *user) {
  const struct qn_container *container = user;
  struct qn_error ignored;
  qn_verifier_forget(container->verifier);
  return qn_container_verify(container, &ignored) == QN_OK;
}

/* Takes the frame's descriptor and stripes. */
static void list_file(struct qn_container *container, struct frame *frame) {
  container->file = (struct qn_used_file){.path = container->path,
                                          .descriptor = frame->descriptor,
                                          .state = frame->state,
                                          .mapped = frame->stripes ? NULL : container->mapping,
                                          .mapped_bytes = frame->actual_bytes,
                                          .mapped_from = frame->base,
                                          .is_intact = is_intact,
                                          .user = container};
  frame->descriptor = -1;
  qn_used_file_list(&container->file);
  container->stripes = frame->stripes;
  frame->stripes = NULL;
  if (container->stripes)
    qn_stripes_list(container->stripes, is_intact, container);
}

enum qn_status qn_container_unchanged(struct qn_container *container, struct qn_error *error) {
  if (qn_container_is_remote(container))
    return QN_OK; /* of one version it is as long as bytes come */
  enum qn_status status = qn_used_file_check(&container->file, error);
  return status || !container->stripes ? status : qn_stripes_unchanged(container->stripes, error);
}

void qn_container_set_maker(struct qn_container *container, const struct qn_maker *maker) {
  qn_used_file_forget(&container->file); /* it will change */
  close(container->file.descriptor);
  container->file = (struct qn_used_file){0};
  container->maker = *maker;
  pthread_mutex_init(&container->making, NULL);
}

const struct qn_stripes *qn_container_stripes(const struct qn_container *container) {
  return container->stripes;
}

const void *qn_container_bytes(const struct qn_container *container) {
  return container->mapping;
}

/* What was judged of a container on a server lies in its mapping, too, with the padding before the
 * table (C-20), which follows the last section. */
static enum qn_status keep_frame(struct qn_container *container, const struct frame *frame,
                                 struct qn_error *error) {
  const struct qn_disk_header *header = &frame->header;
  const uint64_t table_bytes = (uint64_t)header->num_sections * sizeof *frame->table;
  const uint64_t page = (uint64_t)1 << QN_MIN_ALIGN_LOG2;
  uint8_t before[(uint64_t)1 << QN_MIN_ALIGN_LOG2];
  uint64_t end = QN_HEADER_BYTES;
  for (uint32_t i = 0; i < header->num_sections; i++)
    end = frame->table[i].offset + frame->table[i].stored_bytes;
  const uint64_t padding = header->table_offset - end;
  enum qn_status status = padding < page
                              ? qn_remote_copy_read(container->afar, before, padding, end, error)
                              : QN_INVALID;
  if (!status && !qn_all_zero(before, padding)) {
    qn_fail(error, QN_INVALID, "C-20: padding before byte %" PRIu64 " is not zero",
            header->table_offset);
    return qn_error_at_offset(error, frame->path, end), QN_INVALID;
  }
  if (!status)
    status = qn_remote_copy_put(container->afar, header, sizeof *header, 0, error);
  if (!status)
    status =
        qn_remote_copy_put(container->afar, frame->table, table_bytes, header->table_offset, error);
  if (!status)
    status = qn_remote_copy_put(container->afar, &frame->footer, sizeof frame->footer,
                                header->table_offset + table_bytes, error);
  return status ? status : qn_container_need_hashes(container, error);
}

static enum qn_status create_container(struct frame *frame, struct qn_container **out,
                                       struct qn_error *error) {
  struct qn_container *container;
  uint64_t path_bytes = strlen(frame->path) + 1;
  enum qn_status status =
      qn_alloc_zeroed(&container, 1, sizeof *container, "a container's record", error);
  if (status)
    return status;
  status = qn_alloc(&container->path, path_bytes, 1, "a path", error);
  if (!status)
    status = qn_alloc_zeroed(&container->sections, frame->header.num_sections,
                             sizeof *container->sections, "section records", error);
  if (!status) {
    memcpy(container->path, frame->path, path_bytes);
    status = map_frame(container, frame, error);
  }
  if (!status) {
    describe_container(container, frame);
    if (container->afar)
      status = keep_frame(container, frame, error);
  }
  if (!status) {
    status = qn_chunk_hashes_check(container, error);
  }
  if (!status)
    status = qn_verifier_create(container, &container->verifier, error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  if (!container->afar) /* whose cache others fill, too */
    list_file(container, frame);
  *out = container;
  return QN_OK;
}

/* Takes the frame's descriptor. */
static enum qn_status map(struct frame *frame, unsigned flags, struct qn_container **out,
                          struct qn_error *error) {
  *out = NULL;
  enum qn_status status = frame->afar ? QN_OK : use_descriptor(frame, error);
  if (!status && !frame->afar)
    status = use_stripes(frame, error);
  if (!status)
    status = read_header(frame, error);
  if (!status)
    status = check_versions(frame, flags, error);
  if (!status)
    status = check_header_fields(frame, error);
  if (!status)
    status = check_length(frame, error);
  if (!status)
    status = check_identity(frame, error);
  if (!status)
    status = read_table_and_footer(frame, error);
  if (!status)
    status = check_table(frame, error);
  if (!status)
    status = create_container(frame, out, error);
  qn_free(frame->table);
  qn_remote_copy_close(frame->afar);
  qn_stripes_close(frame->stripes);
  if (frame->descriptor >= 0)
    close(frame->descriptor);
  return status;
}

enum qn_status qn_container_map(const char *path, unsigned flags, struct qn_container **out,
                                struct qn_error *error) {
  return qn_container_map_range(path, 0, UINT64_MAX, flags, out, error);
}

enum qn_status qn_container_map_range(const char *path, uint64_t offset, uint64_t bytes,
                                      unsigned flags, struct qn_container **out,
                                      struct qn_error *error) {
  if (qn_is_url(path))
    return qn_container_map_url(path, offset, bytes, flags, out, error);
  struct frame frame = {.path = path,
                        .descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY),
                        .whole = offset == 0 && bytes == UINT64_MAX,
                        .base = offset,
                        .actual_bytes = bytes};
  return map(&frame, flags, out, error);
}

enum qn_status qn_container_map_descriptor(int descriptor, const char *name, unsigned flags,
                                           struct qn_container **out, struct qn_error *error) {
  struct frame frame = {.path = name,
                        .descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0),
                        .actual_bytes = UINT64_MAX};
  return map(&frame, flags, out, error);
}

/* From a server that gives no ranges all comes, and is kept as what comes through a pipe is. */
static enum qn_status map_whole(const char *url, struct frame *frame, unsigned flags,
                                struct qn_container **out, struct qn_error *error) {
  struct qn_remote_stream *stream = NULL;
  enum qn_status status = qn_scratch_open(frame->actual_bytes, &frame->descriptor, error);
  if (status)
    return status;
  status = qn_remote_stream_open(url, &stream, error);
  for (uint64_t got = 1; !status && got;) {
    char bytes[8192];
    status = qn_remote_stream_read(stream, bytes, sizeof bytes, &got, error);
    if (!status && got)
      status = qn_scratch_put(frame->descriptor, bytes, got, error);
  }
  qn_remote_stream_close(stream);
  if (status)
    return close(frame->descriptor), status;
  status = map(frame, flags, out, error);
  return status ? status : qn_container_verify(*out, error);
}

enum qn_status qn_container_map_url(const char *url, uint64_t offset, uint64_t bytes,
                                    unsigned flags, struct qn_container **out,
                                    struct qn_error *error) {
  struct qn_remote_copy *afar;
  *out = NULL;
  enum qn_status status =
      qn_remote_copy_open(url, offset, bytes, QN_CHECKSUM_CHUNK / sizeof(uint64_t), &afar, error);
  if (status)
    return status;
  struct frame frame = {.path = qn_remote_copy_name(afar), .descriptor = -1, .actual_bytes = bytes};
  if (qn_remote_copy_has_ranges(afar)) {
    frame.afar = afar;
    frame.actual_bytes = qn_remote_copy_bytes(afar);
    status = map(&frame, flags, out, error);
  } else {
    frame.base = offset;
    status = map_whole(url, &frame, flags, out, error);
    qn_remote_copy_close(afar);
  }
  if (!status && !(flags & (QN_MAP_STRUCTURE | QN_MAP_PARTS)))
    status = qn_container_need_all(*out, error);
  if (!status && flags & QN_MAP_STRUCTURE)
    status = qn_container_need_structure(*out, error);
  if (status) {
    qn_container_unmap(*out);
    *out = NULL;
  }
  return status;
}

void qn_container_unmap(struct qn_container *container) {
  if (!container)
    return;
  if (container->file.user) {
    qn_used_file_forget(&container->file);
    close(container->file.descriptor);
  }
  qn_stripes_close(container->stripes);
  if (container->mapped) {
    qn_pages_leave(container->mapped, container->mapped_bytes);
    munmap(container->mapped, container->mapped_bytes);
  }
  if (container->maker.make) {
    container->maker.destroy(container->maker.user);
    pthread_mutex_destroy(&container->making);
  }
  qn_remote_copy_close(container->afar);
  qn_verifier_destroy(container->verifier);
  qn_free(container->sections);
  qn_free(container->path);
  qn_free(container);
}

enum qn_status qn_container_call(struct qn_container *container, const char *name,
                                 struct qn_error *error) {
  uint64_t bytes = strlen(name) + 1;
  enum qn_status status = qn_realloc(&container->path, bytes, 1, "a name", error);
  if (!status)
    memcpy(container->path, name, bytes);
  container->file.path = container->path;
  return status;
}

const char *qn_container_path(const struct qn_container *container) {
  return container->path;
}

const struct qn_container_info *qn_container_info(const struct qn_container *container) {
  return &container->info;
}

const struct qn_section *qn_container_section_at(const struct qn_container *container,
                                                 uint32_t index) {
  return &container->sections[index];
}

const struct qn_section *qn_container_section(const struct qn_container *container,
                                              const char *name) {
  for (uint32_t i = 0; i < container->info.num_sections; i++)
    if (strcmp(container->sections[i].name, name) == 0)
      return &container->sections[i];
  return NULL;
}

enum qn_status qn_container_copy(const struct qn_container *container, const char *path, bool force,
                                 struct qn_error *error) {
  struct qn_atomic_file *file;
  enum qn_status status = qn_atomic_file_create(path, force, &file, error);
  if (status)
    return status;
  status = qn_atomic_file_write(file, container->mapping, container->info.file_bytes, 0, error);
  if (!status)
    return qn_atomic_file_commit(file, error);
  qn_atomic_file_abort(file);
  return status;
}
