#include "library/session.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/archive/by_parts.h"
#include "formats/set/set.h"
#include "library/call.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/text/url.h"
#include <quern/archive.h>
#include <quern/open.h>
#include <quern/remote.h>
#include <quern/transpose.h>

/* ---- Opening --------------------------------------------------------------- */

static void destroy(struct qn_session *session) {
  if (session->has_graph)
    qn_graph_unmap(&session->graph);
  qn_graph_unmap(&session->in);
  qn_id_index_destroy(&session->index);
  qn_run_input_forget(&session->input);
  qn_properties_release(&session->properties);
  qn_free(session->type_names[0]);
  qn_free(session->type_names[1]);
  qn_container_unmap(session->container);
  pthread_mutex_destroy(&session->lock);
  qn_free(session->path);
  qn_free(session);
}

/* Views of what is mapped: nothing is read. */
static enum qn_status view(struct qn_session *session, struct qn_error *error) {
  enum qn_status status = qn_run_input_view(session->container, &session->input, error);
  if (status || session->input.info->layout != QN_LAYOUT_GRAPH)
    return status;
  status = qn_graph_view(session->container, &session->graph, error);
  session->has_graph = !status;
  return status;
}

enum qn_status qn_session_take(struct qn_container *container, const char *path, bool in_memory,
                               bool trusted, struct qn_session **out, struct qn_error *error) {
  struct qn_session *session;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&session, 1, sizeof *session, "a session", error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  session->references = 1;
  session->container = container;
  session->in_memory = in_memory;
  trusted = trusted && !qn_container_is_remote(container); /* which is verified anyway */
  session->trusted = trusted;
  pthread_mutex_init(&session->lock, NULL);
  status = qn_alloc(&session->path, strlen(path) + 1, 1, "a path", error);
  if (!status) {
    const char *shown = qn_path_shown(path, session->path, strlen(path) + 1);
    if (shown == path)
      strcpy(session->path, path);
    status = view(session, error);
  }
  if (status) {
    destroy(session);
    return status;
  }
  session->input.trusted = trusted;
  *out = session;
  return QN_OK;
}

/* A file, as it is or restored. */
static enum qn_status open_file(const char *path, unsigned flags, struct qn_container **out,
                                struct qn_error *error) {
  struct qn_container *archive;
  enum qn_status status =
      qn_container_map(path, QN_MAP_ARCHIVE | QN_MAP_PARTS | flags, &archive, error);
  if (status)
    return status;
  if (!(qn_container_info(archive)->incompatible_features & QN_FEATURE_ARCHIVE)) {
    *out = archive;
    return QN_OK;
  }
  status = qn_archive_open_by_parts(&archive, out, error);
  if (!status && !*out)
    status = qn_archive_restore_nameless(archive, path, out, error);
  qn_container_unmap(archive);
  return status;
}

struct opening {
  const char *path;
  unsigned flags;
  struct qn_session **out;
};

static enum qn_status open_session(void *argument, struct qn_error *error) {
  const struct opening *opening = argument;
  struct qn_container *container = NULL;
  struct qn_error as_file;
  const bool is_made =
      qn_set_recognise(opening->path) || (qn_is_url(opening->path) && qn_url_member(opening->path));
  const unsigned flags = opening->flags & QN_OPEN_PART ? QN_MAP_RECTANGULAR : 0;
  enum qn_status status = is_made ? QN_OK : open_file(opening->path, flags, &container, &as_file);
  if (is_made || (status == QN_SYSTEM &&
                  !qn_is_url(opening->path))) { /* no such file: perhaps a bundle's member */
    status = qn_container_open(opening->path, 0, &container, error);
  } else if (status && error) {
    *error = as_file;
  }
  if (status)
    return status;
  bool trusted = opening->flags & QN_OPEN_TRUST;
  status = qn_session_take(container, opening->path, false, trusted, opening->out, error);
  if (!status && opening->flags & QN_OPEN_VERIFY)
    status = qn_session_ensure_verified(*opening->out, QN_VERIFY_ALL, error);
  if (status) {
    qn_session_close(*opening->out);
    *opening->out = NULL;
  }
  return status;
}

