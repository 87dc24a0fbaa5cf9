/* What sections hold, against their checksums (C-20, C-21). */
#include <quern/container.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/container_disk.h"
#include "formats/container/opened.h"
#include "formats/container/stripes.h"
#include "formats/container/verifier.h"

/* Byte `offset` of the container is meant. */
static enum qn_status damaged_at(const struct qn_container *container, uint64_t offset,
                                 struct qn_error *error) {
  if (container->stripes)
    qn_stripes_error_at(container->stripes, offset, error);
  else
    qn_error_at_offset(error, container->path, offset);
  return QN_INVALID;
}

static enum qn_status check_padding(const struct qn_container *container, uint64_t begin,
                                    uint64_t end, struct qn_error *error) {
  if (container->afar || qn_all_zero(container->mapping + begin, end - begin))
    return QN_OK;
  qn_fail(error, QN_INVALID, "C-20: padding before byte %" PRIu64 " is not zero", end);
  return damaged_at(container, begin, error);
}

static enum qn_status verify_section(const struct qn_container *container,
                                     const struct qn_section *section, struct qn_error *error) {
  uint64_t offset;
  enum qn_status status = qn_container_need_section(container, section, error);
  if (status)
    return status;
  if (qn_verifier_finish(container->verifier, section, &offset))
    return QN_OK;
  qn_fail(error, QN_INVALID, "C-21: section %s is corrupt: its checksum does not match",
          section->name);
  return damaged_at(container, section->offset + offset, error);
}

enum qn_status qn_container_verify_bytes(const struct qn_container *container,
                                         const struct qn_section *section, uint64_t begin,
                                         uint64_t end, struct qn_error *error) {
  const uint64_t first = begin / QN_CHECKSUM_CHUNK;
  if (container->afar || !qn_verifier_knows_chunks(container->verifier, section))
    return verify_section(container, section, error);
  qn_verifier_read(container->verifier, section, first * QN_CHECKSUM_CHUNK, end);
  for (uint64_t chunk = first; chunk * QN_CHECKSUM_CHUNK < end; chunk++)
    if (!qn_verifier_is_right(container->verifier, section, chunk))
      return verify_section(container, section, error);
  return QN_OK;
}

/* What comes from a server is looked at between its sections, too, when it comes (fetch.c). */
enum qn_status qn_container_verify(const struct qn_container *container, struct qn_error *error) {
  uint64_t end = QN_HEADER_BYTES;
  enum qn_status status = qn_container_need_all(container, error);
  if (status)
    return status;
  for (uint32_t i = 0; i < container->info.num_sections; i++) {
    const struct qn_section *section = &container->sections[i];
    status = check_padding(container, end, section->offset, error);
    if (!status)
      status = verify_section(container, section, error);
    if (status)
      return status;
    end = section->offset + section->stored_bytes;
  }
  uint64_t table = container->info.file_bytes - sizeof(struct qn_disk_footer) -
                   container->info.num_sections * sizeof(struct qn_disk_section);
  return check_padding(container, end, table, error);
}

enum qn_status qn_container_verify_sections(const struct qn_container *container,
                                            const char *const *names, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (; !status && *names; names++) {
    const struct qn_section *section = qn_container_section(container, *names);
    if (section)
      status = verify_section(container, section, error);
  }
  return status;
}

static bool is_of_weights(const struct qn_section *section) {
  static const char suffix[] = "weights";
  size_t length = strlen(section->name), wanted = sizeof suffix - 1;
  return length >= wanted && strcmp(section->name + length - wanted, suffix) == 0;
}

static bool begins_with(const struct qn_section *section, const char *prefix) {
  return strncmp(section->name, prefix, strlen(prefix)) == 0;
}

/* Nothing is computed with them, nor with indexes of them. */
static bool is_of_property(const struct qn_section *section) {
  return begins_with(section, "property_") || begins_with(section, "by_time_");
}

static bool is_of_structure(const struct qn_section *section) {
  return !is_of_weights(section) && !is_of_property(section);
}

enum qn_status qn_container_need_structure(const struct qn_container *container,
                                           struct qn_error *error) {
  return qn_container_need_sections(container, is_of_structure, error);
}

enum qn_status qn_container_verify_structure(const struct qn_container *container,
                                             struct qn_error *error) {
  enum qn_status status = qn_container_need_structure(container, error);
  for (uint32_t i = 0; !status && i < container->info.num_sections; i++)
    if (is_of_structure(&container->sections[i]))
      status = verify_section(container, &container->sections[i], error);
  return status;
}

enum qn_status qn_container_verify_weights(const struct qn_container *container,
                                           struct qn_error *error) {
  enum qn_status status = qn_container_need_sections(container, is_of_weights, error);
  for (uint32_t i = 0; !status && i < container->info.num_sections; i++)
    if (is_of_weights(&container->sections[i]))
      status = verify_section(container, &container->sections[i], error);
  return status;
}

void qn_container_reading(const struct qn_container *container, const void *begin,
                          const void *end) {
  for (uint32_t i = 0; container && i < container->info.num_sections; i++) {
    const struct qn_section *section = &container->sections[i];
    const uint8_t *data = section->data, *from = begin, *to = end;
    if (data && from >= data && to <= data + section->stored_bytes && from < to)
      qn_verifier_read(container->verifier, section, (uint64_t)(from - data),
                       (uint64_t)(to - data));
  }
}

enum qn_status qn_container_confirm(const struct qn_container *container, enum qn_status checked,
                                    enum qn_status (*verify)(const struct qn_container *container,
                                                             struct qn_error *error),
                                    struct qn_error *error) {
  struct qn_error damage;
  if (checked && checked != QN_INVALID)
    return checked;
  enum qn_status status = verify(container, &damage);
  if (!status)
    return checked;
  if (error)
    *error = damage;
  return status;
}
