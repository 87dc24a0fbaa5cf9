#include "support/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/checked.h"
#include "support/input/block_hash.h"
#include "support/input/source.h"
#include "support/memory.h"
#include "support/remote/remote.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include "support/used_files.h"

struct qn_input {
  struct qn_input_options options;
  char *path; /* of the file, without member */
  char *name;
  const char *base_name;
  const char *packing;
  /* Either mapped, or read through a descriptor; in both cases perhaps through an archive. */
  char *mapping;
  uint64_t mapping_bytes;
  int mapped_file;                   /* a descriptor of what is mapped, */
  struct qn_file_state mapped_state; /* and what it was before anything was read of it */
  struct qn_descriptor *descriptor;
  struct qn_archive *archive;
  struct qn_read_ahead *ahead;
  bool taken; /* the mapping was handed out */
  /* The mapping is hashed by a thread of its own, which also brings it into the page cache. What it
   * has not reached when the parser is done is hashed by all threads. */
  pthread_t hasher;
  bool hashing;
  XXH3_state_t *hash_state;
  uint64_t hashed;          /* bytes, of the part if it is one */
  struct qn_hash_part part; /* of which only the sums are found */
  XXH128_hash_t hash;
  /* With a limit of memory it keeps a certain distance. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t done; /* bytes that the parser is done with, under the lock */
  bool closing;  /* do not wait for the parser any more, or leave the rest to all; under the lock */
};

#define HASHED_AT_ONCE ((uint64_t)8 << 20)
#define HASHED_AHEAD ((uint64_t)512 << 20)

/* The file has them still. */
static void drop_pages(const struct qn_input *input, uint64_t begin, uint64_t end) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  begin = (begin + page - 1) / page * page;
  end = end == input->mapping_bytes ? end : end / page * page;
  if (begin < end)
    madvise(input->mapping + begin, end - begin, MADV_DONTNEED);
}

/* Are pages given back that were parsed and hashed? Of a file that ranks share each would have all
 * of it mapped that it has looked at. */
static bool drops(const struct qn_input *input) {
  return qn_memory_limit() != 0 || input->options.part_end != 0;
}

/* False if the rest is left to all threads. */
static bool may_go_on(struct qn_input *input) {
  bool limited = qn_memory_limit() != 0;
  pthread_mutex_lock(&input->lock);
  while (limited && !input->closing && input->hashed > input->done + HASHED_AHEAD)
    pthread_cond_wait(&input->changed, &input->lock);
  bool goes_on = drops(input) || !input->closing;
  pthread_mutex_unlock(&input->lock);
  return goes_on;
}

/* A file larger than memory would otherwise be fetched twice. The end is left. */
static void *hash_mapping(void *argument) {
  struct qn_input *input = argument;
  while (input->mapping_bytes - input->hashed > HASHED_AT_ONCE + QN_HASH_BLOCK &&
         may_go_on(input)) {
    qn_block_hash_add(input->hash_state, input->mapping + input->hashed, HASHED_AT_ONCE);
    if (drops(input))
      drop_pages(input, input->hashed, input->hashed + HASHED_AT_ONCE);
    input->hashed += HASHED_AT_ONCE;
  }
  return NULL;
}

/* The first byte behind the sums of the blocks that begin before `end`. */
static uint64_t sums_end(const struct qn_input *input, uint64_t end) {
  const uint64_t blocks = qn_hash_blocks(input->mapping_bytes);
  const uint64_t before = (end + QN_HASH_BLOCK - 1) / QN_HASH_BLOCK;
  return (before < blocks ? before : blocks) * QN_HASH_BLOCK;
}

/* The others that share the file do the rest of it. */
static void *sum_part(void *argument) {
  struct qn_input *input = argument;
  const uint64_t begin = sums_end(input, input->options.part_begin);
  const uint64_t bytes = input->part.num_sums * QN_HASH_BLOCK;
  while (input->hashed < bytes && may_go_on(input)) {
    const uint64_t at = begin + input->hashed, left = bytes - input->hashed;
    const uint64_t some = left < HASHED_AT_ONCE ? left : HASHED_AT_ONCE;
    qn_block_sums(input->hash_state, input->mapping + at, some / QN_HASH_BLOCK,
                  input->part.sums + input->hashed / QN_HASH_BLOCK);
    drop_pages(input, at, at + some);
    input->hashed += some;
  }
  return NULL;
}