enum qn_status qn_session_open(const char *path, unsigned flags, const struct qn_job *job,
                               struct qn_session **out, struct qn_error *error) {
  struct opening opening = {path, flags, out};
  *out = NULL;
  if (flags & ~(unsigned)(QN_OPEN_VERIFY | QN_OPEN_TRUST | QN_OPEN_PART))
    return qn_fail(error, QN_USAGE, "unknown flags: 0x%x", flags);
  if (flags & QN_OPEN_VERIFY && flags & QN_OPEN_TRUST)
    return qn_fail(error, QN_USAGE, "QN_OPEN_VERIFY and QN_OPEN_TRUST: choose one");
  return qn_call(job, open_session, &opening, error);
}

struct qn_session *qn_session_refer(struct qn_session *session) {
  __atomic_add_fetch(&session->references, 1, __ATOMIC_RELAXED);
  return session;
}

void qn_session_close(struct qn_session *session) {
  if (session && __atomic_sub_fetch(&session->references, 1, __ATOMIC_ACQ_REL) == 0)
    destroy(session);
}

/* ---- What is found when it is needed --------------------------------------- */

static enum qn_status verify(struct qn_session *session, enum qn_verify what,
                             struct qn_error *error) {
  if (session->verified >= what)
    return QN_OK;
  enum qn_status status = what == QN_VERIFY_ALL ? qn_container_check(session->container, error)
                                                : qn_run_input_check(&session->input, error);
  if (!status)
    session->verified = what;
  return status;
}

enum qn_status qn_session_ensure_verified(struct qn_session *session, enum qn_verify what,
                                          struct qn_error *error) {
  pthread_mutex_lock(&session->lock);
  enum qn_status status = verify(session, what, error);
  pthread_mutex_unlock(&session->lock);
  return status;
}

static enum qn_status ensure_order(struct qn_session *session, struct qn_error *error) {
  if (session->has_order)
    return QN_OK;
  enum qn_status status = qn_run_input_order(&session->input, error);
  __atomic_store_n(&session->has_order, !status, __ATOMIC_RELEASE);
  return status;
}

static enum qn_status insist_whole(const struct qn_session *session, struct qn_error *error) {
  if (!qn_is_rectangular(session->input.info))
    return QN_OK;
  qn_fail(error, QN_UNSUPPORTED,
          "this is a part of a set, which has the rows of some vertices alone; open the set");
  return qn_error_in_file(error, session->path), QN_UNSUPPORTED;
}

enum qn_status qn_session_ensure_input(struct qn_session *session, struct qn_error *error) {
  if (insist_whole(session, error))
    return QN_UNSUPPORTED;
  pthread_mutex_lock(&session->lock);
  enum qn_status status = session->trusted ? QN_OK : verify(session, QN_VERIFY_STRUCTURE, error);
  if (!status)
    status = ensure_order(session, error);
  pthread_mutex_unlock(&session->lock);
  return status;
}

static enum qn_status verify_ids(const struct qn_container *container, struct qn_error *error) {
  static const char *const sections[] = {"original_ids", "id_offsets", "id_bytes", NULL};
  return qn_container_verify_sections(container, sections, error);
}

/* They come from the server before they are looked at. */
static enum qn_status need_ids(const struct qn_container *container, struct qn_error *error) {
  return qn_container_is_remote(container) ? verify_ids(container, error) : QN_OK;
}

static enum qn_status check_ids(struct qn_session *session, struct qn_error *error) {
  if (session->verified || session->has_checked_ids)
    return QN_OK;
  enum qn_status status = need_ids(session->container, error);
  if (!status && !session->trusted)
    status = qn_container_confirm(session->container,
                                  qn_ids_check(session->container, &session->input.ids, error),
                                  verify_ids, error);
  __atomic_store_n(&session->has_checked_ids, !status, __ATOMIC_RELEASE);
  return status;
}

enum qn_status qn_session_check_ids(struct qn_session *session, struct qn_error *error) {
  pthread_mutex_lock(&session->lock);
  enum qn_status status = check_ids(session, error);
  pthread_mutex_unlock(&session->lock);
  return status;
}

