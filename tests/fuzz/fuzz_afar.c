/* Containers and archives on a server, which gives one or several ranges at once: what comes by
 * parts is what the file gives. An input is a list of edits of a sound file of several chunks a
 * section: u8 what the place is counted from (the beginning, or a section), u16 place, u8 value.
 * This file also is the network (support/remote/http.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quern/archive.h>
#include <quern/graph.h>
#include <quern/ids.h>
#include <quern/remote.h>

#include "formats/archive/by_parts.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_seal.h"
#include "support/remote/http.h"

enum { CONTAINER, ARCHIVE, NUM_KINDS };
static const char *const kinds[] = {[CONTAINER] = "container", [ARCHIVE] = "archive", NULL};

enum { VERTICES = 131100, EDGES = 262200, EDIT = 4 };

static const struct object {
  uint8_t *bytes;
  size_t size;
} none;
static struct object sound[NUM_KINDS], served;

/* ---- The network --------------------------------------------------------------- */

enum qn_status qn_http_create(struct qn_http **out, struct qn_error *error) {
  (void)error;
  *out = (struct qn_http *)&served;
  return QN_OK;
}

void qn_http_destroy(struct qn_http *http) {
  (void)http;
}

static const char *range_of(const struct qn_http_request *request) {
  static const char name[] = "Range: bytes=";
  for (const char *const *header = request->headers; *header; header++)
    if (strncmp(*header, name, sizeof name - 1) == 0)
      return *header + sizeof name - 1;
  return NULL;
}

/* The next "FIRST-LAST"; false if it is none of the object. */
static bool next_range(const char **text, size_t *first, size_t *last) {
  char *end;
  *first = strtoull(*text, &end, 10);
  *last = strtoull(end + (*end == '-'), &end, 10);
  *text = *end == ',' ? end + 1 : NULL;
  *last = *last < served.size ? *last : served.size - 1;
  return *first <= *last;
}

static bool give(const struct qn_http_request *request, size_t first, size_t last) {
  return request->take(request->user, served.bytes + first, last - first + 1);
}

static enum qn_http_end give_one(const struct qn_http_request *request, const char *range) {
  struct qn_http_answer answer = {.code = 206, .framed = true, .etag = "\"1\""};
  size_t first, last;
  if (!next_range(&range, &first, &last)) {
    answer.code = 416;
    return request->begin(request->user, &answer) ? QN_HTTP_DONE : QN_HTTP_ENDED;
  }
  answer.length = last - first + 1;
  snprintf(answer.content_range, sizeof answer.content_range, "bytes %zu-%zu/%zu", first, last,
           served.size);
  return request->begin(request->user, &answer) && give(request, first, last) ? QN_HTTP_DONE
                                                                              : QN_HTTP_ENDED;
}

static enum qn_http_end give_several(const struct qn_http_request *request, const char *range) {
  const struct qn_http_answer answer = {.code = 206,
                                        .framed = true,
                                        .etag = "\"1\"",
                                        .length = UINT64_MAX,
                                        .content_type = "multipart/byteranges; boundary=x"};
  bool wanted = request->begin(request->user, &answer);
  char line[128];
  while (range && wanted) {
    size_t first, last;
    FUZZ_PROMISE(next_range(&range, &first, &last));
    snprintf(line, sizeof line, "\r\n--x\r\nContent-Range: bytes %zu-%zu/%zu\r\n\r\n", first, last,
             served.size);
    wanted = request->take(request->user, line, strlen(line)) && give(request, first, last);
  }
  return wanted && request->take(request->user, "\r\n--x--\r\n", 9) ? QN_HTTP_DONE : QN_HTTP_ENDED;
}

enum qn_http_end qn_http_get(struct qn_http *http, const struct qn_http_request *request,
                             char message[QN_HTTP_MESSAGE]) {
  const char *range = range_of(request);
  (void)http, (void)message;
  FUZZ_PROMISE(range && strlen(range) < 8000);
  return strchr(range, ',') ? give_several(request, range) : give_one(request, range);
}

/* ---- Files ---------------------------------------------------------------------- */

/* What the library itself is asked for cannot fail. */
static void insist(enum qn_status status) {
  if (status)
    exit(5);
}

static void write_sound(const char *path) {
  struct qn_writer *writer;
  struct qn_error error;
  uint64_t *offsets, *ids;
  uint32_t *columns;
  insist(qn_writer_create(path, true, &writer, &error));
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->directedness = QN_DIRECTED;
  info->num_vertices = VERTICES;
  info->num_edges = EDGES;
  insist(qn_graph_write_rows(writer, VERTICES, &offsets, &error));
  for (uint64_t v = 0; v <= VERTICES; v++)
    offsets[v] = v * EDGES / VERTICES;
  insist(qn_graph_write_columns(writer, EDGES, &columns, &error));
  for (uint64_t e = 0; e < EDGES; e++)
    columns[e] = (uint32_t)((e / 2 * 7919 % (VERTICES / 2)) + (e % 2) * (VERTICES / 2));
  insist(qn_ids_write_ascending(writer, VERTICES, &ids, &error));
  for (uint64_t v = 0; v < VERTICES; v++)
    ids[v] = v * v;
  insist(qn_writer_commit(writer, &error));
}