static enum qn_status begin_part(struct qn_input *input, struct qn_error *error) {
  const struct qn_input_options *options = &input->options;
  struct qn_hash_part *part = &input->part;
  const uint64_t blocks = qn_hash_blocks(input->mapping_bytes);
  part->file_bytes = input->mapping_bytes;
  part->end_bytes = input->mapping_bytes - blocks * QN_HASH_BLOCK;
  memcpy(part->end, input->mapping + blocks * QN_HASH_BLOCK, part->end_bytes);
  part->num_sums =
      (sums_end(input, options->part_end) - sums_end(input, options->part_begin)) / QN_HASH_BLOCK;
  return qn_bulk_alloc(&part->sums, part->num_sums, sizeof *part->sums, "sums of blocks", error);
}

void qn_input_done(struct qn_input *input, const char *data, uint64_t bytes) {
  bool mapped =
      input->mapping && data >= input->mapping && data < input->mapping + input->mapping_bytes;
  if (!mapped || !drops(input))
    return;
  uint64_t begin = (uint64_t)(data - input->mapping);
  drop_pages(input, begin, begin + bytes);
  pthread_mutex_lock(&input->lock);
  input->done += bytes;
  pthread_cond_broadcast(&input->changed);
  pthread_mutex_unlock(&input->lock);
}

static enum qn_status copy_text(char **out, const char *text, uint64_t length,
                                struct qn_error *error) {
  enum qn_status status = qn_alloc(out, length + 1, 1, "a name", error);
  if (!status) {
    memcpy(*out, text, length);
    (*out)[length] = '\0';
  }
  return status;
}

/* "archive:member" is split at the first ':' whose left side is a file, unless
 * the whole is one. `*member` points into `path`, or is unchanged. */
static enum qn_status split_path(const char *path, char **file, const char **member,
                                 struct qn_error *error) {
  struct stat about;
  if (stat(path, &about) != 0 && !*member) {
    for (const char *colon = strchr(path, ':'); colon; colon = strchr(colon + 1, ':')) {
      enum qn_status status = copy_text(file, path, (uint64_t)(colon - path), error);
      if (status)
        return status;
      if (stat(*file, &about) == 0 && S_ISREG(about.st_mode) && colon[1]) {
        *member = colon + 1;
        return QN_OK;
      }
      qn_free(*file);
      *file = NULL;
    }
  }
  return copy_text(file, path, strlen(path), error);
}

static enum qn_status fail_empty(const struct qn_input *input, struct qn_error *error) {
  qn_fail(error, QN_INVALID, "the input is empty");
  qn_error_in_file(error, input->path);
  return QN_INVALID;
}

/* Map a regular file whole. Files that claim no bytes (as those of /proc do) and file systems
 * that cannot map are left to reading. */
static void try_map(struct qn_input *input, int descriptor, const struct stat *about) {
  if (!S_ISREG(about->st_mode) || about->st_size <= 0 || lseek(descriptor, 0, SEEK_CUR) != 0)
    return;
  void *mapping = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapping == MAP_FAILED)
    return;
  input->mapping = mapping;
  input->mapping_bytes = (uint64_t)about->st_size;
  input->mapped_file = descriptor;
  input->mapped_state =
      (struct qn_file_state){(uint64_t)about->st_size, about->st_mtim, about->st_ctim};
}

