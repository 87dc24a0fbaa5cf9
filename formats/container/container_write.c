/* Writing containers: sections grow one after the other in a temporary file
 * and are filled through its mapping; table, footer and header come last. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include "formats/container/opened.h"
#include "formats/container/prefault.h"
#include "formats/container/verifier.h"
#include "support/atomic_file.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/container.h>

/* Bytes that are taken and mapped at a time. */
#define POPULATED ((uint64_t)8 << 20)

/* ... and copied by one thread. */
#define COPIED ((uint64_t)1 << 20)

struct mapped_section {
  void *mapping; /* from the page that holds the section's first byte; NULL if empty */
  uint64_t mapped_bytes;
  uint64_t lead; /* bytes of the mapping before the section */
  bool checksum_known;
};

struct qn_writer {
  struct qn_atomic_file *file;
  struct qn_container_info info;
  uint64_t end; /* of the last section */
  uint32_t num_sections;
  uint32_t capacity;
  bool is_copy;
  struct qn_disk_section *table;
  struct mapped_section *mapped;
  bool expects; /* was told to, whether it does or not */
  uint64_t expected_from;
  struct qn_prefault ahead;
};

struct qn_section_spec qn_section_spec_of(const struct qn_section *section) {
  return (struct qn_section_spec){.name = section->name,
                                  .element_type = section->element_type,
                                  .element_bytes = section->element_bytes,
                                  .count = section->count,
                                  .align_log2 = section->align_log2,
                                  .ancillary = !section->critical};
}

enum qn_status qn_writer_create(const char *path, bool force, struct qn_writer **out,
                                struct qn_error *error) {
  struct qn_writer *writer;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&writer, 1, sizeof *writer, "a container writer", error);
  if (status)
    return status;
  writer->end = QN_HEADER_BYTES;
  writer->info.version_major = 1;
  status = path ? qn_atomic_file_create_or_stream(path, force, &writer->file, error)
                : qn_atomic_file_in_memory(&writer->file, error);
  if (status) {
    qn_free(writer);
    return status;
  }
  *out = writer;
  return QN_OK;
}

struct qn_container_info *qn_writer_info(struct qn_writer *writer) {
  return &writer->info;
}

void qn_writer_set_copy(struct qn_writer *writer) {
  writer->is_copy = true;
}

static enum qn_status grow_tables(struct qn_writer *writer, struct qn_error *error) {
  if (writer->num_sections < writer->capacity)
    return QN_OK;
  if (writer->num_sections >= QN_MAX_SECTIONS)
    return qn_fail(error, QN_USAGE, "a container holds at most %d sections", QN_MAX_SECTIONS);
  uint32_t capacity = writer->capacity ? 2 * writer->capacity : 16;
  enum qn_status status =
      qn_realloc(&writer->table, capacity, sizeof *writer->table, "a section table", error);
  if (!status)
    status =
        qn_realloc(&writer->mapped, capacity, sizeof *writer->mapped, "section records", error);
  if (!status)
    writer->capacity = capacity;
  return status;
}

/* Reserve the bytes on disk, so that a full disk is an error here and not a
 * SIGBUS when the mapping is written. */
static enum qn_status extend_file(struct qn_writer *writer, uint64_t begin, uint64_t bytes,
                                  struct qn_error *error) {
  int descriptor = qn_atomic_file_descriptor(writer->file);
  int failed;
  if (qn_scratch_is_full(descriptor, bytes))
    return qn_fail(error, QN_SYSTEM,
                   "what goes to a pipe is kept in memory, which has no room for %" PRIu64
                   " bytes more; --tmpdir keeps it in a file",
                   bytes);
  if (bytes == 0 && __atomic_load_n(&writer->ahead.taken, __ATOMIC_ACQUIRE) >
                        0) /* the file is longer, or will be */
    return QN_OK;
  do {
    failed = bytes ? fallocate(descriptor, 0, (off_t)begin, (off_t)bytes)
                   : ftruncate(descriptor, (off_t)begin);
  } while (failed && errno == EINTR);
  if (failed && (errno == EOPNOTSUPP || errno == ENOSYS))
    failed = ftruncate(descriptor, (off_t)(begin + bytes));
  if (!failed)
    return QN_OK;
  qn_fail_errno(error, "cannot reserve %" PRIu64 " bytes", bytes);
  return qn_error_in_file(error, qn_atomic_file_path(writer->file)), QN_SYSTEM;
}

