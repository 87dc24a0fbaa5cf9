/* quern-import on every piece of the sound files in data/whole/FORMAT/ (what comes after '@' in a
 * folder's name is --record), from standard input, in this process: no piece may do more harm than
 * being refused, with a message and nothing left behind. */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include <quern/error.h>

/* tools/import.c's main, renamed by tests/SConscript. */
int import_main(int argc, char **argv);

static unsigned num_pieces, num_accepted;

static bool is_hidden(const struct dirent *entry) {
  return entry->d_name[0] == '.';
}

static unsigned count_files(const char *folder) {
  DIR *files = opendir(folder);
  unsigned count = 0;
  assert_non_null(files);
  for (struct dirent *entry; (entry = readdir(files));)
    count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
  closedir(files);
  return count;
}

static void give_as_input(const uint8_t *data, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], data, size), size);
  assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
  close(ends[0]);
  close(ends[1]);
}

/* Import these bytes; gives the exit code and what was said on standard error (to be freed). */
static int import(const uint8_t *data, size_t size, const char *format, const char *record,
                  char **said) {
  const char *words[] = {"quern-import",
                         "-",
                         "-qfo",
                         scratch_path("out.qrn"),
                         "--format",
                         format,
                         record ? "--record" : NULL,
                         record,
                         NULL};
  FILE *standard_error = stderr;
  size_t length;
  give_as_input(data, size);
  stderr = open_memstream(said, &length);
  assert_non_null(stderr);
  int code = import_main(record ? 8 : 6, (char **)words);
  fclose(stderr);
  stderr = standard_error;
  return code;
}

/* A piece of these may be a smaller graph; of all others only the last line's end may lack. */
static bool may_be_whole(const char *format, const uint8_t *rest, size_t size) {
  bool digits = true;
  for (size_t i = 0; i < size; i++)
    digits = digits && (isdigit(rest[i]) || isspace(rest[i]));
  return digits || strcmp(format, "pairs") == 0;
}

/* Under the sanitizers every fifth piece of archives, which are long for the little they hold. */
static bool is_tried(size_t length, size_t size) {
#ifdef __SANITIZE_ADDRESS__
  return size < 200 || length % 5 == 0 || length + 30 > size;
#else
  return length <= size;
#endif
}

static void try_pieces(const char *path, const char *format, const char *record) {
  size_t size;
  uint8_t *data = read_file(path, &size);
  for (size_t length = 1; length <= size; length++) {
    char *said;
    if (!is_tried(length, size))
      continue;
    const int code = import(data, length, format, record, &said);
    if (code != QN_OK && (code != QN_INVALID || !said[0]))
      fail_msg("%zu bytes of %s: exit code %d, \"%s\"", length, path, code, said);
    if (code == QN_OK && !may_be_whole(format, data + length, size - length))
      fail_msg("%zu bytes of %s: taken for the whole", length, path);
    if (code != QN_OK && length == size)
      fail_msg("%s: %s", path, said);
    assert_int_equal(count_files(scratch_folder), code == QN_OK);
    if (code == QN_OK)
      assert_int_equal(unlink(scratch_path("out.qrn")), 0);
    num_accepted += code == QN_OK;
    num_pieces++;
    free(said);
  }
  free(data);
}

static void each_file(const char *folder, const char *name) {
  char path[4096], format[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(format, sizeof format, "%s", name);
  char *record = strchr(format, '@');
  if (record)
    *record++ = '\0';
  DIR *files = opendir(path);
  assert_non_null(files);
  for (struct dirent *entry; (entry = readdir(files));) {
    if (is_hidden(entry))
      continue;
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, entry->d_name);
    try_pieces(path, format, record);
  }
  closedir(files);
}

TEST(pieces) {
  char folder[2048];
  const char *source = getenv("QUERN_SOURCE");
  snprintf(folder, sizeof folder, "%s/tests/data/whole", source ? source : ".");
  DIR *formats = opendir(folder);
  assert_non_null(formats);
  for (struct dirent *entry; (entry = readdir(formats));)
    if (!is_hidden(entry))
      each_file(folder, entry->d_name);
  closedir(formats);
  print_message("%u of %u pieces accepted\n", num_accepted, num_pieces);
  assert_true(num_pieces > 1500 && num_accepted > 40);
}

TEST_MAIN(scratch_create, scratch_remove)