static struct object read_file(const char *path) {
  struct object object = none;
  FILE *file = fopen(path, "rb");
  insist(file && fseek(file, 0, SEEK_END) == 0 ? QN_OK : QN_SYSTEM);
  object.size = (size_t)ftell(file);
  object.bytes = malloc(object.size);
  rewind(file);
  insist(object.bytes && fread(object.bytes, 1, object.size, file) == object.size ? QN_OK
                                                                                  : QN_SYSTEM);
  fclose(file);
  unlink(path);
  return object;
}

static void make_sound(void) {
  struct qn_container *container;
  struct qn_error error;
  setenv("QUERN_CACHE_SIZE", "0", 1);
  write_sound("afar.qrn");
  insist(qn_container_map("afar.qrn", 0, &container, &error));
  insist(qn_archive_write(container, "afar.qra", true, 1, &error));
  qn_container_unmap(container);
  sound[CONTAINER] = read_file("afar.qrn");
  sound[ARCHIVE] = read_file("afar.qra");
  served.bytes = malloc(sound[CONTAINER].size + sound[ARCHIVE].size);
  insist(served.bytes ? QN_OK : QN_SYSTEM);
}

static size_t place_of(uint8_t base, size_t place) {
  struct qn_disk_header header;
  struct qn_disk_section section;
  memcpy(&header, served.bytes, sizeof header);
  const size_t table =
      served.size - sizeof(struct qn_disk_footer) - header.num_sections * sizeof section;
  const unsigned sections = header.num_sections - 1u; /* not the hashes, which checksums guard */
  const unsigned chosen = base % (sections + 2);
  if (chosen >= sections)
    return ((chosen == sections ? 0 : table) + place) % served.size;
  memcpy(&section, served.bytes + table + chosen * sizeof section, sizeof section);
  return (section.offset + place) % served.size;
}

static void edit(unsigned kind, const uint8_t *data, size_t size) {
  served.size = sound[kind].size;
  memcpy(served.bytes, sound[kind].bytes, served.size);
  for (size_t at = 0; at + EDIT <= size; at += EDIT) {
    const size_t place = place_of(data[at], (size_t)data[at + 1] << 8 | data[at + 2]);
    served.bytes[place] = data[at + 3];
    if (place < sizeof(struct qn_disk_header)) /* by which places are counted */
      break;
  }
  fuzz_seal(served.bytes, served.size);
}

/* ---- Near and far ------------------------------------------------------------------ */

static struct qn_container *open_near(unsigned kind) {
  struct qn_container *container, *plain = NULL;
  struct qn_error error;
  const char *path = fuzz_file(served.bytes, served.size);
  if (qn_container_map(path, kind == ARCHIVE ? QN_MAP_ARCHIVE : 0, &container, &error))
    return NULL;
  if (kind == CONTAINER && qn_container_verify(container, &error) == QN_OK)
    return container;
  if (kind == ARCHIVE && qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE &&
      qn_archive_restore_nameless(container, "near", &plain, &error))
    plain = NULL;
  qn_container_unmap(container);
  return plain;
}

static struct qn_container *open_far(unsigned kind, bool *applies) {
  const unsigned flags = QN_MAP_PARTS | (kind == ARCHIVE ? (unsigned)QN_MAP_ARCHIVE : 0);
  struct qn_container *container, *plain = NULL;
  struct qn_error error = {0};
  *applies = true;
  if (qn_container_map_url("http://h/f", 0, UINT64_MAX, flags, &container, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    return NULL;
  }
  if (kind == ARCHIVE) {
    const bool failed = qn_archive_open_by_parts(&container, &plain, &error) != QN_OK;
    *applies = failed || plain;
    qn_container_unmap(container);
    container = plain;
  }
  if (container && qn_container_need_all(container, &error)) {
    FUZZ_PROMISE(error.message[0] != '\0');
    qn_container_unmap(container);
    return NULL;
  }
  return container;
}

static void compare(const struct qn_container *near, const struct qn_container *far) {
  const uint32_t count = qn_container_info(near)->num_sections;
  FUZZ_PROMISE(qn_container_info(far)->num_sections == count);
  for (uint32_t i = 0; i < count; i++) {
    const struct qn_section *a = qn_container_section_at(near, i),
                            *b = qn_container_section_at(far, i);
    FUZZ_PROMISE(a->stored_bytes == b->stored_bytes);
    FUZZ_PROMISE(!a->stored_bytes || memcmp(a->stored, b->stored, a->stored_bytes) == 0);
  }
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  bool applies;
  if (size && fuzz_choices(data, size) % NUM_KINDS != kind) /* either takes long */
    return false;
  if (!served.bytes)
    make_sound();
  edit(kind, data, size);
  struct qn_container *near = open_near(kind), *far = open_far(kind, &applies);
  const bool taken = near != NULL;
  FUZZ_PROMISE(!near || far || !applies);
  if (near && far)
    compare(near, far);
  qn_container_unmap(near);
  qn_container_unmap(far);
  return taken;
}

const struct fuzz_family fuzz_afar = {"afar", kinds, run};
