#include "formats/layouts/checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "support/json_text.h"

enum { PARAMETER_IDENTITY, PARAMETER_LAYOUT, PARAMETER_BEGIN, PARAMETER_END, NUM_PARAMETERS };

/* A container holds sections, each with a name. */
static const char *const SECTIONS[] = {"run",    "registers", "parts", "values",
                                       "active", "waiting",   NULL};

/* A list's records are numbers in the file. */
#define PART_NUMBERS 3
_Static_assert(sizeof(struct qn_checkpoint_part) == PART_NUMBERS * sizeof(uint64_t), "no padding");

/* ---- Writing ---------------------------------------------------------------- */

static enum qn_status add_section(struct qn_writer *writer, const char *name,
                                  enum qn_element_type type, uint32_t element_bytes, uint64_t count,
                                  const void *data, struct qn_error *error) {
  char *bytes;
  enum qn_status status = qn_writer_section(
      writer,
      &(struct qn_section_spec){
          .name = name, .element_type = type, .element_bytes = element_bytes, .count = count},
      &bytes, error);
  if (status)
    return status;
  const uint64_t step = (uint64_t)1 << 20, total = count * element_bytes;
#pragma omp parallel for schedule(static)
  for (uint64_t at = 0; at < total; at += step)
    memcpy(bytes + at, (const char *)data + at, total - at < step ? total - at : step);
  return QN_OK;
}

static enum qn_status add_bits(struct qn_writer *writer, const char *name, const uint64_t *bits,
                               const struct qn_checkpoint *checkpoint, struct qn_error *error) {
  return bits ? add_section(writer, name, QN_ELEMENT_UNSIGNED, 8,
                            qn_checkpoint_words(checkpoint->begin, checkpoint->end), bits, error)
              : QN_OK;
}

static void fill_info(struct qn_container_info *info, const struct qn_checkpoint *checkpoint) {
  info->layout = QN_LAYOUT_CHECKPOINT;
  info->num_vertices = checkpoint->num_vertices;
  info->num_edges = checkpoint->num_edges;
  info->weight_type = checkpoint->weight_type;
  info->directedness = checkpoint->directedness;
  info->parameters[PARAMETER_IDENTITY] = checkpoint->graph_identity;
  info->parameters[PARAMETER_LAYOUT] = checkpoint->graph_layout;
  if (checkpoint->is_list || checkpoint->end - checkpoint->begin == checkpoint->num_vertices)
    return;
  info->parameters[PARAMETER_BEGIN] = checkpoint->begin;
  info->parameters[PARAMETER_END] = checkpoint->end;
}

static enum qn_status add_state(struct qn_writer *writer, const struct qn_checkpoint *checkpoint,
                                struct qn_error *error) {
  if (checkpoint->is_list)
    return add_section(writer, "parts", QN_ELEMENT_UNSIGNED, 8,
                       PART_NUMBERS * checkpoint->num_parts, checkpoint->parts, error);
  enum qn_status status =
      add_section(writer, "values", QN_ELEMENT_OPAQUE, checkpoint->value_bytes,
                  checkpoint->end - checkpoint->begin, checkpoint->values, error);
  if (!status)
    status = add_bits(writer, "active", checkpoint->active, checkpoint, error);
  return status ? status : add_bits(writer, "waiting", checkpoint->waiting, checkpoint, error);
}

enum qn_status qn_checkpoint_write(const char *path, const struct qn_checkpoint *checkpoint,
                                   uint64_t *identity, struct qn_error *error) {
  struct qn_writer *writer;
  struct qn_container *made;
  enum qn_status status = qn_writer_create(path, true, &writer, error);
  if (status)
    return status;
  fill_info(qn_writer_info(writer), checkpoint);
  if ((status = add_section(writer, "run", QN_ELEMENT_TEXT, 1, checkpoint->run_bytes,
                            checkpoint->run, error)) ||
      (status = add_section(writer, "registers", QN_ELEMENT_UNSIGNED, 8, QN_CHECKPOINT_REGISTERS,
                            checkpoint->registers, error)) ||
      (status = add_state(writer, checkpoint, error))) {
    qn_writer_abort(writer);
    return status;
  }
  if (!identity)
    return qn_writer_commit(writer, error);
  status = qn_writer_finish(writer, path, &made, error);
  if (status)
    return status;
  *identity = qn_container_info(made)->header_checksum;
  qn_container_unmap(made);
  return QN_OK;
}

