/* A container once more, with other properties. */
#include <string.h>

#include "formats/properties/sections.h"
#include "formats/properties/time_index.h"
#include <quern/metadata.h>

static enum qn_status copy_section(const struct qn_section *section, struct qn_writer *writer,
                                   struct qn_error *error) {
  const struct qn_section_spec spec = qn_section_spec_of(section);
  return qn_writer_section_from(writer, &spec, section->data, error);
}

static bool is_written_anew(const struct qn_section *section) {
  return strcmp(section->name, "metadata") == 0 || strcmp(section->name, "chunk_hashes") == 0 ||
         strcmp(section->name, QN_PROPERTIES_SCHEMA) == 0 || qn_time_index_has(section) ||
         strncmp(section->name, QN_PROPERTY_PREFIX, strlen(QN_PROPERTY_PREFIX)) == 0;
}

enum qn_status qn_properties_attach_sections(const struct qn_container *container,
                                             const struct qn_properties *properties,
                                             const uint64_t *vertices, const uint64_t *edges,
                                             struct qn_writer *writer, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  enum qn_status status = QN_OK;
  struct qn_container_info *copy = qn_writer_info(writer);
  copy->layout = info->layout;
  copy->weight_type = info->weight_type;
  copy->directedness = info->directedness;
  copy->num_vertices = info->num_vertices;
  copy->num_edges = info->num_edges;
  copy->compatible_features = info->compatible_features;
  memcpy(copy->parameters, info->parameters, sizeof copy->parameters);
  for (uint32_t i = 0; i < info->num_sections && !status; i++)
    if (!is_written_anew(qn_container_section_at(container, i)))
      status = copy_section(qn_container_section_at(container, i), writer, error);
  return status ? status : qn_properties_write(writer, properties, vertices, edges, error);
}

enum qn_status qn_properties_attach(const struct qn_container *container,
                                    const struct qn_properties *properties,
                                    const uint64_t *vertices, const uint64_t *edges,
                                    const json_t *metadata, struct qn_writer *writer,
                                    struct qn_error *error) {
  const struct qn_section *own = qn_container_section(container, "metadata");
  enum qn_status status =
      qn_properties_attach_sections(container, properties, vertices, edges, writer, error);
  if (status)
    return status;
  if (metadata)
    return qn_writer_metadata(writer, metadata, error);
  return own ? copy_section(own, writer, error) : QN_OK;
}
