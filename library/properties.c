/* Properties of sessions. */
#include <inttypes.h>
#include <string.h>

#include "formats/container/stripes.h"
#include "library/call.h"
#include "library/options.h"
#include "library/outputs.h"
#include "library/session.h"
#include "support/memory.h"
#include "support/used_files.h"
#include <quern/build.h>

/* ---- Looking -------------------------------------------------------------- */

static const struct qn_property_table *table_of(const struct qn_session *session, bool of_edges) {
  return of_edges ? &session->properties.of_edges : &session->properties.of_vertices;
}

static enum qn_status name_types(struct qn_session *session, bool of_edges,
                                 struct qn_error *error) {
  const struct qn_property_table *table = table_of(session, of_edges);
  enum qn_status status = QN_OK;
  if (!session->type_names[of_edges])
    status = qn_alloc(&session->type_names[of_edges], table->count,
                      sizeof *session->type_names[of_edges], "types of properties", error);
  for (uint32_t i = 0; i < table->count && !status; i++)
    qn_property_type_name(table->columns[i].type, session->type_names[of_edges][i]);
  return status;
}

static enum qn_status view(struct qn_session *session, struct qn_error *error) {
  qn_properties_release(&session->properties);
  enum qn_status status = qn_properties_view(session->container, &session->properties, error);
  if (!status)
    status = name_types(session, false, error);
  return status ? status : name_types(session, true, error);
}

static enum qn_status ensure(struct qn_session *session, struct qn_error *error) {
  pthread_mutex_lock(&session->lock);
  enum qn_status status = QN_OK;
  if (!session->has_properties)
    status = view(session, error);
  session->has_properties |= !status;
  pthread_mutex_unlock(&session->lock);
  return status;
}

enum qn_status qn_session_properties(struct qn_session *session, uint64_t *of_vertices,
                                     uint64_t *of_edges, struct qn_error *error) {
  enum qn_status status = ensure(session, error);
  *of_vertices = session->properties.of_vertices.count;
  *of_edges = session->properties.of_edges.count;
  return status;
}

/* Of the numbers of vectors; the bits of reals of 2 bytes. */
static enum qn_type type_of(enum qn_property_type type) {
  static const enum qn_type of_widths[3][9] = {
      {[1] = QN_TYPE_U8, [2] = QN_TYPE_U16, [4] = QN_TYPE_U32, [8] = QN_TYPE_U64},
      {[1] = QN_TYPE_I8, [2] = QN_TYPE_I16, [4] = QN_TYPE_I32, [8] = QN_TYPE_I64},
      {[2] = QN_TYPE_U16, [4] = QN_TYPE_F32, [8] = QN_TYPE_F64}};
  const enum qn_property_class kind = qn_property_class_of(type);
  const bool is_signed =
      kind == QN_PROPERTY_SIGNED || kind == QN_PROPERTY_DAYS || kind == QN_PROPERTY_TIME;
  return of_widths[kind == QN_PROPERTY_REAL ? 2 : is_signed][qn_property_number_bytes(type)];
}

enum qn_status qn_session_property(struct qn_session *session, bool of_edges, uint64_t index,
                                   struct qn_property_array *array, struct qn_error *error) {
  enum qn_status status = ensure(session, error);
  const struct qn_property_table *table = table_of(session, of_edges);
  if (status)
    return status;
  if (index >= table->count)
    return qn_fail(error, QN_USAGE, "there is no property number %" PRIu64, index);
  const struct qn_property *column = &table->columns[index];
  const uint32_t dimension = qn_property_dimension(column->type);
  const struct qn_property_array found = {.name = column->name,
                                          .type_name = session->type_names[of_edges][index],
                                          .type = type_of(column->type),
                                          .count = column->count,
                                          .nulls = column->nulls,
                                          .values = column->values,
                                          .offsets = column->offsets,
                                          .bytes = column->bytes,
                                          .valid = column->valid,
                                          .dimension = dimension ? dimension : 1};
  qn_sized_copy(array, &found, sizeof found);
  return QN_OK;
}

/* ---- Attaching ------------------------------------------------------------ */

struct attaching {
  struct qn_session *session;
  const struct qn_property_array *arrays[2]; /* of vertices, of edges */
  uint64_t counts[2];
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  struct qn_session **out;
  bool replace;
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct attaching, replace)}, {0}};

/* Texts lie one after the other in the bytes: else what is copied is not what is there. */
static enum qn_status check_offsets(const struct qn_property_array *array, struct qn_error *error) {
  const uint64_t *offsets = array->offsets;
  bool right = offsets[0] == 0 && offsets[array->count] == array->bytes;
  for (uint64_t i = 0; i < array->count && right; i++)
    right = offsets[i] <= offsets[i + 1];
  return right ? QN_OK
               : qn_fail(error, QN_USAGE,
                         "the offsets of the property '%s' do not ascend from 0 to its %" PRIu64
                         " bytes",
                         array->name, array->bytes);
}