enum qn_status qn_session_ensure_ids(struct qn_session *session, struct qn_error *error) {
  pthread_mutex_lock(&session->lock);
  enum qn_status status = check_ids(session, error);
  if (!status)
    status = ensure_order(session, error);
  pthread_mutex_unlock(&session->lock);
  return status;
}

static bool are_ascending_numbers(const struct qn_ids *ids) {
  return ids->kind == QN_IDS_NUMBERS && ids->ascending;
}

enum qn_status qn_session_ensure_index(struct qn_session *session, struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  enum qn_status status = qn_session_ensure_ids(session, error);
  if (status || !are_ascending_numbers(ids))
    return status;
  pthread_mutex_lock(&session->lock);
  if (!session->has_index)
    status = qn_id_index_create(&session->index, ids->numbers, ids->num_vertices, error);
  if (!status)
    __atomic_store_n(&session->has_index, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&session->lock);
  return status;
}

static enum qn_status ensure_graph(struct qn_session *session, enum qn_verify what,
                                   struct qn_error *error) {
  enum qn_status status = session->trusted ? QN_OK : verify(session, what, error);
  if (!status && qn_container_is_remote(session->container))
    status = qn_container_verify_weights(session->container, error);
  if (status || session->has_graph)
    return status;
  status = session->input.layout->restore(session->container, &session->graph, error);
  session->has_graph = !status;
  return status;
}

static enum qn_status ensure_rows(struct qn_session *session, enum qn_verify what,
                                  struct qn_error *error) {
  pthread_mutex_lock(&session->lock);
  enum qn_status status = ensure_graph(session, what, error);
  pthread_mutex_unlock(&session->lock);
  return status;
}

enum qn_status qn_session_ensure_graph(struct qn_session *session, enum qn_verify what,
                                       struct qn_error *error) {
  return insist_whole(session, error) ? QN_UNSUPPORTED : ensure_rows(session, what, error);
}

/* NULL: they are not there yet. */
static const struct qn_csr *in_rows(const struct qn_session *session) {
  if (session->input.info->directedness == QN_UNDIRECTED)
    return &session->graph.out;
  if (session->graph.has_transpose)
    return &session->graph.in;
  return session->in.owns_arrays ? &session->in.out : NULL;
}

enum qn_status qn_session_ensure_in_edges(struct qn_session *session, const struct qn_csr **in,
                                          struct qn_error *error) {
  if (insist_whole(session, error))
    return QN_UNSUPPORTED;
  pthread_mutex_lock(&session->lock);
  enum qn_status status = ensure_graph(session, QN_VERIFY_STRUCTURE, error);
  if (!status && !in_rows(session))
    status = qn_graph_create_transpose(&session->graph.out, &session->in, error);
  *in = status ? NULL : in_rows(session);
  pthread_mutex_unlock(&session->lock);
  return status;
}

struct verifying {
  struct qn_session *session;
  enum qn_verify what;
};

static enum qn_status verify_session(void *argument, struct qn_error *error) {
  const struct verifying *verifying = argument;
  return qn_session_ensure_verified(verifying->session, verifying->what, error);
}

enum qn_status qn_session_verify(struct qn_session *session, enum qn_verify what,
                                 const struct qn_job *job, struct qn_error *error) {
  struct verifying verifying = {session, what};
  if (what != QN_VERIFY_STRUCTURE && what != QN_VERIFY_ALL)
    return qn_fail(error, QN_USAGE, "there is nothing called %d to verify", (int)what);
  return qn_call(job, verify_session, &verifying, error);
}

/* ---- What it is ------------------------------------------------------------ */

static enum qn_type type_of_weights(enum qn_weight_type type) {
  switch (type) {
  case QN_WEIGHT_U32:
    return QN_TYPE_U32;
  case QN_WEIGHT_F32:
    return QN_TYPE_F32;
  case QN_WEIGHT_I64:
    return QN_TYPE_I64;
  case QN_WEIGHT_F64:
    return QN_TYPE_F64;
  default:
    return QN_TYPE_NONE;
  }
}