static enum qn_status map_section(struct qn_writer *writer, uint64_t offset, uint64_t bytes,
                                  struct mapped_section *mapped, struct qn_error *error) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (bytes == 0)
    return QN_OK;
  mapped->lead = offset % page;
  mapped->mapped_bytes = mapped->lead + bytes;
  enum qn_status status =
      qn_pages_map(&mapped->mapping, qn_atomic_file_descriptor(writer->file), offset - mapped->lead,
                   mapped->mapped_bytes, 1, "a section's mapping", error);
  if (status)
    qn_error_in_file(error, qn_atomic_file_path(writer->file));
  return status;
}

static void *section_pointer(const struct mapped_section *mapped) {
  return mapped->mapping ? (uint8_t *)mapped->mapping + mapped->lead : NULL;
}

static enum qn_status place_section(struct qn_writer *writer, const struct qn_section_spec *spec,
                                    struct qn_disk_section *entry, struct qn_error *error) {
  uint64_t end;
  size_t name_length = strlen(spec->name);
  if (name_length == 0 || name_length > QN_SECTION_NAME_BYTES)
    return qn_fail(error, QN_USAGE, "'%s' is not a section name", spec->name);
  memset(entry, 0, sizeof *entry);
  memcpy(entry->name, spec->name, name_length);
  entry->element_type = spec->element_type;
  entry->element_bytes = spec->element_bytes;
  entry->count = spec->count;
  entry->align_log2 = spec->align_log2 ? spec->align_log2 : QN_MIN_ALIGN_LOG2;
  entry->flags = spec->ancillary ? 0 : QN_SECTION_CRITICAL;
  if (!qn_mul_u64(spec->count, spec->element_bytes, &entry->logical_bytes) ||
      !qn_align_u64(writer->end, entry->align_log2, &entry->offset) ||
      !qn_add_u64(entry->offset, entry->logical_bytes, &end) || end > INT64_MAX)
    return qn_fail(error, QN_USAGE, "section %s would be too large for a file", spec->name);
  entry->stored_bytes = entry->logical_bytes;
  return QN_OK;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; others refuse it */
#endif

void qn_writer_expect(struct qn_writer *writer, uint64_t bytes) {
  const int descriptor = qn_atomic_file_descriptor(writer->file);
  if (!writer->expects) {
    writer->expects = true;
    writer->expected_from = writer->end;
    if (qn_prefault_helps(descriptor) && !qn_scratch_is_full(descriptor, UINT64_MAX)) /* a pipe's */
      qn_prefault_begin(&writer->ahead, descriptor, writer->end);
  }
  qn_prefault_expect(&writer->ahead, writer->expected_from + bytes);
}

/* How far the pages of a section have been taken. */
struct reserved {
  uint64_t bytes; /* of the mapping, atomic */
  bool failed;    /* before `bytes` are all */
};

/* False if it failed before. */
static bool wait_for_pages(const struct reserved *reserved, uint64_t end) {
  while (__atomic_load_n(&reserved->bytes, __ATOMIC_ACQUIRE) < end)
    qn_prefault_pause();
  return !reserved->failed;
}

static enum qn_status reserve_in_steps(struct qn_writer *writer,
                                       const struct qn_disk_section *entry, uint64_t lead,
                                       struct reserved *reserved, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t begin = 0, step; begin < entry->stored_bytes && !status; begin += step) {
    uint64_t left = entry->stored_bytes - begin;
    step = left < POPULATED ? left : POPULATED;
    if (!qn_prefault_has(&writer->ahead, entry->offset + begin + step))
      status = extend_file(writer, entry->offset + begin, step, error);
    if (status)
      reserved->failed = true;
    __atomic_store_n(&reserved->bytes, status ? UINT64_MAX : lead + begin + step, __ATOMIC_RELEASE);
  }
  return status;
}

