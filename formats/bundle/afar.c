/* The manifest comes first and says how long members are, so that it is known where the header of
 * each must lie: all of them come in few requests. */
#include "formats/bundle/afar.h"

#include <jansson.h>
#include <string.h>
#include <sys/mman.h>

#include "formats/bundle/blocks.h"
#include "formats/bundle/sets.h"
#include "support/checked.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/remote/multipart.h"
#include "support/remote/remote.h"

#define HEAD_BYTES ((uint64_t)64 << 10)
/* Of a member's headers, and what pads the content before them. */
#define WINDOW_BYTES ((uint64_t)8 << 10)
#define MOST_WINDOWS 64
/* Behind the last member. */
#define END_BYTES ((uint64_t)1 << 20)
#define MANIFEST_BYTES ((uint64_t)1 << 30)

struct bringing {
  const struct qn_bundle_source *source;
  uint8_t *content;
  uint64_t bytes;
  json_t *manifest;
  const json_t *members;
};

static enum qn_status refuse(const struct bringing *bringing, const char *what,
                             struct qn_error *error) {
  qn_fail(error, QN_INVALID, "%s", what);
  return qn_error_in_file(error, bringing->source->name), QN_INVALID;
}

/* Bytes [begin, end), which are cut at the bundle's. */
static struct qn_part part_of(const struct bringing *bringing, uint64_t begin, uint64_t end) {
  end = end < bringing->bytes ? end : bringing->bytes;
  return (struct qn_part){bringing->content + begin, begin, end - begin};
}

static enum qn_status bring(const struct bringing *bringing, uint64_t begin, uint64_t end,
                            struct qn_error *error) {
  const struct qn_part part = part_of(bringing, begin, end);
  return begin < end ? bringing->source->read(bringing->source->user, &part, 1, error) : QN_OK;
}

/* `*end`: where its content ends. */
static enum qn_status read_manifest(struct bringing *bringing, uint64_t *end,
                                    struct qn_error *error) {
  const uint64_t there = bringing->source->head_bytes;
  const uint64_t begin = qn_tar_content_at(bringing->content, 0, there);
  const uint64_t length =
      begin < there ? qn_tar_size(bringing->content + begin - QN_TAR_BLOCK) : UINT64_MAX;
  if (length > MANIFEST_BYTES || length > bringing->bytes - begin)
    return refuse(bringing, "no bundle: not a tar, or its first member is no manifest", error);
  *end = begin + length;
  enum qn_status status = bring(bringing, there, *end, error);
  if (!status)
    status = qn_json_parse((const char *)bringing->content + begin, length, JSON_REJECT_DUPLICATES,
                           &bringing->manifest, NULL, error);
  bringing->members = json_object_get(bringing->manifest, "members");
  return status || json_array_size(bringing->members)
             ? status
             : refuse(bringing, "no bundle: its first member is no manifest", error);
}

static uint64_t bytes_of(const struct bringing *bringing, uint64_t member) {
  const json_t *entry = json_array_get(bringing->members, member);
  return (uint64_t)json_integer_value(json_object_get(entry, "archive_bytes"));
}

/* Where content of so many bytes ends in the bundle; UINT64_MAX: not in it. */
static uint64_t end_in(const struct bringing *bringing, uint64_t begin, uint64_t bytes) {
  uint64_t end;
  return qn_add_u64(begin, bytes, &end) && end < bringing->bytes ? end : UINT64_MAX;
}

/* Where the headers of some members must lie, if each has one block, behind what ends at `end`. */
static uint64_t guess(const struct bringing *bringing, uint64_t member, uint64_t end,
                      struct qn_part *windows) {
  const uint64_t left = json_array_size(bringing->members) - member;
  uint64_t count = 0;
  for (; count < left && count < MOST_WINDOWS && end < bringing->bytes; count++) {
    windows[count] = part_of(bringing, end, end + WINDOW_BYTES);
    end =
        end_in(bringing, qn_tar_block_end(end) + QN_TAR_BLOCK, bytes_of(bringing, member + count));
  }
  return count;
}

/* All headers, of which those behind a longer one are asked for again. `*begin` and `*end` are of
 * the last member's content. */