/* Is the graph in the container itself? */
static bool is_mapped(const struct qn_session *session) {
  return session->input.info->layout == QN_LAYOUT_GRAPH;
}

static bool has_mapped_in_edges(const struct qn_session *session) {
  return is_mapped(session) &&
         (session->input.info->directedness == QN_UNDIRECTED || session->graph.has_transpose);
}

/* What is mapped of a container on a server has to come first. */
bool qn_session_has_rows(const struct qn_session *session, enum qn_rows which) {
  return !qn_container_is_remote(session->container) &&
         (which == QN_ROWS_OUT ? is_mapped(session) : has_mapped_in_edges(session));
}

const struct qn_csr *qn_session_rows(const struct qn_session *session, enum qn_rows which) {
  return which == QN_ROWS_OUT ? &session->graph.out : in_rows(session);
}

void qn_session_info(const struct qn_session *session, struct qn_session_info *out) {
  const struct qn_container_info *header = session->input.info;
  struct qn_session_info info = {
      .num_vertices = header->num_vertices,
      .num_edges = header->num_edges,
      .layout = qn_layout_name(header->layout),
      .weight_type = type_of_weights(header->weight_type),
      .id_form = (enum qn_id_form)session->input.ids.kind,
      .directed = header->directedness == QN_DIRECTED,
      .has_in_edges = has_mapped_in_edges(session),
      .in_memory = session->in_memory,
      .bytes = header->file_bytes,
      .identity = header->header_checksum,
      .num_sections = header->num_sections,
      .path = session->path,
  };
  qn_sized_copy(out, &info, sizeof info);
}

enum qn_status qn_text_of_json(json_t *json, char **text, struct qn_error *error) {
  *text = NULL;
  if (!json)
    return qn_fail_memory(error, "a JSON text", 0);
  enum qn_status status = qn_json_check_memory(error);
  if (status) {
    json_decref(json);
    return status;
  }
  size_t bytes = json_dumpb(json, NULL, 0, JSON_COMPACT);
  if (bytes)
    *text = malloc(bytes + 1);
  if (*text && json_dumpb(json, *text, bytes, JSON_COMPACT) == bytes) {
    (*text)[bytes] = '\0';
  } else {
    free(*text);
    *text = NULL;
  }
  json_decref(json);
  return *text ? QN_OK : qn_fail_memory(error, "a JSON text", bytes);
}

struct describing {
  struct qn_session *session;
  char **json;
};

static enum qn_status describe(void *argument, struct qn_error *error) {
  const struct describing *describing = argument;
  json_t *json;
  enum qn_status status = qn_container_describe(describing->session->container, &json, error);
  return status ? status : qn_text_of_json(json, describing->json, error);
}

enum qn_status qn_session_describe(struct qn_session *session, char **json,
                                   struct qn_error *error) {
  struct describing describing = {session, json};
  *json = NULL;
  return qn_call(NULL, describe, &describing, error);
}

/* ---- Arrays ---------------------------------------------------------------- */

static void give_rows(const struct qn_csr *csr, bool mapped, struct qn_edge_rows *out) {
  struct qn_edge_rows rows = {
      .num_vertices = csr->num_vertices,
      .num_edges = csr->num_edges,
      .row_offsets = csr->row_offsets,
      .column_indices = csr->column_indices,
      .weights = csr->weights.data,
      .weight_type = type_of_weights(csr->weights.type),
      .mapped = mapped,
  };
  qn_sized_copy(out, &rows, sizeof rows);
}

static enum qn_status put_together(void *session, struct qn_error *error) {
  return ensure_rows(session, QN_VERIFY_STRUCTURE, error);
}

static enum qn_status turn_round(void *session, struct qn_error *error) {
  const struct qn_csr *in;
  return qn_session_ensure_in_edges(session, &in, error);
}

enum qn_status qn_session_out_edges(struct qn_session *session, const struct qn_job *job,
                                    struct qn_edge_rows *rows, struct qn_error *error) {
  enum qn_status status = qn_session_has_rows(session, QN_ROWS_OUT)
                              ? QN_OK
                              : qn_call(job, put_together, session, error);
  if (!status)
    give_rows(&session->graph.out, is_mapped(session), rows);
  return status;
}