/* In a file system in memory a thread takes the pages one after the other, which several would
 * only hinder each other at, while the others map and clear those that it has taken. */
static enum qn_status take_pages(struct qn_writer *writer, const struct qn_disk_section *entry,
                                 const struct mapped_section *mapped, struct qn_error *error) {
  struct reserved reserved = {0};
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
#pragma omp master
    status = reserve_in_steps(writer, entry, mapped->lead, &reserved, error);
#pragma omp for schedule(dynamic, 1) nowait
    for (uint64_t begin = 0; begin < mapped->mapped_bytes; begin += POPULATED) {
      uint64_t left = mapped->mapped_bytes - begin;
      uint64_t bytes = left < POPULATED ? left : POPULATED;
      if (wait_for_pages(&reserved, begin + bytes))
        madvise((char *)mapped->mapping + begin, bytes, MADV_POPULATE_WRITE); /* or faults do */
    }
  }
  return status;
}

static enum qn_status make_room(struct qn_writer *writer, const struct qn_disk_section *entry,
                                struct mapped_section *mapped, struct qn_error *error) {
  const int descriptor = qn_atomic_file_descriptor(writer->file);
  const uint64_t bytes = entry->stored_bytes;
  bool in_steps =
      bytes > POPULATED && qn_lies_in_memory(descriptor) && !qn_scratch_is_full(descriptor, bytes);
  enum qn_status status = in_steps ? QN_OK : extend_file(writer, entry->offset, bytes, error);
  if (!status)
    status = map_section(writer, entry->offset, bytes, mapped, error);
  if (!status && in_steps)
    status = take_pages(writer, entry, mapped, error);
  if (status)
    qn_pages_free(mapped->mapping, mapped->mapped_bytes, 1);
  return status;
}

/* An entry and room in the file for a section, which is mapped or not. Space that is written to,
 * not through a mapping, is reserved as it is written: so is what goes by parts to a disk, while
 * writes of many threads to one file in memory wait for each other. */
static enum qn_status add_section(struct qn_writer *writer, const struct qn_section_spec *spec,
                                  bool map, struct qn_error *error) {
  enum qn_status status = grow_tables(writer, error);
  if (status)
    return status;
  struct qn_disk_section *entry = &writer->table[writer->num_sections];
  struct mapped_section *mapped = &writer->mapped[writer->num_sections];
  *mapped = (struct mapped_section){0};
  status = place_section(writer, spec, entry, error);
  if (!status)
    status = map ? make_room(writer, entry, mapped, error)
                 : extend_file(writer, entry->offset + entry->stored_bytes, 0, error);
  if (status)
    return status;
  writer->num_sections++;
  writer->end = entry->offset + entry->stored_bytes;
  return QN_OK;
}

enum qn_status qn_writer_section(struct qn_writer *writer, const struct qn_section_spec *spec,
                                 void *out, struct qn_error *error) {
  enum qn_status status = add_section(writer, spec, true, error);
  if (status)
    return status;
  void *pointer = section_pointer(&writer->mapped[writer->num_sections - 1]);
  memcpy(out, &pointer, sizeof pointer);
  return QN_OK;
}

enum qn_status qn_writer_section_by_parts(struct qn_writer *writer,
                                          const struct qn_section_spec *spec, uint64_t checksum,
                                          struct qn_error *error) {
  const bool map = qn_prefault_helps(qn_atomic_file_descriptor(writer->file));
  enum qn_status status = add_section(writer, spec, map, error);
  if (status)
    return status;
  writer->table[writer->num_sections - 1].stored_checksum = checksum;
  writer->mapped[writer->num_sections - 1].checksum_known = true;
  return QN_OK;
}

enum qn_status qn_writer_put(const struct qn_writer *writer, uint32_t section, const void *data,
                             uint64_t bytes, uint64_t offset, struct qn_error *error) {
  const struct qn_disk_section *entry = &writer->table[section];
  char *mapped = section_pointer(&writer->mapped[section]);
  if (!mapped)
    return qn_atomic_file_write(writer->file, data, bytes, entry->offset + offset, error);
  memcpy(mapped + offset, data, bytes);
  return QN_OK;
}