/* Open the file: afterwards the input has a mapping or a descriptor. */
static enum qn_status open_file(struct qn_input *input, bool standard_input,
                                struct qn_error *error) {
  struct stat about;
  int descriptor = -1;
  enum qn_status status =
      input->options.regular ? qn_file_open_regular(input->path, &descriptor, error) : QN_OK;
  if (status)
    return status;
  if (!input->options.regular)
    descriptor = standard_input ? dup(STDIN_FILENO) : open(input->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    qn_fail_errno(error, "cannot open");
    qn_error_in_file(error, input->path);
    if (descriptor >= 0)
      close(descriptor);
    return QN_SYSTEM;
  }
  if (S_ISDIR(about.st_mode)) {
    close(descriptor);
    qn_fail(error, QN_INVALID, "is a folder; name a file in it");
    qn_error_in_file(error, input->path);
    return QN_INVALID;
  }
  try_map(input, descriptor, &about);
  if (input->mapping)
    return QN_OK;
  status = qn_descriptor_create(descriptor, input->path, &input->descriptor, error);
  if (status)
    close(descriptor);
  return status;
}

/* Begin to transfer what a URL names: it comes as through a pipe. */
static enum qn_status open_remote(struct qn_input *input, const char *url, const char **member,
                                  struct qn_error *error) {
  const char *colon = *member ? NULL : qn_url_member(url);
  struct qn_remote_stream *stream = NULL;
  char *whole = NULL;
  enum qn_status status =
      copy_text(&whole, url, colon ? (uint64_t)(colon - url) : strlen(url), error);
  if (!status)
    status = qn_remote_stream_open(whole, &stream, error);
  qn_free(whole);
  if (!status)
    status = copy_text(&input->path, qn_remote_stream_name(stream),
                       strlen(qn_remote_stream_name(stream)), error);
  if (!status)
    status = qn_descriptor_create_remote(stream, &input->descriptor, error);
  if (status) {
    qn_remote_stream_close(stream);
    return status;
  }
  if (colon)
    *member = colon + 1;
  return QN_OK;
}

static enum qn_status fail_written(const struct qn_input *input, struct qn_error *error) {
  qn_fail(error, QN_SYSTEM,
          "the file was overwritten while it was in use, so there is no result; write a new file "
          "and rename it instead");
  return qn_error_in_file(error, input->path), QN_SYSTEM;
}

struct qn_file_state qn_input_state(const struct qn_input *input) {
  return input->mapped_state;
}

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Is it what was read before? */
static enum qn_status check_expected(const struct qn_input *input, struct qn_error *error) {
  const struct qn_file_state *was = &input->options.expected, *is = &input->mapped_state;
  if (!was->bytes || (was->bytes == is->bytes && same_time(was->modified, is->modified) &&
                      same_time(was->changed, is->changed)))
    return QN_OK;
  return fail_written(input, error);
}

/* The digest is of what was parsed only if the file was not written to: both are read where it
 * lies, not at the same time, and some readers open it once more. */
enum qn_status qn_input_unwritten(const struct qn_input *input, enum qn_status status,
                                  struct qn_error *error) {
  struct qn_file_state now;
  if (!input || !input->mapping || status == QN_INTERRUPTED ||
      (qn_file_state_of(input->mapped_file, &now) && now.bytes == input->mapping_bytes &&
       same_time(now.modified, input->mapped_state.modified)))
    return status;
  return fail_written(input, error);
}

/* Look at the first bytes and put what they ask for on top of the file. */
static enum qn_status open_content(struct qn_input *input, const struct qn_input_options *options,
                                   const char *member, struct qn_error *error) {
  const char *head = input->mapping;
  uint64_t bytes = input->mapping_bytes;
  enum qn_status status = QN_OK;
  if (!input->mapping)
    status = qn_descriptor_head(input->descriptor, &head, &bytes, error);
  if (status)
    return status;
  if (bytes == 0)
    return fail_empty(input, error);

  input->packing = "plain";
  if (qn_archive_recognise(head, bytes) && (member || !qn_input_is_npz(head, bytes))) {
    status = qn_archive_create(input->mapping, input->mapping_bytes, input->descriptor, input->path,
                               options, member, &input->archive, error);
    if (status)
      return status;
    input->packing = qn_archive_packing(input->archive);
  } else if (member) {
    qn_fail(error, QN_INVALID, "the file is not an archive, so it has no member '%.100s'", member);
    qn_error_in_file(error, input->path);
    return QN_INVALID;
  }
  return QN_OK;
}