enum qn_status qn_session_in_edges(struct qn_session *session, const struct qn_job *job,
                                   struct qn_edge_rows *rows, struct qn_error *error) {
  bool mapped = has_mapped_in_edges(session);
  enum qn_status status =
      qn_session_has_rows(session, QN_ROWS_IN) ? QN_OK : qn_call(job, turn_round, session, error);
  if (!status)
    give_rows(in_rows(session), mapped, rows);
  return status;
}

static enum qn_status bring_ids(void *session, struct qn_error *error) {
  return verify_ids(((struct qn_session *)session)->container, error);
}

enum qn_status qn_session_ids(struct qn_session *session, struct qn_id_arrays *out,
                              struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  enum qn_status status =
      qn_container_is_remote(session->container) ? qn_call(NULL, bring_ids, session, error) : QN_OK;
  if (status)
    return status;
  struct qn_id_arrays arrays = {
      .form = (enum qn_id_form)ids->kind,
      .ascending = ids->ascending,
      .num_vertices = ids->num_vertices,
      .numbers = ids->numbers,
      .offsets = ids->string_offsets,
      .bytes = ids->string_bytes,
  };
  qn_sized_copy(out, &arrays, sizeof arrays);
  return QN_OK;
}

/* ---- Sections -------------------------------------------------------------- */

static enum qn_type type_of_section(const struct qn_section *section) {
  static const enum qn_type unsigneds[] = {QN_TYPE_U8, QN_TYPE_U16, QN_TYPE_U32, QN_TYPE_U64};
  static const enum qn_type signeds[] = {QN_TYPE_I8, QN_TYPE_I16, QN_TYPE_I32, QN_TYPE_I64};
  static const enum qn_type reals[] = {QN_TYPE_NONE, QN_TYPE_NONE, QN_TYPE_F32, QN_TYPE_F64};
  static const enum qn_type *const types[] = {
      [QN_ELEMENT_UNSIGNED] = unsigneds, [QN_ELEMENT_SIGNED] = signeds, [QN_ELEMENT_FLOAT] = reals};
  if (section->element_type == QN_ELEMENT_TEXT)
    return QN_TYPE_U8;
  if (section->element_type > QN_ELEMENT_FLOAT || section->element_bytes > 8 ||
      __builtin_popcount(section->element_bytes) != 1)
    return QN_TYPE_NONE;
  return types[section->element_type][__builtin_ctz(section->element_bytes)];
}

static void give_section(const struct qn_section *section, struct qn_section_array *out) {
  struct qn_section_array array = {
      .name = section->name,
      .type = type_of_section(section),
      .count = section->count,
      .item_size = section->element_bytes,
      .data = section->data,
  };
  qn_sized_copy(out, &array, sizeof array);
}

struct bringing {
  const struct qn_container *container;
  const struct qn_section *section;
};

static enum qn_status bring_section(void *argument, struct qn_error *error) {
  const struct bringing *bringing = argument;
  const char *data = bringing->section->data;
  return qn_container_need(bringing->container, data, data + bringing->section->stored_bytes,
                           error);
}

enum qn_status qn_session_section(const struct qn_session *session, uint64_t index,
                                  struct qn_section_array *array, struct qn_error *error) {
  if (index >= session->input.info->num_sections)
    return qn_fail(error, QN_USAGE, "there are %" PRIu32 " sections, so none at %" PRIu64,
                   session->input.info->num_sections, index);
  struct bringing bringing = {session->container,
                              qn_container_section_at(session->container, (uint32_t)index)};
  if (bringing.section->data && qn_container_is_remote(session->container)) {
    enum qn_status status = qn_call(NULL, bring_section, &bringing, error);
    if (status)
      return status;
  }
  give_section(bringing.section, array);
  return QN_OK;
}

enum qn_status qn_session_section_named(const struct qn_session *session, const char *name,
                                        struct qn_section_array *array, struct qn_error *error) {
  const struct qn_section *section = qn_container_section(session->container, name);
  if (!section)
    return qn_fail(error, QN_USAGE, "there is no section called '%s'", name);
  give_section(section, array);
  return QN_OK;
}