static enum qn_status take_array(const struct qn_property_array *given, uint64_t count,
                                 struct qn_property *column, struct qn_error *error) {
  struct qn_property_array array;
  qn_sized_read(&array, sizeof array, given);
  if (!array.name || !qn_property_is_name(array.name, strlen(array.name)))
    return qn_fail(error, QN_USAGE,
                   "the name of a property is 1 to %d bytes of UTF-8 without control characters",
                   QN_PROPERTY_NAME_BYTES);
  *column = (struct qn_property){.count = count, .values = array.values, .valid = array.valid};
  memcpy(column->name, array.name, strlen(array.name) + 1);
  if (!array.type_name || !qn_property_type_of(array.type_name, &column->type))
    return qn_fail(error, QN_USAGE, "the property '%s' has no type that there is", array.name);
  bool strings = column->type == QN_PROPERTY_STRING;
  if (array.count != count || (count && !array.values && !(strings && !array.bytes)) ||
      (strings && !array.offsets))
    return qn_fail(error, QN_USAGE, "the property '%s' needs %" PRIu64 " values", array.name,
                   count);
  column->offsets = strings ? array.offsets : NULL;
  column->bytes = strings ? array.bytes : 0;
  return strings ? check_offsets(&array, error) : QN_OK;
}

/* Arrays of a caller's that knows more or less of the struct lie further apart, or nearer. */
static enum qn_status take_table(const struct qn_property_array *arrays, uint64_t num_arrays,
                                 uint64_t count, struct qn_property_table *table,
                                 struct qn_error *error) {
  const uint64_t stride = num_arrays ? arrays->size : 0;
  enum qn_status status =
      qn_alloc_zeroed(&table->columns, num_arrays, sizeof *table->columns, "properties", error);
  for (uint64_t i = 0; i < num_arrays && !status; i++)
    status = take_array((const void *)((const char *)arrays + i * stride), count,
                        &table->columns[table->count++], error);
  return status;
}

/* The rules hold for what came out. */
static enum qn_status check(const struct attaching *attaching, const struct qn_container *container,
                            struct qn_error *error) {
  struct qn_properties properties;
  const struct qn_session *session = attaching->session;
  enum qn_status status = qn_properties_view(container, &properties, error);
  if (!status)
    status = qn_properties_check(container, &properties, error);
  if (!status && qn_container_info(container)->directedness == QN_UNDIRECTED)
    status = qn_properties_check_directions(container, &properties, &session->graph.out, error);
  qn_properties_release(&properties);
  return status;
}

/* A container that is made, checked and given as the session; it is taken over. */
static enum qn_status give(const struct attaching *attaching, struct qn_container *made,
                           struct qn_error *error) {
  enum qn_status status = check(attaching, made, error);
  if (!status && attaching->out)
    return qn_session_of_output(made, attaching->path, attaching->out, error);
  qn_container_unmap(made);
  return status;
}

static enum qn_status judge(void *context, int descriptor, struct qn_error *error) {
  const struct attaching *attaching = context;
  struct qn_container *made;
  enum qn_status status = qn_container_map_descriptor(descriptor, attaching->path, 0, &made, error);
  return status ? status : give(attaching, made, error);
}

/* The session is there before the file has its name: if there can be none, nothing is left. */
static enum qn_status finish(struct attaching *attaching, struct qn_writer *writer,
                             struct qn_error *error) {
  struct qn_container *made;
  enum qn_status status;
  if (!attaching->path) {
    status = qn_writer_commit_nameless(writer, "(in memory)", &made, error);
    return status ? status : give(attaching, made, error);
  }
  status = qn_writer_commit_judged(writer, judge, attaching, error);
  if (status && attaching->out) {
    qn_session_close(*attaching->out);
    *attaching->out = NULL;
  }
  return status;
}

static enum qn_status make(struct attaching *attaching, const struct qn_properties *properties,
                           struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = qn_writer_create(attaching->path, attaching->replace, &writer, error);
  if (status)
    return status;
  status = qn_properties_attach(attaching->session->container, properties, NULL, NULL, NULL, writer,
                                error);
  if (!status)
    return finish(attaching, writer, error);
  qn_writer_abort(writer);
  return status;
}

static enum qn_status attach(void *argument, struct qn_error *error) {
  struct attaching *attaching = argument;
  struct qn_session *session = attaching->session;
  const struct qn_settings settings[] = {{output_settings, attaching}, {0}};
  struct qn_properties properties = {0};
  enum qn_status status = qn_options_apply(attaching->given, attaching->num_given, settings, error);
  if (!status)
    status = qn_input_kept(attaching->path, session->path, error);
  if (!status)
    status = qn_session_ensure_graph(session, QN_VERIFY_ALL, error);
  const struct qn_container_info *info = qn_container_info(session->container);
  if (!status)
    status = take_table(attaching->arrays[0], attaching->counts[0], info->num_vertices,
                        &properties.of_vertices, error);
  if (!status)
    status = take_table(attaching->arrays[1], attaching->counts[1], info->num_edges,
                        &properties.of_edges, error);
  if (!status)
    status = make(attaching, &properties, error);
  qn_properties_release(&properties);
  return status;
}

enum qn_status qn_session_attach(struct qn_session *session,
                                 const struct qn_property_array *of_vertices,
                                 uint64_t num_of_vertices, const struct qn_property_array *of_edges,
                                 uint64_t num_of_edges, const struct qn_option *options,
                                 uint64_t num_options, const char *path, const struct qn_job *job,
                                 struct qn_session **out, struct qn_error *error) {
  struct attaching attaching = {.session = session,
                                .arrays = {of_vertices, of_edges},
                                .counts = {num_of_vertices, num_of_edges},
                                .given = options,
                                .num_given = num_options,
                                .path = path,
                                .out = out};
  enum qn_status status = qn_output_begin(path, out, error);
  return status ? status : qn_call(job, attach, &attaching, error);
}
