/* quern TOOL ...: the tools of the suite under one name. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/error.h"
#include "support/tool.h"

#define PATH_BYTES 4096

/* The folder that this program lies in, "" if unknown: its siblings are the tools. */
static void find_folder(char folder[PATH_BYTES]) {
  ssize_t length = readlink("/proc/self/exe", folder, PATH_BYTES - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[1] = '\0';
  else
    folder[0] = '\0';
}

static int is_tool(const struct dirent *entry) {
  return strncmp(entry->d_name, "quern-", 6) == 0;
}

static void print_tools(FILE *stream, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder[0] ? folder : ".", &entries, is_tool, alphasort);
  fprintf(stream, "Usage: quern TOOL [OPTION...]\n\nTools (quern TOOL --help tells more):\n");
  for (int i = 0; i < count; i++) {
    fprintf(stream, "  %s\n", entries[i]->d_name + 6);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
}

int main(int argc, char **argv) {
  char folder[PATH_BYTES], path[PATH_BYTES];
  find_folder(folder);
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
    print_tools(argc < 2 ? stderr : stdout, folder);
    return argc < 2 ? QN_USAGE : QN_OK;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("quern (Quern) %s\n", QN_VERSION);
    return QN_OK;
  }
  if (argv[1][0] == '-' || strchr(argv[1], '/')) {
    fprintf(stderr, "quern: %s is not the name of a tool; quern --help lists them\n", argv[1]);
    return QN_USAGE;
  }
  int length = snprintf(path, sizeof path, "%squern-%s", folder, argv[1]);
  if (length > 0 && length < (int)sizeof path && folder[0])
    execv(path, argv + 1);
  fprintf(stderr, "quern: there is no tool %s beside this program (%s); quern --help lists them\n",
          argv[1], strerror(errno));
  return QN_USAGE;
}
