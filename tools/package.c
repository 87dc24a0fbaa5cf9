#include "tools/package.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/jit/child.h"
#include "support/memory.h"

/* What is imported comes from where Python was told to look, never from the working folder. */
#define SAFELY "import sys; sys.path = [p for p in sys.path if p]\n"
static char look[] =
    SAFELY "import importlib.util; sys.exit(not importlib.util.find_spec('quern'))\n";
const char qn_package_main[] =
    SAFELY "try:\n"
           "    from quern.__main__ import main\n"
           "except ImportError as problem:\n"
           "    sys.stderr.write('quern-%s: %s\\n' % (sys.argv[1], problem))\n"
           "    sys.exit(4)\n"
           "sys.exit(main())\n";

static char option[] = "-c";

extern char **environ;

enum qn_status qn_package_python(const char *what, const char **python, struct qn_error *error) {
  const char *named = getenv("QUERN_PYTHON");
  *python = named && *named ? named : "python3";
  char *arguments[] = {(char *)*python, option, look, NULL};
  pid_t child;
  int status;
  int failure = posix_spawnp(&child, *python, NULL, NULL, arguments, environ);
  if (failure)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s by the Python package of Quern, and there is no %s (QUERN_PYTHON names "
                   "another): %s",
                   what, *python, strerror(failure));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return qn_fail_errno(error, "cannot wait for %s", *python);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return QN_OK;
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s by the Python package of Quern, which %s does not have: `pip install "
                 "'.[tables]'` in a clone installs it (QUERN_PYTHON names another Python)",
                 what, *python);
}

/* What the package says begins with the name of a tool, as errors do. */
static const char *message_in(char *said) {
  static const char end[] = ": ";
  char *last = said + strlen(said);
  while (last > said && (last[-1] == '\n' || last[-1] == ' '))
    *--last = '\0';
  const char *name = strstr(said, end);
  return name ? name + strlen(end) : said;
}

static enum qn_status status_of(int exit_code) {
  switch (exit_code) {
  case 2:
    return QN_USAGE;
  case 3:
    return QN_INVALID;
  case 4:
    return QN_UNSUPPORTED;
  default:
    return QN_SYSTEM;
  }
}

static enum qn_status call(const char *python, const char *const *arguments, const char **words,
                           struct qn_error *error) {
  char said[2048] = "";
  int exit_code = 0;
  uint64_t count = 0;
  words[count++] = python;
  words[count++] = option;
  words[count++] = qn_package_main;
  while (*arguments)
    words[count++] = *arguments++;
  words[count] = NULL;
  enum qn_status status = qn_child_run(words, said, sizeof said, &exit_code, error);
  if (status || exit_code == 0)
    return status;
  if (exit_code > 128)
    return qn_fail(error, QN_SYSTEM, "%s was ended by signal %d: %s", python, exit_code - 128,
                   said);
  return qn_fail(error, status_of(exit_code), "%s", message_in(said));
}

enum qn_status qn_package_run(const char *what, const char *const *arguments,
                              struct qn_error *error) {
  const char *python, **words;
  uint64_t count = 0;
  while (arguments[count])
    count++;
  enum qn_status status = qn_package_python(what, &python, error);
  if (!status)
    status = qn_alloc(&words, count + 4, sizeof *words, "a command line", error);
  if (status)
    return status;
  status = call(python, arguments, words, error);
  qn_free(words);
  return status;
}