/* ---- Reading ---------------------------------------------------------------- */

static enum qn_status view_header(const struct qn_container *container,
                                  struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  memset(checkpoint, 0, sizeof *checkpoint);
  if (info->layout != QN_LAYOUT_CHECKPOINT) {
    qn_fail(error, QN_INVALID, "this is not a checkpoint but a container of the layout %s",
            qn_layout_name(info->layout));
    return qn_error_in_file(error, qn_container_path(container)), QN_INVALID;
  }
  uint64_t layout = info->parameters[PARAMETER_LAYOUT];
  if (layout != QN_LAYOUT_SET && (layout > UINT32_MAX || !qn_layout_holds_graph((uint32_t)layout)))
    return qn_container_violation(container, error, "K-1",
                                  "%" PRIu64 " is not a layout that can be run on", layout);
  checkpoint->graph_identity = info->parameters[PARAMETER_IDENTITY];
  checkpoint->graph_layout = (enum qn_layout)layout;
  checkpoint->num_vertices = info->num_vertices;
  checkpoint->num_edges = info->num_edges;
  checkpoint->weight_type = info->weight_type;
  checkpoint->directedness = info->directedness;
  enum qn_status status = qn_container_refuse_parameters(container, NUM_PARAMETERS, error);
  return status ? status : qn_container_check_sections(container, SECTIONS, error);
}

static enum qn_status view_run(const struct qn_container *container,
                               struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status =
      qn_container_require_any(container, "run", QN_ELEMENT_TEXT, 1, &section, error);
  json_t *object = NULL;
  if (!status)
    status =
        qn_json_parse(section->data, section->count, JSON_REJECT_DUPLICATES, &object, NULL, error);
  if (status)
    return status;
  bool is_object = json_is_object(object);
  json_decref(object);
  if (!is_object)
    return qn_container_violation(container, error, "K-2",
                                  "the section run does not hold one JSON object");
  checkpoint->run = section->data;
  checkpoint->run_bytes = section->count;
  return QN_OK;
}

static enum qn_status view_registers(const struct qn_container *container,
                                     struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status = qn_container_require(container, "registers", QN_ELEMENT_UNSIGNED, 8,
                                               QN_CHECKPOINT_REGISTERS, &section, error);
  if (status)
    return status;
  checkpoint->registers = section->data;
  if (checkpoint->registers[0] == 0 || checkpoint->registers[0] > UINT32_MAX)
    return qn_container_violation(container, error, "K-3",
                                  "%" PRIu64 " iterations are done, not 1 to 2^32 - 1",
                                  checkpoint->registers[0]);
  return QN_OK;
}

/* The vertices that the file is about. */
static enum qn_status view_range(const struct qn_container *container,
                                 struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const uint64_t *parameters = qn_container_info(container)->parameters;
  const uint64_t begin = parameters[PARAMETER_BEGIN], end = parameters[PARAMETER_END];
  checkpoint->is_list = qn_container_section(container, "parts") != NULL;
  checkpoint->begin = begin;
  checkpoint->end = end ? end : checkpoint->num_vertices;
  if ((begin == 0 && end == 0) ||
      (!checkpoint->is_list && begin < end && end <= checkpoint->num_vertices))
    return QN_OK;
  return qn_container_violation(container, error, "K-6",
                                "[%" PRIu64 ", %" PRIu64 ") is not the vertex range of a part",
                                begin, end);
}

static enum qn_status view_parts(const struct qn_container *container,
                                 struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const struct qn_section *section = qn_container_section(container, "parts");
  uint64_t end = 0;
  bool is_sound = section->element_type == QN_ELEMENT_UNSIGNED && section->element_bytes == 8 &&
                  section->count % PART_NUMBERS == 0;
  checkpoint->parts = section->data;
  checkpoint->num_parts = is_sound ? section->count / PART_NUMBERS : 0;
  for (uint64_t i = 0; i < checkpoint->num_parts && is_sound; i++) {
    is_sound = checkpoint->parts[i].begin == end && checkpoint->parts[i].end > end;
    end = checkpoint->parts[i].end;
  }
  if (is_sound && end == checkpoint->num_vertices)
    return QN_OK;
  return qn_container_violation(container, error, "K-7",
                                "the ranges of the parts do not follow each other up to the last "
                                "vertex");
}