/* What was taken ahead in vain goes, too. */
static enum qn_status cut_file(struct qn_writer *writer, uint64_t bytes, struct qn_error *error) {
  qn_prefault_stop(&writer->ahead);
  writer->ahead.taken = 0;
  if (ftruncate(qn_atomic_file_descriptor(writer->file), (off_t)bytes) == 0)
    return QN_OK;
  qn_fail_errno(error, "cannot shorten the output");
  return qn_error_in_file(error, qn_atomic_file_path(writer->file)), QN_SYSTEM;
}

static enum qn_status shorten_last(struct qn_writer *writer, struct qn_disk_section *entry,
                                   uint64_t stored_bytes, struct qn_error *error) {
  entry->stored_bytes = stored_bytes;
  writer->end = entry->offset + stored_bytes;
  return cut_file(writer, writer->end, error);
}

enum qn_status qn_writer_shrink(struct qn_writer *writer, uint64_t count, struct qn_error *error) {
  struct qn_disk_section *entry = &writer->table[writer->num_sections - 1];
  if (count > entry->count)
    return qn_fail(error, QN_USAGE, "a section cannot grow");
  entry->count = count;
  entry->logical_bytes = count * entry->element_bytes;
  return shorten_last(writer, entry, entry->logical_bytes, error);
}

enum qn_status qn_writer_section_from(struct qn_writer *writer, const struct qn_section_spec *spec,
                                      const void *data, struct qn_error *error) {
  const uint64_t bytes = spec->count * spec->element_bytes;
  const char *from = data;
  char *to;
  enum qn_status status = qn_writer_section(writer, spec, &to, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) if (bytes > COPIED)
  for (uint64_t at = 0; at < bytes; at += COPIED)
    memcpy(to + at, from + at, bytes - at < COPIED ? bytes - at : COPIED);
  return QN_OK;
}

enum qn_status qn_writer_encoded_section(struct qn_writer *writer, const struct qn_section *decoded,
                                         const struct qn_encoding *encoding, uint64_t stored_bytes,
                                         uint8_t **out, struct qn_error *error) {
  struct qn_section_spec bytes = qn_section_spec_of(decoded);
  bytes.element_type = QN_ELEMENT_OPAQUE;
  bytes.element_bytes = 1;
  bytes.count = stored_bytes;
  enum qn_status status = qn_writer_section(writer, &bytes, out, error);
  if (status)
    return status;
  struct qn_disk_section *entry = &writer->table[writer->num_sections - 1];
  entry->element_type = decoded->element_type;
  entry->element_bytes = decoded->element_bytes;
  entry->count = decoded->count;
  entry->logical_bytes = decoded->logical_bytes;
  entry->checksum = decoded->checksum;
  entry->codec = QN_CODEC_ZSTD_FRAMES;
  entry->filter = (uint8_t)encoding->filter;
  entry->flags |= encoding->upper ? QN_SECTION_UPPER : 0;
  entry->flags |= encoding->strips ? QN_SECTION_STRIPS : 0;
  writer->info.incompatible_features |= QN_FEATURE_ARCHIVE;
  if (encoding->strips)
    writer->info.incompatible_features |= QN_FEATURE_STRIPS;
  if (encoding->filter == QN_FILTER_REFERENCES)
    writer->info.incompatible_features |= QN_FEATURE_REFERENCES;
  else if (encoding->filter > QN_FILTER_ROWS)
    writer->info.incompatible_features |= QN_FEATURE_PAGES;
  return QN_OK;
}

enum qn_status qn_writer_shrink_encoded(struct qn_writer *writer, uint64_t stored_bytes,
                                        struct qn_error *error) {
  struct qn_disk_section *entry = &writer->table[writer->num_sections - 1];
  return shorten_last(writer, entry, stored_bytes, error);
}