static enum qn_status read_headers(const struct bringing *bringing, uint64_t *begin, uint64_t *end,
                                   struct qn_error *error) {
  struct qn_part windows[MOST_WINDOWS];
  enum qn_status status = QN_OK;
  for (uint64_t member = 0; !status && member < json_array_size(bringing->members);) {
    const uint64_t count = guess(bringing, member, *end, windows);
    status = count ? bringing->source->read(bringing->source->user, windows, count, error)
                   : refuse(bringing, "truncated, or no bundle", error);
    for (uint64_t i = 0; !status && i < count && windows[i].offset == *end; i++, member++) {
      *begin =
          qn_tar_content_at(bringing->content, qn_tar_block_end(*end), *end + windows[i].bytes);
      *end = *begin == UINT64_MAX ? *begin : end_in(bringing, *begin, bytes_of(bringing, member));
      if (*end == UINT64_MAX)
        status =
            refuse(bringing, "no bundle: its members are not as long as the manifest says", error);
    }
  }
  return status;
}

static enum qn_status read_rest(const struct bringing *bringing, uint64_t begin, uint64_t end,
                                struct qn_error *error) {
  const json_t *last = json_array_get(bringing->members, json_array_size(bringing->members) - 1);
  const char *role = json_string_value(json_object_get(last, "role"));
  const bool is_set = role && strcmp(role, QN_BUNDLE_SET_ROLE) == 0;
  if (bringing->bytes - end > END_BYTES)
    return refuse(bringing, "no bundle: the manifest does not name every member", error);
  if (is_set && end - begin > MANIFEST_BYTES)
    return refuse(bringing, "no bundle: the manifest of its set is too long", error);
  return bring(bringing, is_set ? begin : end, bringing->bytes, error);
}

enum qn_status qn_bundle_bring_from(const struct qn_bundle_source *source, const uint8_t **content,
                                    struct qn_error *error) {
  struct bringing bringing = {.source = source, .bytes = source->bytes};
  uint64_t begin = 0, end = 0;
  *content = NULL;
  if (!source->bytes)
    return refuse(&bringing, "no bundle: not a file with content", error);
  bringing.content = mmap(NULL, bringing.bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bringing.content == MAP_FAILED)
    return qn_fail_memory(error, "a bundle on a server", bringing.bytes);
  memcpy(bringing.content, source->head, source->head_bytes);
  enum qn_status status = read_manifest(&bringing, &end, error);
  if (!status)
    status = read_headers(&bringing, &begin, &end, error);
  if (!status)
    status = read_rest(&bringing, begin, end, error);
  json_decref(bringing.manifest);
  if (status)
    munmap(bringing.content, bringing.bytes);
  else
    *content = bringing.content;
  return status;
}

/* ---- On a server ------------------------------------------------------------ */

static enum qn_status read_remote(void *user, const struct qn_part *parts, uint64_t count,
                                  struct qn_error *error) {
  return qn_remote_read_parts(user, parts, count, error);
}

static enum qn_status bring_remote(struct qn_remote *remote, void *head, const uint8_t **content,
                                   uint64_t *bytes, struct qn_error *error) {
  struct qn_bundle_source source = {
      .name = qn_remote_name(remote), .head = head, .read = read_remote, .user = remote};
  enum qn_status status = qn_remote_read(remote, head, HEAD_BYTES, 0, &source.head_bytes, error);
  if (status)
    return status;
  if (source.head_bytes && !qn_remote_has_ranges(remote)) {
    qn_fail(error, QN_UNSUPPORTED, "the server gives no ranges of the bundle: download it first");
    return qn_error_in_file(error, source.name), QN_UNSUPPORTED;
  }
  *bytes = source.bytes = source.head_bytes ? qn_remote_bytes(remote) : 0;
  return qn_bundle_bring_from(&source, content, error);
}

enum qn_status qn_bundle_bring(const char *url, const uint8_t **content, uint64_t *bytes,
                               struct qn_error *error) {
  struct qn_remote *remote;
  void *head;
  *content = NULL;
  enum qn_status status = qn_remote_open(url, &remote, error);
  if (status)
    return status;
  status = qn_alloc(&head, HEAD_BYTES, 1, "the beginning of a bundle", error);
  if (!status)
    status = bring_remote(remote, head, content, bytes, error);
  qn_free(head);
  qn_remote_close(remote);
  return status;
}
