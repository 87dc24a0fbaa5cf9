/* quern TOOL ...: the tools of the suite under one name. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/modules/module.h"
#include "support/suggest.h"
#include "support/text/help.h"
#include "support/text/terminal.h"
#include "support/tool.h"
#include <quern/error.h>

static const struct {
  const char *name, *summary;
} summaries[] = {
    {"archive", "keep containers in a compact form, and in bundles"},
    {"block", "graph to blocked CSR (GraphCage)"},
    {"export", "container to a format of other systems"},
    {"fetch", "a public graph by its recipe, verified"},
    {"generate", "random graphs and grids"},
    {"hybrid", "graph to ELL and COO (HPGraph)"},
    {"import", "files of other systems to a graph"},
    {"info", "what a container holds"},
    {"pack", "graph to few bits an edge"},
    {"page", "graph to slotted pages (GTS)"},
    {"partition", "graph to edge partitions (Graphie)"},
    {"remake", "a container again from its sources, compared"},
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
  qn_help_text("Usage: quern TOOL [OPTION...]\n"
               "A mill for graphs: all tools of the suite under one name.\n\n"
               "Tools (quern help TOOL and quern help ALGORITHM say more):",
               qn_terminal_width() - 1, stream);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name + strlen("quern-"), *summary = summary_of(name);
    char line[128];
    snprintf(line, sizeof line, *summary ? "  %-10s %s" : "  %s", name, summary);
    qn_help_text(line, qn_terminal_width() - 1, stream);
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
}

/* The tool that a name is nearly the name of; NULL: none. */
static const char *nearest_tool(const char *name) {
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++)
    qn_suggestion_offer(&suggestion, summaries[i].name);
  return suggestion.best;
}

/* What people call tools elsewhere. */
static const char *meant_tool(const char *name) {
  static const struct {
    const char *name, *meant;
  } words[] = {
      {"check", "verify"},      {"validate", "verify"},
      {"convert", "import"},    {"load", "import"},
      {"download", "fetch"},    {"get", "fetch"},
      {"reproduce", "remake"},  {"read", "import"},
      {"build", "import"},      {"save", "export"},
      {"write", "export"},      {"dump", "export"},
      {"show", "info"},         {"stats", "info"},
      {"describe", "info"},     {"rank", "run"},
      {"compute", "run"},       {"compress", "archive"},
      {"extract", "archive"},   {"split", "transform"},
      {"relabel", "transform"}, {"symmetrize", "transform"},
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i].name, name) == 0)
      return words[i].meant;
  return nearest_tool(name);
}

static int refuse_tool(const char *name) {
  const char *meant = meant_tool(name);
  fprintf(stderr, "quern: there is no tool %s", name);
  if (meant)
    fprintf(stderr, "; did you mean '%s'?\n", meant);
  else
    fprintf(stderr,
            "; quern --help lists them (if it is an algorithm: quern run %s FILE; quern run --list "
            "lists those)\n",
            name);
  return QN_USAGE;
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
  if (errno != ENOENT)
    fprintf(stderr, "quern: %s cannot be run: %s\n", path, strerror(errno));
  return errno == ENOENT ? refuse_tool(argv[0]) : QN_USAGE;
}

/* Of a tool, or of an algorithm. */
static int show_help(const char *folder, char *name) {
  char path[QN_TOOL_FOLDER_BYTES];
  const int length = snprintf(path, sizeof path, "%squern-%s", folder, name);
  const bool is_tool = length < (int)sizeof path && access(path, X_OK) == 0;
  if (is_tool || nearest_tool(name))
    return run_tool(folder, (char *[]){name, "--help", NULL});
  return run_tool(folder, (char *[]){"run", name, "--help", NULL});
}

/* What libquern can load where it is; tools that have it in themselves look from where they are. */
static void print_version(void) {
  static const char *const modules[] = {"cuda", "curl", "hdf5", "mpi"};
  bool (*is_installed)(const char *) = qn_module_is_installed;
  void *library = dlopen("libquern.so.0", RTLD_LAZY);
  void *symbol = library ? dlsym(library, "qn_module_is_installed") : NULL;
  if (symbol)
    memcpy(&is_installed, &symbol, sizeof is_installed);
  printf("quern (Quern) %s\nmodules", QN_VERSION);
  for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
    char file[64];
    snprintf(file, sizeof file, "libquern-%s.so.0", modules[i]);
    printf("%s %s %s", i ? "," : ":", modules[i], is_installed(file) ? "yes" : "no");
  }
  printf("\n");
}

int main(int argc, char **argv) {
  char folder[QN_TOOL_FOLDER_BYTES];
  qn_tool_folder(folder);
  const char *first = argc < 2 ? "" : argv[1];
  const bool help = strcmp(first, "help") == 0;
  if (help && argc > 2)
    return show_help(folder, argv[2]);
  if (argc < 2 || help || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
      strcmp(first, "-?") == 0) {
    print_tools(argc < 2 ? stderr : stdout, folder);
    return argc < 2 ? QN_USAGE : QN_OK;
  }
  if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0 || strcmp(first, "-v") == 0) {
    print_version();
    return QN_OK;
  }
  return run_tool(folder, argv + 1);
}