/* The name for messages: with the member, if there is one. */
static enum qn_status make_name(struct qn_input *input, struct qn_error *error) {
  const char *member = input->archive ? qn_archive_member(input->archive) : NULL;
  uint64_t size = strlen(input->path) + (member ? strlen(member) + 1 : 0) + 1;
  enum qn_status status = qn_alloc(&input->name, size, 1, "a name", error);
  if (status)
    return status;
  snprintf(input->name, size, "%s%s%s", input->path, member ? ":" : "", member ? member : "");
  const char *slash = strrchr(input->path, '/');
  input->base_name = slash ? input->name + (slash + 1 - input->path) : input->name;
  return QN_OK;
}

static enum qn_status start_threads(struct qn_input *input, struct qn_error *error) {
  if (input->archive || input->descriptor) {
    enum qn_status status = qn_read_ahead_create(input->archive ? NULL : input->descriptor,
                                                 input->archive, input->name, &input->ahead, error);
    if (status)
      return status;
  }
  if (input->mapping && !input->options.unhashed) {
    input->hash_state = XXH3_createState();
    if (!input->hash_state)
      return qn_fail_memory(error, "a checksum", sizeof *input->hash_state);
    XXH3_128bits_reset(input->hash_state);
    const bool part = input->options.part_end != 0;
    enum qn_status status = part ? begin_part(input, error) : QN_OK;
    if (status)
      return status;
    int failure = qn_thread_start(&input->hasher, part ? sum_part : hash_mapping, input);
    if (failure) {
      errno = failure;
      return qn_fail_errno(error, "cannot start a thread");
    }
    input->hashing = true;
  }
  return QN_OK;
}

enum qn_status qn_input_open(const char *path, const struct qn_input_options *options,
                             struct qn_input **out, struct qn_error *error) {
  struct qn_input *input;
  const char *member = options->member;
  bool standard_input = strcmp(path, "-") == 0;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&input, 1, sizeof *input, "an input", error);
  if (status)
    return status;
  pthread_mutex_init(&input->lock, NULL);
  pthread_cond_init(&input->changed, NULL);
  input->options = *options;
  if (qn_is_url(path)) {
    status = open_remote(input, path, &member, error);
  } else {
    status = standard_input ? copy_text(&input->path, "<stdin>", 7, error)
                            : split_path(path, &input->path, &member, error);
    if (!status)
      status = open_file(input, standard_input, error);
  }
  if (!status)
    status = check_expected(input, error);
  if (!status)
    status = open_content(input, options, member, error);
  if (!status)
    status = make_name(input, error);
  if (!status)
    status = start_threads(input, error);
  if (status) {
    qn_input_close(input);
    return status;
  }
  *out = input;
  return QN_OK;
}

static void join_hasher(struct qn_input *input) {
  pthread_mutex_lock(&input->lock);
  input->closing = true;
  pthread_cond_broadcast(&input->changed);
  pthread_mutex_unlock(&input->lock);
  if (input->hashing)
    pthread_join(input->hasher, NULL);
  input->hashing = false;
}

static enum qn_status end_hash(struct qn_input *input, struct qn_error *error) {
  join_hasher(input);
  if (input->options.unhashed || input->options.part_end)
    return QN_OK;
  uint64_t left = input->mapping_bytes - input->hashed;
  if (left &&
      !qn_block_hash_end(input->hash_state, input->mapping + input->hashed, left, &input->hash))
    return qn_fail_memory(error, "a checksum", left);
  input->hashed += left;
  return QN_OK;
}

void qn_input_close(struct qn_input *input) {
  if (!input)
    return;
  join_hasher(input);
  qn_read_ahead_destroy(input->ahead);
  qn_archive_destroy(input->archive);
  qn_descriptor_destroy(input->descriptor);
  XXH3_freeState(input->hash_state);
  qn_hash_part_free(&input->part);
  if (input->mapping) {
    qn_pages_leave(input->mapping, input->mapping_bytes);
    munmap(input->mapping, input->mapping_bytes);
    close(input->mapped_file);
  }
  pthread_mutex_destroy(&input->lock);
  pthread_cond_destroy(&input->changed);
  qn_free(input->path);
  qn_free(input->name);
  qn_free(input);
}

