#include "tools/tables.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/format.h"
#include "support/memory.h"
#include "tools/package.h"

/* ---- Which inputs are tables ----------------------------------------------- */

enum { HEAD = 4 }; /* bytes that tell */

/* The first bytes of a pipe, which stay in it. */
static ssize_t peek_pipe(int descriptor, char head[HEAD]) {
  int copy[2];
  ssize_t bytes;
  if (pipe2(copy, O_CLOEXEC) != 0)
    return 0;
  for (;;) {
    bytes = tee(descriptor, copy[1], HEAD, 0);
    struct pollfd end = {.fd = descriptor};
    if (bytes <= 0 || bytes == HEAD || (poll(&end, 1, 1) > 0 && end.revents & POLLHUP))
      break;
    if (read(copy[0], head, HEAD) < 0) /* to make room for more of it */
      break;
  }
  if (bytes > 0)
    bytes = read(copy[0], head, HEAD);
  close(copy[0]);
  close(copy[1]);
  return bytes;
}

static ssize_t peek_standard_input(char head[HEAD]) {
  struct stat status;
  if (fstat(STDIN_FILENO, &status) != 0)
    return 0;
  if (S_ISFIFO(status.st_mode))
    return peek_pipe(STDIN_FILENO, head);
  off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  return at < 0 ? 0 : pread(STDIN_FILENO, head, HEAD, at);
}

/* Of regular files only: a pipe that is opened and closed again is broken. */
static ssize_t peek_file(const char *path, char head[HEAD]) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return 0;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return 0; /* whoever needs it says why */
  ssize_t bytes = pread(descriptor, head, HEAD, 0);
  close(descriptor);
  return bytes;
}

/* Parquet, an Arrow file, a stream of Arrow: of standard input only the last, which needs no
 * seeking. */
static bool is_table_head(const char head[HEAD], bool is_file) {
  return memcmp(head, "\xff\xff\xff\xff", HEAD) == 0 ||
         (is_file && (memcmp(head, "PAR1", HEAD) == 0 || memcmp(head, "ARRO", HEAD) == 0));
}

static bool ends_in(const char *name, const char *end) {
  size_t length = strlen(name), wanted = strlen(end);
  return length > wanted && strcmp(name + length - wanted, end) == 0;
}

static const char graphar_end[] = ".graph.yml";

static bool is_folder_of_tables(const char *path) {
  DIR *folder = opendir(path);
  bool found = false;
  if (!folder)
    return false;
  for (struct dirent *entry; !found && (entry = readdir(folder));)
    found = ends_in(entry->d_name, graphar_end) || ends_in(entry->d_name, ".parquet");
  closedir(folder);
  return found;
}

/* WebGraph's NAME.graph, beside which NAME.properties lies, begins with any bits. */
static bool has_properties_beside(const char *path) {
  static const char end[] = ".graph";
  char beside[PATH_MAX];
  const int stem = (int)(strlen(path) - strlen(end));
  return ends_in(path, end) &&
         snprintf(beside, sizeof beside, "%.*s.properties", stem, path) < PATH_MAX &&
         access(beside, F_OK) == 0;
}

static bool is_table(const char *path) {
  char head[HEAD];
  if (strcmp(path, "-") == 0)
    return peek_standard_input(head) == HEAD && is_table_head(head, false);
  return ends_in(path, graphar_end) || is_folder_of_tables(path) ||
         (peek_file(path, head) == HEAD && is_table_head(head, true) &&
          !has_properties_beside(path));
}

bool qn_tables_are_input(const char *format, char **inputs, int num_inputs) {
  if (strcmp(format, "auto") != 0)
    return qn_format_is_read_by_package(format);
  return num_inputs > 0 && is_table(inputs[0]);
}

bool qn_tables_are_types(char *const *tables, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const char *files = strchr(tables[i], '=');
    char path[PATH_MAX];
    if (!files)
      continue;
    const int length = (int)strcspn(files + 1, ",");
    if (snprintf(path, sizeof path, "%.*s", length, files + 1) < PATH_MAX &&
        strcmp(path, "-") != 0 && is_table(path))
      return true;
  }
  return false;
}

/* ---- Handing over ----------------------------------------------------------- */

enum qn_status qn_tables_hand_over(const char *verb, const char *file, char **argv,
                                   struct qn_error *error) {
  const char *python, **arguments;
  enum qn_status status = qn_package_python(
      "tables (Parquet, Arrow, GraphAr) and files of partitions are read and written", &python,
      error);
  if (status)
    return qn_error_in_file(error, file);
  uint64_t count = 0;
  while (argv[count])
    count++;
  status = qn_alloc(&arguments, count + 4, sizeof *arguments, "a command line", error);
  if (status)
    return status;
  arguments[0] = python;
  arguments[1] = "-c";
  arguments[2] = qn_package_main;
  arguments[3] = verb;
  memcpy(arguments + 4, argv + 1, count * sizeof *arguments); /* with the NULL at the end */
  fflush(NULL);
  execvp(python, (char *const *)arguments);
  qn_free(arguments);
  return qn_fail_errno(error, "cannot run %s", python);
}