static enum qn_status view_values(const struct qn_container *container,
                                  struct qn_checkpoint *checkpoint, struct qn_error *error) {
  const struct qn_section *section = qn_container_section(container, "values");
  if (checkpoint->is_list)
    return !section && !qn_container_section(container, "active") &&
                   !qn_container_section(container, "waiting")
               ? view_parts(container, checkpoint, error)
               : qn_container_violation(container, error, "K-4",
                                        "there are values or bits beside the section parts");
  if (!section || section->element_type != QN_ELEMENT_OPAQUE ||
      section->count != checkpoint->end - checkpoint->begin)
    return qn_container_violation(container, error, "K-4",
                                  "there is no section values of one record a vertex");
  checkpoint->values = section->data;
  checkpoint->value_bytes = section->element_bytes;
  return QN_OK;
}

/* One of the bitmaps, which need not be there. */
static enum qn_status view_bits(const struct qn_container *container, const char *name,
                                const struct qn_checkpoint *checkpoint, const uint64_t **bits,
                                struct qn_error *error) {
  const struct qn_section *section;
  const uint64_t begin = checkpoint->begin, end = checkpoint->end,
                 words = qn_checkpoint_words(begin, end);
  *bits = NULL;
  if (!qn_container_section(container, name))
    return QN_OK;
  enum qn_status status =
      qn_container_require(container, name, QN_ELEMENT_UNSIGNED, 8, words, &section, error);
  if (status)
    return status;
  *bits = section->data;
  if (words && (((*bits)[0] & (((uint64_t)1 << (begin % 64)) - 1)) ||
                (end % 64 && (*bits)[words - 1] >> (end % 64))))
    return qn_container_violation(container, error, "K-5",
                                  "the section %s has bits of vertices that the file is not about",
                                  name);
  return QN_OK;
}

enum qn_status qn_checkpoint_view(const struct qn_container *container,
                                  struct qn_checkpoint *checkpoint, struct qn_error *error) {
  enum qn_status status;
  if ((status = view_header(container, checkpoint, error)) ||
      (status = view_range(container, checkpoint, error)) ||
      (status = view_run(container, checkpoint, error)) ||
      (status = view_registers(container, checkpoint, error)) ||
      (status = view_values(container, checkpoint, error)) ||
      (status = view_bits(container, "active", checkpoint, &checkpoint->active, error)))
    return status;
  return view_bits(container, "waiting", checkpoint, &checkpoint->waiting, error);
}

/* ---- The table of layouts ----------------------------------------------------- */

enum qn_status qn_checkpoint_verify(const struct qn_container *container, struct qn_error *error) {
  struct qn_checkpoint checkpoint;
  return qn_checkpoint_view(container, &checkpoint, error);
}

enum qn_status qn_checkpoint_describe(const struct qn_container *container, json_t *object,
                                      struct qn_error *error) {
  static const char *const read[] = {"run", "registers", "parts", "active", "waiting", NULL};
  struct qn_checkpoint checkpoint;
  char identity[20];
  enum qn_status status = qn_checkpoint_view(container, &checkpoint, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (status)
    return status;
  snprintf(identity, sizeof identity, "%016" PRIx64, checkpoint.graph_identity);
  json_object_set_new(object, "graph_identity", json_string(identity));
  json_object_set_new(object, "graph_layout", json_string(qn_layout_name(checkpoint.graph_layout)));
  json_object_set_new(object, "iterations", json_integer((json_int_t)checkpoint.registers[0]));
  if (checkpoint.is_list)
    json_object_set_new(object, "parts", json_integer((json_int_t)checkpoint.num_parts));
  else if (checkpoint.end - checkpoint.begin != checkpoint.num_vertices)
    json_object_set_new(
        object, "part",
        json_pack("[I, I]", (json_int_t)checkpoint.begin, (json_int_t)checkpoint.end));
  json_object_set_new(object, "run", json_loadb(checkpoint.run, checkpoint.run_bytes, 0, NULL));
  return QN_OK;
}

enum qn_status qn_checkpoint_restore(const struct qn_container *container, struct qn_graph *graph,
                                     struct qn_error *error) {
  memset(graph, 0, sizeof *graph);
  qn_fail(error, QN_UNSUPPORTED,
          "this is a checkpoint of a run; the graph is in the container that it ran on");
  return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
}