static void checksum_section(struct qn_writer *writer, uint32_t number, uint64_t *hashes) {
  struct qn_disk_section *entry = &writer->table[number];
  const void *content = section_pointer(&writer->mapped[number]);
  if (hashes) {
    qn_hash_chunks(content, entry->stored_bytes, hashes);
    entry->stored_checksum = qn_checksum_of_hashes(hashes, qn_num_chunks(entry->stored_bytes));
  } else if (!writer->mapped[number].checksum_known) {
    entry->stored_checksum = qn_chunked_checksum(content, entry->stored_bytes);
  }
  if (entry->codec == QN_CODEC_NONE)
    entry->checksum = entry->stored_checksum;
}

/* The section of chunk hashes, to be filled; NULL in `*hashes` if there is to be none. */
static enum qn_status add_chunk_hashes(struct qn_writer *writer, uint64_t **hashes,
                                       struct qn_error *error) {
  uint64_t count = 0;
  *hashes = NULL;
  for (uint32_t i = 0; !writer->is_copy && i < writer->num_sections; i++)
    count += qn_num_chunk_hashes(writer->table[i].logical_bytes);
  if (count == 0)
    return QN_OK;
  return qn_writer_section(writer,
                           &(struct qn_section_spec){.name = QN_CHUNK_HASHES,
                                                     .element_type = QN_ELEMENT_UNSIGNED,
                                                     .element_bytes = 8,
                                                     .count = count,
                                                     .ancillary = true},
                           hashes, error);
}

static enum qn_status checksum_sections(struct qn_writer *writer, struct qn_error *error) {
  const uint32_t num_sections = writer->num_sections;
  uint64_t *hashes, *next;
  qn_prefault_stop(&writer->ahead);
  enum qn_status status = add_chunk_hashes(writer, &hashes, error);
  if (status)
    return status;
  next = hashes;
  for (uint32_t i = 0; i < num_sections; i++) {
    uint64_t count = next ? qn_num_chunk_hashes(writer->table[i].logical_bytes) : 0;
    checksum_section(writer, i, count ? next : NULL);
    next += count;
  }
  if (hashes)
    checksum_section(writer, num_sections, NULL);
  return QN_OK;
}

static void fill_header(const struct qn_writer *writer, struct qn_disk_header *header,
                        uint64_t table_offset, uint64_t file_bytes) {
  const struct qn_container_info *info = &writer->info;
  memset(header, 0, sizeof *header);
  memcpy(header->signature, QN_SIGNATURE, sizeof header->signature);
  header->version_major = info->version_major;
  header->version_minor = info->version_minor;
  header->header_bytes = QN_HEADER_BYTES;
  header->compatible_features = info->compatible_features;
  header->incompatible_features =
      info->incompatible_features |
      (qn_weight_bytes(info->weight_type) == 8 ? QN_FEATURE_WIDE_WEIGHTS : 0);
  header->layout = info->layout;
  header->weight_type = info->weight_type;
  header->directedness = info->directedness;
  header->num_sections = writer->num_sections;
  header->num_vertices = info->num_vertices;
  header->num_edges = info->num_edges;
  header->num_rows = qn_is_rectangular(info) ? info->num_rows : 0;
  header->first_row = qn_is_rectangular(info) ? info->first_row : 0;
  header->file_bytes = file_bytes;
  header->table_offset = table_offset;
  header->table_checksum = XXH3_64bits(writer->table, writer->num_sections * sizeof *writer->table);
  memcpy(header->parameters, info->parameters, sizeof header->parameters);
  header->checksum = XXH3_64bits(header, offsetof(struct qn_disk_header, checksum));
}

/* Sections as they will be when they are decoded; nothing but their places and checksums. */
static enum qn_status plan_plain(const struct qn_container *archive, struct qn_writer *plain,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < qn_container_info(archive)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(archive, i);
    const struct qn_section_spec spec = qn_section_spec_of(section);
    status = grow_tables(plain, error);
    if (!status)
      status = place_section(plain, &spec, &plain->table[i], error);
    if (status)
      break;
    plain->table[i].checksum = plain->table[i].stored_checksum = section->checksum;
    plain->end = plain->table[i].offset + plain->table[i].stored_bytes;
    plain->num_sections++;
  }
  return status;
}

