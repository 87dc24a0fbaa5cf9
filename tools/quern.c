/* quern TOOL ...: the tools of the suite under one name. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/tool.h"
#include <quern/error.h>

static const struct {
  const char *name, *summary;
} summaries[] = {
    {"archive", "keep containers in a compact form, and in bundles"},
    {"block", "graph to blocked CSR (GraphCage)"},
    {"export", "container to a format of other systems"},
    {"generate", "random graphs and grids"},
    {"hybrid", "graph to ELL and COO (HPGraph)"},
    {"import", "files of other systems to a graph"},
    {"info", "what a container holds"},
    {"pack", "graph to few bits an edge"},
    {"page", "graph to slotted pages (GTS)"},
    {"partition", "graph to edge partitions (Graphie)"},
    {"run", "run an algorithm on a container"},
    {"shard", "graph to shards (Garaph)"},
    {"transform", "graph to another: symmetrize, relabel, take a part"},
    {"verify", "check containers; compare results"},
};

static const char *summary_of(const char *name) {
  for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++)
    if (strcmp(summaries[i].name, name) == 0)
      return summaries[i].summary;
  return "";
}

static int is_tool(const struct dirent *entry) {
  return strncmp(entry->d_name, "quern-", 6) == 0;
}

static void print_tools(FILE *stream, const char *folder) {
  struct dirent **entries;
  int count = scandir(folder[0] ? folder : ".", &entries, is_tool, alphasort);
  fprintf(stream, "Usage: quern TOOL [OPTION...]\n"
                  "A mill for graphs: all tools of the suite under one name.\n\n"
                  "Tools (quern help TOOL tells more):\n");
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name + strlen("quern-"), *summary = summary_of(name);
    fprintf(stream, *summary ? "  %-10s %s\n" : "  %s\n", name, summary);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
}

/* Become the tool argv[0] with its arguments; returns if there is none. */
static int run_tool(const char *folder, char **argv) {
  char path[QN_TOOL_FOLDER_BYTES];
  if (argv[0][0] == '-' || strchr(argv[0], '/')) {
    fprintf(stderr, "quern: %s is not the name of a tool; quern --help lists them\n", argv[0]);
    return QN_USAGE;
  }
  int length = snprintf(path, sizeof path, "%squern-%s", folder, argv[0]);
  if (length > 0 && length < (int)sizeof path && folder[0])
    execv(path, argv);
  fprintf(stderr, "quern: there is no tool %s beside this program (%s); quern --help lists them\n",
          argv[0], strerror(errno));
  return QN_USAGE;
}

int main(int argc, char **argv) {
  char folder[QN_TOOL_FOLDER_BYTES];
  qn_tool_folder(folder);
  const char *first = argc < 2 ? "" : argv[1];
  const bool help = strcmp(first, "help") == 0;
  if (help && argc > 2)
    return run_tool(folder, (char *[]){argv[2], "--help", NULL});
  if (argc < 2 || help || strcmp(first, "--help") == 0 || strcmp(first, "-?") == 0) {
    print_tools(argc < 2 ? stderr : stdout, folder);
    return argc < 2 ? QN_USAGE : QN_OK;
  }
  if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
    printf("quern (Quern) %s\n", QN_VERSION);
    return QN_OK;
  }
  return run_tool(folder, argv + 1);
}
