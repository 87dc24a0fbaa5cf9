/* The input layer: every packing gives the same content, and every damaged one is refused. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/test.h"
#include "support/input/block_hash.h"
#include "support/input/input.h"
#include "support/memory.h"

struct text {
  char *bytes;
  uint64_t length;
};

/* `lines` numbered lines that do not compress to nothing. */
static struct text make_text(unsigned lines) {
  struct text text = {malloc((size_t)lines * 32 + 1), 0};
  uint64_t state = 1;
  for (unsigned i = 0; i < lines; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text.length +=
        (uint64_t)sprintf(text.bytes + text.length, "%u %" PRIu64 "\n", i, (uint64_t)(state >> 40));
  }
  return text;
}

static void write_file(const char *path, const void *bytes, uint64_t length) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static struct text read_file(const char *path) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  struct text text = {malloc((size_t)about.st_size + 1), (uint64_t)about.st_size};
  FILE *file = fopen(path, "rb");
  assert_int_equal(fread(text.bytes, 1, text.length, file), text.length);
  fclose(file);
  return text;
}

struct packing {
  const char *name; /* as qn_input_packing says it */
  int format;
  int filter;
};

static const struct packing PACKINGS[] = {
    {"gzip", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP},
    {"bzip2", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_BZIP2},
    {"xz", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ},
    {"zstd", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD},
    {"lz4", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_LZ4},
    {"tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE},
    {"tar in gzip", ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP},
    {"tar in bzip2", ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_BZIP2},
    {"tar in xz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ},
    {"tar in zstd", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD},
    {"tar in lz4", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_LZ4},
    {"zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE},
};
#define NUM_PACKINGS (sizeof PACKINGS / sizeof PACKINGS[0])

static void add_member(struct archive *writer, const char *name, mode_t type, struct text text) {
  struct archive_entry *entry = archive_entry_new();
  archive_entry_set_pathname(entry, name);
  archive_entry_set_filetype(entry, type);
  archive_entry_set_perm(entry, type == AE_IFDIR ? 0755 : 0644);
  archive_entry_set_size(entry, type == AE_IFREG ? (int64_t)text.length : 0);
  assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
  if (type == AE_IFREG)
    assert_int_equal(archive_write_data(writer, text.bytes, text.length), text.length);
  archive_entry_free(entry);
}

/* Pack `text` as member `names[i]`, one after the other, up to a NULL; all have the same content.
 * A name that ends in '/' is a folder. */
static void pack(const char *path, const struct packing *packing, const char *const *names,
                 struct text text) {
  struct archive *writer = archive_write_new();
  assert_int_equal(archive_write_set_format(writer, packing->format), ARCHIVE_OK);
  assert_int_equal(archive_write_add_filter(writer, packing->filter), ARCHIVE_OK);
  /* Fast ones: what is tested is reading. Not every filter has levels. */
  if (packing->filter != ARCHIVE_FILTER_NONE)
    archive_write_set_filter_option(writer, NULL, "compression-level", "1");
  assert_int_equal(archive_write_open_filename(writer, path), ARCHIVE_OK);
  for (; *names; names++)
    add_member(writer, *names, (*names)[strlen(*names) - 1] == '/' ? AE_IFDIR : AE_IFREG, text);
  assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
  archive_write_free(writer);
}

/* Read all of `path`, checking that blocks follow each other and end with lines. */
static enum qn_status read_input(const char *path, const struct qn_input_options *options,
                                 struct text *text, char *packing, struct qn_error *error) {
  struct qn_input *input;
  struct qn_input_block block;
  struct qn_input_digest digest;
  *text = (struct text){NULL, 0};
  qn_error_clear(error);
  enum qn_status status = qn_input_open(path, options, &input, error);
  if (status)
    return status;
  if (packing)
    strcpy(packing, qn_input_packing(input));
  for (;;) {
    status = qn_input_next(input, &block, error);
    if (status || !block.bytes)
      break;
    assert_int_equal(block.offset, text->length);
    assert_true(text->length == 0 || text->bytes[text->length - 1] == '\n');
    text->bytes = realloc(text->bytes, text->length + block.bytes + 1);
    memcpy(text->bytes + text->length, block.data, block.bytes);
    text->length += block.bytes;
  }
  if (!status)
    status = qn_input_digest(input, &digest, error);
  qn_input_close(input);
  assert_int_equal(qn_memory_live(), 0);
  return status;
}

static void expect_content(const char *path, const char *packing, struct text expected) {
  struct text text;
  struct qn_error error;
  char found[64];
  enum qn_status status = read_input(path, &QN_INPUT_DEFAULTS, &text, found, &error);
  if (status)
    fail_msg("%s: %s", packing, error.message);
  assert_string_equal(found, packing);
  assert_int_equal(text.length, expected.length);
  assert_memory_equal(text.bytes, expected.bytes, expected.length);
  free(text.bytes);
}

static const char *const ONE[] = {"folder/", "folder/graph.txt", NULL};
static const char *const RAW_ONE[] = {"data", NULL};

static const char *const *names_for(const struct packing *packing) {
  return packing->format == ARCHIVE_FORMAT_RAW ? RAW_ONE : ONE;
}

TEST(test_every_packing_gives_the_content) {
  struct text small = make_text(3), large = make_text(600000);
  for (unsigned i = 0; i < NUM_PACKINGS; i++) {
    pack("packed", &PACKINGS[i], names_for(&PACKINGS[i]), small);
    expect_content("packed", PACKINGS[i].name, small);
    pack("packed", &PACKINGS[i], names_for(&PACKINGS[i]), large);
    expect_content("packed", PACKINGS[i].name, large);
  }
  write_file("plain", large.bytes, large.length);
  expect_content("plain", "plain", large);
  free(small.bytes);
  free(large.bytes);
}

struct feeder {
  int descriptor;
  struct text text;
  pthread_t thread;
};

static void *feed(void *argument) {
  struct feeder *feeder = argument;
  uint64_t done = 0;
  while (done < feeder->text.length) {
    uint64_t part = feeder->text.length - done < 3001 ? feeder->text.length - done : 3001;
    ssize_t written = write(feeder->descriptor, feeder->text.bytes + done, part);
    if (written <= 0)
      break;
    done += (uint64_t)written;
  }
  close(feeder->descriptor);
  return NULL;
}

/* Let standard input be a pipe from which `feeder->text` comes. */
static void begin_feeding(struct feeder *feeder) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  feeder->descriptor = ends[1];
  pthread_create(&feeder->thread, NULL, feed, feeder);
}

/* Read `stored` through a pipe on standard input. */
static void expect_piped(struct text stored, const char *packing, struct text expected) {
  struct feeder feeder = {.text = stored};
  begin_feeding(&feeder);
  expect_content("-", packing, expected);
  pthread_join(feeder.thread, NULL);
}

TEST(test_standard_input) {
  struct text text = make_text(500000);
  expect_piped(text, "plain", text);
  for (unsigned i = 0; i < NUM_PACKINGS; i++) {
    pack("packed", &PACKINGS[i], names_for(&PACKINGS[i]), text);
    struct text stored = read_file("packed");
    expect_piped(stored, PACKINGS[i].name, text);
    free(stored.bytes);
  }
  free(text.bytes);
}

/* What was parsed may then be other bytes than what the digest is of. */
TEST(test_no_digest_of_a_file_that_was_written_over) {
  struct qn_error error;
  struct qn_input *input;
  struct qn_input_digest digest;
  write_file("overwritten.txt", "1 2\n3 4\n", 8);
  const struct timespec earlier[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  assert_int_equal(utimensat(AT_FDCWD, "overwritten.txt", earlier, 0), 0);
  assert_int_equal(qn_input_open("overwritten.txt", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  int descriptor = open("overwritten.txt", O_WRONLY);
  assert_int_equal(pwrite(descriptor, "1", 1, 0), 1);
  close(descriptor);
  assert_int_equal(qn_input_digest(input, &digest, &error), QN_SYSTEM);
  assert_non_null(strstr(error.message, "overwritten"));
  qn_input_close(input);
}

TEST(test_digest_is_of_the_file_as_given) {
  struct qn_input *input;
  struct qn_input_digest digest, piped;
  struct qn_error error;
  write_file("hello", "hello world", 11);
  assert_int_equal(qn_input_open("hello", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  assert_int_equal(qn_input_digest(input, &digest, &error), QN_OK);
  assert_int_equal(digest.bytes, 11);
  assert_string_equal(digest.xxh3_128, "df8d09e93f874900a99b8775cc15b6c7");
  qn_input_close(input);

  struct qn_input_block block;
  struct feeder feeder = {.text = {(char *)"hello world", 11}};
  begin_feeding(&feeder);
  assert_int_equal(qn_input_open("-", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  do
    assert_int_equal(qn_input_next(input, &block, &error), QN_OK);
  while (block.bytes);
  assert_int_equal(qn_input_digest(input, &piped, &error), QN_OK);
  assert_string_equal(piped.xxh3_128, digest.xxh3_128);
  assert_int_equal(piped.bytes, 11);
  qn_input_close(input);
  pthread_join(feeder.thread, NULL);
}

TEST(test_every_truncation_is_refused) {
  struct text text = make_text(40);
  for (unsigned i = 0; i < NUM_PACKINGS; i++) {
    pack("packed", &PACKINGS[i], names_for(&PACKINGS[i]), text);
    struct text stored = read_file("packed");
    /* Up to 5 bytes (of a tar: up to its first checksum) nothing tells a file from text. And the
     * zeros that end a tar, the directory that ends a zip and the check value that ends a gzip hold
     * no content. */
    uint64_t shortest = PACKINGS[i].filter == ARCHIVE_FILTER_NONE && i == 5 ? 512 : 6;
    for (uint64_t length = shortest; length < stored.length; length++) {
      struct text got;
      struct qn_error error;
      write_file("cut", stored.bytes, length);
      enum qn_status status = read_input("cut", &QN_INPUT_DEFAULTS, &got, NULL, &error);
      if (!status && got.length == text.length && memcmp(got.bytes, text.bytes, text.length) == 0) {
        free(got.bytes);
        continue;
      }
      if (status != QN_INVALID)
        fail_msg("%s cut at %" PRIu64 " of %" PRIu64 " gives status %d", PACKINGS[i].name, length,
                 stored.length, (int)status);
      assert_string_equal(error.file, "cut");
      assert_true(strlen(error.message) > 10);
      free(got.bytes);
    }
    free(stored.bytes);
  }
  free(text.bytes);
}

/* Formats that always have a check value (zstd and lz4 may leave it out). libarchive itself does
 * not look at gzip's. */
TEST(test_changed_bytes_are_refused) {
  struct text text = make_text(300);
  for (unsigned i = 0; i < 3; i++) {
    pack("packed", &PACKINGS[i], RAW_ONE, text);
    struct text stored = read_file("packed");
    /* Headers hold times and flags that do not matter. */
    for (uint64_t at = 10; at < stored.length; at += 3) {
      struct text got;
      struct qn_error error;
      stored.bytes[at] ^= 0x10;
      write_file("changed", stored.bytes, stored.length);
      enum qn_status status = read_input("changed", &QN_INPUT_DEFAULTS, &got, NULL, &error);
      stored.bytes[at] ^= 0x10;
      bool same =
          !status && got.length == text.length && memcmp(got.bytes, text.bytes, text.length) == 0;
      if (!same && status != QN_INVALID)
        fail_msg("%s with byte %" PRIu64 " changed gives status %d and other content",
                 PACKINGS[i].name, at, (int)status);
      free(got.bytes);
    }
    free(stored.bytes);
  }
  free(text.bytes);
}

/* Gzip files may be joined; what is read is what they hold, one after the other. */
TEST(test_joined_gzip) {
  struct text text = make_text(1000), twice = make_text(1000);
  pack("packed", &PACKINGS[0], RAW_ONE, text);
  struct text stored = read_file("packed");
  stored.bytes = realloc(stored.bytes, 2 * stored.length);
  memcpy(stored.bytes + stored.length, stored.bytes, stored.length);
  stored.length *= 2;
  twice.bytes = realloc(twice.bytes, 2 * text.length);
  memcpy(twice.bytes + text.length, text.bytes, text.length);
  twice.length *= 2;
  write_file("joined", stored.bytes, stored.length);
  expect_content("joined", "gzip", twice);
  expect_piped(stored, "gzip", twice);
  free(text.bytes);
  free(twice.bytes);
  free(stored.bytes);
}

TEST(test_members) {
  static const char *const two[] = {"g/", "g/a.txt", "g/b.txt", NULL};
  static const char *const shadowed[] = {"__MACOSX/._a.txt", "._a.txt", "a.txt", NULL};
  static const char *const nothing[] = {"folder/", NULL};
  struct text text = make_text(10), got;
  struct qn_error error;
  for (unsigned i = 5; i < NUM_PACKINGS; i++) {
    pack("packed", &PACKINGS[i], two, text);
    struct qn_input_options named = QN_INPUT_DEFAULTS;
    named.member = "g/b.txt";
    assert_int_equal(read_input("packed", &named, &got, NULL, &error), QN_OK);
    assert_int_equal(got.length, text.length);
    free(got.bytes);
    assert_int_equal(read_input("packed:g/a.txt", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_OK);
    assert_int_equal(got.length, text.length);
    free(got.bytes);

    assert_int_equal(read_input("packed", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_INVALID);
    assert_non_null(strstr(error.message, "--member"));
    assert_non_null(strstr(error.message, "g/a.txt"));
    assert_non_null(strstr(error.message, "g/b.txt"));
    free(got.bytes);
    assert_int_equal(read_input("packed:c", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_INVALID);
    assert_non_null(strstr(error.message, "no member 'c'"));
    assert_non_null(strstr(error.message, "g/b.txt"));

    pack("packed", &PACKINGS[i], shadowed, text);
    assert_int_equal(read_input("packed", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_OK);
    free(got.bytes);
    pack("packed", &PACKINGS[i], nothing, text);
    assert_int_equal(read_input("packed", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_INVALID);
    assert_non_null(strstr(error.message, "no file in it"));
  }
  free(text.bytes);
}

TEST(test_explain_lists_the_other_members) {
  static const char *const two[] = {"README", "graph", NULL};
  struct text text = make_text(10);
  struct qn_input *input;
  struct qn_input_block block;
  struct qn_error error;
  pack("packed", &PACKINGS[6], two, text);
  assert_int_equal(qn_input_open("packed", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  assert_string_equal(qn_input_name(input), "packed:README");
  if (qn_input_next(input, &block, &error) == QN_OK) {
    qn_fail(&error, QN_INVALID, "not an edge");
    assert_int_equal(qn_input_explain(input, &error), QN_INVALID);
  }
  assert_non_null(strstr(error.message, "graph"));
  qn_input_close(input);

  write_file("plain", "x\n", 2);
  assert_int_equal(qn_input_open("plain", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  qn_fail(&error, QN_INVALID, "not an edge");
  assert_int_equal(qn_input_explain(input, &error), QN_INVALID);
  assert_string_equal(error.message, "not an edge");
  qn_input_close(input);
  free(text.bytes);
}

TEST(test_many_members_are_listed_in_part) {
  enum { MANY = 300 };
  const char *names[MANY + 1] = {NULL};
  char storage[MANY][32];
  struct text text = make_text(1), got;
  struct qn_error error;
  for (unsigned i = 0; i < MANY; i++) {
    snprintf(storage[i], sizeof storage[i], "member\x1b[%03u\n", i);
    names[i] = storage[i];
  }
  pack("packed", &PACKINGS[5], names, text);
  assert_int_equal(read_input("packed", &QN_INPUT_DEFAULTS, &got, NULL, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "\n  member?[000?"));
  assert_string_equal(error.message + strlen(error.message) - 6, "\n  ...");
  free(got.bytes);
  free(text.bytes);
}

TEST(test_bombs_are_refused) {
  struct text text = {calloc(1, (size_t)300 << 20), (uint64_t)300 << 20}, got;
  struct qn_error error;
  struct qn_input_options options = QN_INPUT_DEFAULTS;
  for (uint64_t i = 0; i < text.length; i += 4)
    memcpy(text.bytes + i, "1 2\n", 4);
  pack("bomb", &PACKINGS[3], RAW_ONE, text);
  assert_int_equal(read_input("bomb", &options, &got, NULL, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "--max-expansion"));
  free(got.bytes);
  options.max_expansion = 1000000;
  options.max_bytes = (uint64_t)299 << 20;
  assert_int_equal(read_input("bomb", &options, &got, NULL, &error), QN_INVALID);
  assert_non_null(strstr(error.message, "--max-bytes"));
  free(got.bytes);
  options.max_bytes = (uint64_t)300 << 20;
  assert_int_equal(read_input("bomb", &options, &got, NULL, &error), QN_OK);
  assert_int_equal(got.length, text.length);
  free(got.bytes);
  free(text.bytes);
}

static void expect_refusal(const char *path, enum qn_status expected, const char *message) {
  struct text got;
  struct qn_error error;
  enum qn_status status = read_input(path, &QN_INPUT_DEFAULTS, &got, NULL, &error);
  assert_int_equal(status, expected);
  if (!strstr(error.message, message))
    fail_msg("%s: '%s' is not in '%s'", path, message, error.message);
  assert_true(error.file[0] != '\0');
  free(got.bytes);
}

TEST(test_what_is_no_file) {
  struct text none = {(char *)"", 0};
  mkdir("some-folder", 0700);
  write_file("empty", "", 0);
  write_file("plain", "1 2\n", 4);
  expect_refusal("some-folder", QN_INVALID, "is a folder");
  expect_refusal("empty", QN_INVALID, "empty");
  expect_refusal("absent", QN_SYSTEM, "No such file");
  expect_refusal("absent:member", QN_SYSTEM, "No such file");
  expect_refusal("plain:member", QN_INVALID, "not an archive");
  pack("packed", &PACKINGS[0], RAW_ONE, (struct text){(char *)"1 2\n", 4});
  expect_refusal("packed:member", QN_INVALID, "not an archive");
  for (unsigned i = 0; i < NUM_PACKINGS; i++) {
    struct qn_input *input;
    struct qn_error error;
    const char *data;
    uint64_t bytes;
    /* libarchive's lz4 writer cannot write nothing. */
    if (PACKINGS[i].format == ARCHIVE_FORMAT_RAW && PACKINGS[i].filter == ARCHIVE_FILTER_LZ4)
      continue;
    pack("packed", &PACKINGS[i], names_for(&PACKINGS[i]), none);
    enum qn_status status = qn_input_open("packed", &QN_INPUT_DEFAULTS, &input, &error);
    if (!status)
      status = qn_input_peek(input, &data, &bytes, &error);
    assert_int_equal(status, QN_INVALID);
    qn_input_close(input);
  }
  if (geteuid() != 0) {
    chmod("plain", 0);
    expect_refusal("plain", QN_SYSTEM, "Permission denied");
  }
}

TEST(test_colon_in_a_name) {
  struct text text = make_text(5);
  write_file("a:b:c", text.bytes, text.length);
  expect_content("a:b:c", "plain", text);
  free(text.bytes);
}

TEST(test_long_lines_in_streams) {
  uint64_t length = (uint64_t)30 << 20;
  struct text text = {malloc(length), length};
  memset(text.bytes, 'x', length);
  text.bytes[100] = '\n';
  text.bytes[length - 5] = '\n';
  expect_piped(text, "plain", text);
  memset(text.bytes, 'x', length);
  expect_piped(text, "plain", text);
  free(text.bytes);
}

/* Closing early must not wait for the rest nor leak. */
TEST(test_close_early) {
  struct text text = make_text(2000000);
  struct qn_input *input;
  struct qn_input_block block;
  struct qn_error error;
  pack("packed", &PACKINGS[3], RAW_ONE, text);
  assert_int_equal(qn_input_open("packed", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  qn_input_close(input);
  assert_int_equal(qn_input_open("packed", &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  assert_int_equal(qn_input_next(input, &block, &error), QN_OK);
  assert_true(block.bytes > 0);
  qn_input_close(input);
  assert_int_equal(qn_memory_live(), 0);
  free(text.bytes);
}

/* Let every allocation fail in turn. */
TEST(test_out_of_memory) {
  struct text text = make_text(100), got;
  struct qn_error error;
  pack("packed", &PACKINGS[6], ONE, text);
  uint64_t n = 1;
  for (;; n++) {
    qn_memory_fail_nth(n);
    enum qn_status status = read_input("packed", &QN_INPUT_DEFAULTS, &got, NULL, &error);
    qn_memory_fail_nth(0);
    assert_int_equal(qn_memory_live(), 0);
    free(got.bytes);
    if (!status)
      break;
    assert_int_equal(status, QN_SYSTEM);
  }
  assert_true(n > 4);
  free(text.bytes);
}

/* The library's digest, whatever is hashed beforehand and however long the rest is. */
TEST(test_digest_of_blocks) {
  static const uint64_t lengths[] = {
      0,    1,    240,  241,   1024,  1025,  2047,           2048,
      2049, 3072, 3073, 65536, 66561, 70001, 2u << 20 | 777, 3u << 20};
  struct text text = make_text(250000);
  XXH3_state_t *hashed = XXH3_createState();
  assert_true(text.length > (3u << 20) + 1);
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (uint64_t before = 0; before == 0 || before + QN_HASH_BLOCK < lengths[i];
         before = 3 * before + QN_HASH_BLOCK) {
      const char *bytes = text.bytes + 1;
      XXH128_hash_t hash, right = XXH3_128bits(bytes, lengths[i]);
      XXH3_128bits_reset(hashed);
      qn_block_hash_add(hashed, bytes, before);
      assert_true(qn_block_hash_end(hashed, bytes + before, lengths[i] - before, &hash));
      assert_true(XXH128_isEqual(hash, right));
    }
  XXH3_freeState(hashed);
  free(text.bytes);
}

/* Of parts, however they lie, as several processes read them. */
static XXH128_hash_t hash_of_parts(const char *path, const uint64_t *cuts, unsigned num_parts,
                                   uint64_t length) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  struct qn_hash_part part = {0};
  uint64_t blocks = 0;
  for (unsigned i = 0; i < num_parts; i++) {
    struct qn_input_options options = QN_INPUT_DEFAULTS;
    struct qn_input_digest digest;
    struct qn_input *input;
    options.part_begin = cuts[i];
    options.part_end = cuts[i + 1];
    assert_int_equal(qn_input_open(path, &options, &input, NULL), QN_OK);
    assert_int_equal(qn_input_digest(input, &digest, NULL), QN_OK);
    assert_int_equal(digest.bytes, length);
    assert_string_equal(digest.xxh3_128, "");
    qn_hash_part_free(&part);
    qn_input_hash_part(input, &part);
    qn_input_close(input);
    qn_block_sums_add(state, part.sums, part.num_sums);
    blocks += part.num_sums;
  }
  assert_int_equal(blocks, qn_hash_blocks(part.file_bytes));
  XXH3_128bits_update(state, part.end, part.end_bytes);
  XXH128_hash_t hash = XXH3_128bits_digest(state);
  qn_hash_part_free(&part);
  XXH3_freeState(state);
  return hash;
}

TEST(test_hash_of_parts) {
  static const uint64_t lengths[] = {3, 1024, 2048, 2049, 3072, 3073, 9000, 13u << 20 | 5};
  struct text text = make_text(1000000);
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    const uint64_t length = lengths[i];
    const uint64_t few[] = {0, length / 3, length}, many[] = {0, 1, 2, length - length / 5, length};
    assert_true(length <= text.length);
    write_file("parts", text.bytes, length);
    XXH128_hash_t right = XXH3_128bits(text.bytes, length);
    assert_true(XXH128_isEqual(hash_of_parts("parts", few, 2, length), right));
    assert_true(XXH128_isEqual(hash_of_parts("parts", many, 4, length), right));
  }
  unlink("parts");
  free(text.bytes);
}

TEST_MAIN(NULL, NULL)