static void fill_footer(const struct qn_disk_header *header, struct qn_disk_footer *footer) {
  memset(footer, 0, sizeof *footer);
  memcpy(footer->signature, QN_SIGNATURE, sizeof footer->signature);
  footer->file_bytes = header->file_bytes;
  footer->table_checksum = header->table_checksum;
  footer->header_checksum = header->checksum;
  footer->checksum = XXH3_64bits(footer, offsetof(struct qn_disk_footer, checksum));
}

/* The header of the plain form, and its table in `plain`, which end_plain gives back. */
static enum qn_status begin_plain(const struct qn_container *archive, struct qn_writer *plain,
                                  struct qn_disk_header *header, struct qn_error *error) {
  uint64_t table_offset;
  *plain = (struct qn_writer){.info = *qn_container_info(archive), .end = QN_HEADER_BYTES};
  plain->info.incompatible_features &= ~(QN_ENCODED_FEATURES | QN_FEATURE_WIDE_WEIGHTS);
  enum qn_status status = plan_plain(archive, plain, error);
  if (!status && !qn_align_u64(plain->end, QN_MIN_ALIGN_LOG2, &table_offset))
    status = qn_fail(error, QN_INVALID, "the plain container would be too large for a file");
  if (!status)
    fill_header(plain, header, table_offset,
                table_offset + plain->num_sections * sizeof *plain->table +
                    sizeof(struct qn_disk_footer));
  return status;
}

static void end_plain(const struct qn_writer *plain) {
  qn_free(plain->table);
  qn_free(plain->mapped);
}

enum qn_status qn_container_identity(const struct qn_container *container, uint64_t *identity,
                                     struct qn_error *error) {
  struct qn_writer plain;
  struct qn_disk_header header;
  enum qn_status status = begin_plain(container, &plain, &header, error);
  if (!status)
    *identity = header.checksum;
  end_plain(&plain);
  return status;
}

static bool put(int descriptor, const void *bytes, uint64_t count, uint64_t offset) {
  return pwrite(descriptor, bytes, count, (off_t)offset) == (ssize_t)count;
}

enum qn_status qn_container_put_plain_frame(const struct qn_container *archive, int descriptor,
                                            struct qn_error *error) {
  const struct qn_section *hashes = qn_container_section(archive, QN_CHUNK_HASHES);
  struct qn_writer plain;
  struct qn_disk_header header;
  struct qn_disk_footer footer;
  enum qn_status status = begin_plain(archive, &plain, &header, error);
  if (!status) {
    const uint64_t table_bytes = plain.num_sections * sizeof *plain.table;
    fill_footer(&header, &footer);
    const bool done = ftruncate(descriptor, (off_t)header.file_bytes) == 0 &&
                      put(descriptor, &header, sizeof header, 0) &&
                      put(descriptor, plain.table, table_bytes, header.table_offset) &&
                      put(descriptor, &footer, sizeof footer, header.table_offset + table_bytes) &&
                      (!hashes || put(descriptor, hashes->data, hashes->logical_bytes,
                                      plain.table[plain.num_sections - 1].offset));
    status = done ? QN_OK : qn_fail_errno(error, "no room for what comes from the server");
  }
  end_plain(&plain);
  return status;
}

static enum qn_status write_frame(struct qn_writer *writer, struct qn_error *error) {
  struct qn_disk_header header;
  struct qn_disk_footer footer;
  uint64_t table_offset;
  uint64_t table_bytes = writer->num_sections * sizeof *writer->table;
  if (!qn_align_u64(writer->end, QN_MIN_ALIGN_LOG2, &table_offset))
    return qn_fail(error, QN_USAGE, "the container would be too large for a file");
  fill_header(writer, &header, table_offset, table_offset + table_bytes + sizeof footer);
  fill_footer(&header, &footer);
  enum qn_status status =
      writer->ahead.taken > 0 ? cut_file(writer, header.file_bytes, error) : QN_OK;
  if (!status)
    status = qn_atomic_file_write(writer->file, writer->table, table_bytes, table_offset, error);
  if (!status)
    status = qn_atomic_file_write(writer->file, &footer, sizeof footer, table_offset + table_bytes,
                                  error);
  if (!status)
    status = qn_atomic_file_write(writer->file, &header, sizeof header, 0, error);
  return status;
}