const char *qn_input_name(const struct qn_input *input) {
  return input->name;
}

const char *qn_input_base_name(const struct qn_input *input) {
  return input->base_name;
}

const char *qn_input_packing(const struct qn_input *input) {
  return input->packing;
}

const struct qn_input_options *qn_input_limits(const struct qn_input *input) {
  return &input->options;
}

uint64_t qn_input_file_bytes(const struct qn_input *input) {
  return input->mapping_bytes;
}

uint64_t qn_input_most_bytes(const struct qn_input *input) {
  uint64_t most = input->mapping && !input->archive ? input->mapping_bytes : UINT64_MAX;
  if (!input->archive)
    return most;
  if (!input->mapping || !qn_mul_u64(input->mapping_bytes, input->options.max_expansion, &most) ||
      !qn_add_u64(most, QN_INPUT_FREE_EXPANSION, &most))
    most = UINT64_MAX;
  return most < input->options.max_bytes ? most : input->options.max_bytes;
}

bool qn_input_part(const struct qn_input *input, uint64_t *begin, uint64_t *end) {
  const struct qn_input_options *options = &input->options;
  *begin = 0;
  *end = UINT64_MAX;
  if (!options->part_end || !qn_input_stays(input))
    return false;
  *begin = options->part_begin;
  *end = options->part_end;
  return true;
}

bool qn_input_stays(const struct qn_input *input) {
  return input->mapping && !input->ahead;
}

enum qn_status qn_input_peek(struct qn_input *input, const char **data, uint64_t *bytes,
                             struct qn_error *error) {
  struct qn_input_block block = {input->mapping, input->mapping_bytes, 0};
  enum qn_status status = QN_OK;
  if (input->ahead)
    status = qn_read_ahead_peek(input->ahead, &block, error);
  if (!status && !block.bytes)
    status = fail_empty(input, error);
  *data = block.data;
  *bytes = block.bytes;
  return status;
}

enum qn_status qn_input_next(struct qn_input *input, struct qn_input_block *block,
                             struct qn_error *error) {
  if (input->ahead)
    return qn_read_ahead_next(input->ahead, block, error);
  *block = (struct qn_input_block){input->mapping, input->mapping_bytes, 0};
  if (input->taken)
    *block =
        (struct qn_input_block){input->mapping + input->mapping_bytes, 0, input->mapping_bytes};
  input->taken = true;
  return QN_OK;
}

enum qn_status qn_input_explain(struct qn_input *input, struct qn_error *error) {
  if (!input->archive)
    return error->status;
  qn_read_ahead_stop(input->ahead);
  struct qn_error several;
  if (qn_archive_look_further(input->archive, &several) == QN_INVALID)
    *error = several;
  return error->status;
}

enum qn_status qn_input_digest(struct qn_input *input, struct qn_input_digest *digest,
                               struct qn_error *error) {
  if (input->mapping) {
    enum qn_status status = end_hash(input, error);
    if (status)
      return status;
    qn_digest_set(digest, input->mapping_bytes, input->hash.low64, input->hash.high64);
    if (input->options.unhashed || input->options.part_end)
      digest->xxh3_128[0] = '\0';
    return qn_input_unwritten(input, QN_OK, error);
  }
  /* What an archive left unread after its end belongs to the file all the same. */
  qn_read_ahead_stop(input->ahead);
  enum qn_status status = qn_descriptor_drain(input->descriptor, error);
  if (!status)
    qn_descriptor_digest(input->descriptor, digest);
  return status;
}

void qn_input_hash_part(struct qn_input *input, struct qn_hash_part *part) {
  join_hasher(input);
  *part = input->part;
  input->part = (struct qn_hash_part){0};
}