static void destroy(struct qn_writer *writer) {
  for (uint32_t i = 0; i < writer->num_sections; i++)
    qn_pages_free(writer->mapped[i].mapping, writer->mapped[i].mapped_bytes, 1);
  qn_free(writer->table);
  qn_free(writer->mapped);
  qn_free(writer);
}

enum qn_status qn_writer_commit_judged(struct qn_writer *writer,
                                       enum qn_status (*judge)(void *context, int descriptor,
                                                               struct qn_error *error),
                                       void *context, struct qn_error *error) {
  enum qn_status status = checksum_sections(writer, error);
  if (!status)
    status = write_frame(writer, error);
  if (!status && judge)
    status = judge(context, qn_atomic_file_descriptor(writer->file), error);
  if (status)
    qn_atomic_file_abort(writer->file);
  else
    status = qn_atomic_file_commit(writer->file, error);
  destroy(writer);
  return status;
}

enum qn_status qn_writer_commit(struct qn_writer *writer, struct qn_error *error) {
  return qn_writer_commit_judged(writer, NULL, NULL, error);
}

enum qn_status qn_writer_judge(struct qn_writer *writer,
                               enum qn_status (*judge)(void *context, int descriptor,
                                                       struct qn_error *error),
                               void *context, struct qn_error *error) {
  enum qn_status status = checksum_sections(writer, error);
  if (!status)
    status = write_frame(writer, error);
  if (!status)
    status = judge(context, qn_atomic_file_descriptor(writer->file), error);
  qn_writer_abort(writer);
  return status;
}

enum qn_status qn_writer_commit_nameless(struct qn_writer *writer, const char *name,
                                         struct qn_container **out, struct qn_error *error) {
  *out = NULL;
  enum qn_status status = checksum_sections(writer, error);
  if (!status)
    status = write_frame(writer, error);
  if (!status)
    status = qn_container_map_descriptor(qn_atomic_file_descriptor(writer->file), name,
                                         QN_MAP_RECTANGULAR, out, error);
  qn_writer_abort(writer);
  return status;
}

struct sent {
  const char *path;
  struct qn_container **out;
};

static enum qn_status map_before(void *context, int descriptor, struct qn_error *error) {
  const struct sent *sent = context;
  return qn_container_map_descriptor(descriptor, sent->path, QN_MAP_RECTANGULAR, sent->out, error);
}

/* What was sent can be mapped no more; what was kept till then can. */
static enum qn_status send_mapped(struct qn_writer *writer, const char *path,
                                  struct qn_container **out, struct qn_error *error) {
  struct sent sent = {path, out};
  *out = NULL;
  enum qn_status status = qn_writer_commit_judged(writer, map_before, &sent, error);
  if (status) {
    qn_container_unmap(*out);
    *out = NULL;
  }
  return status;
}

enum qn_status qn_writer_finish(struct qn_writer *writer, const char *path,
                                struct qn_container **out, struct qn_error *error) {
  if (!path)
    return qn_writer_commit_nameless(writer, "(in memory)", out, error);
  if (out && qn_is_output_stream(path))
    return send_mapped(writer, path, out, error);
  enum qn_status status = qn_writer_commit(writer, error);
  if (status || !out)
    return status;
  int held = qn_output_held();
  return held >= 0 ? qn_container_map_descriptor(held, path, QN_MAP_RECTANGULAR, out, error)
                   : qn_container_map(path, QN_MAP_RECTANGULAR, out, error);
}

void qn_writer_abort(struct qn_writer *writer) {
  if (!writer)
    return;
  qn_prefault_stop(&writer->ahead);
  qn_atomic_file_abort(writer->file);
  destroy(writer);
}

enum qn_status qn_writer_end(struct qn_writer *writer, enum qn_status status, const char *path,
                             struct qn_container **out, struct qn_error *error) {
  if (!status)
    return qn_writer_finish(writer, path, out, error);
  qn_writer_abort(writer);
  return status;
}
