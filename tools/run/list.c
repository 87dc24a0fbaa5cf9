/* The table of quern-run --list. */
#include <stdio.h>
#include <string.h>

#include "kernels/registry.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "tools/run/report.h"
#include <quern/layouts.h>

/* Columns: an algorithm's name, its title, and a layout every LAYOUT_WIDTH. */
enum { NAME_WIDTH = 12, LEAST_TITLE = 16, MOST_TITLE = 40, LAYOUT_WIDTH = 4 };

/* Columns for titles: what is left of the width. A cell ends in a blank. */
static int title_width(void) {
  int width = (int)qn_terminal_width() - (2 + NAME_WIDTH + 2 + 1) + 1;
  for (const struct qn_layout_operations *row = qn_layouts(); row->view; row++)
    width -= LAYOUT_WIDTH;
  return width < LEAST_TITLE ? LEAST_TITLE : width > MOST_TITLE ? MOST_TITLE : width;
}

/* Where the layouts begin. */
static int layouts_at(void) {
  return 2 + NAME_WIDTH + 2 + title_width() + 1;
}

/* Where the last one ends. */
static int layouts_end(void) {
  int end = layouts_at() + 1 - LAYOUT_WIDTH;
  for (const struct qn_layout_operations *row = qn_layouts(); row->view; row++)
    end += LAYOUT_WIDTH;
  return end;
}

/* Is there one with all these traits? */
static bool has_kernel(const char *algorithm, const char *layout, enum qn_processor processor,
                       uint32_t traits) {
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++)
    if (strcmp(qn_layout_name((*kernel)->layout), layout) == 0 &&
        (*kernel)->processor == processor && ((*kernel)->traits & traits) == traits &&
        strcmp((*kernel)->algorithm->name, algorithm) == 0)
      return true;
  return false;
}

/* A layout's name, and a line from it down to its column; lines of those before it go on. */
static void print_column_head(const struct qn_layout_operations *row, unsigned column) {
  int end = layouts_at() - 2;
  printf("%*s ", end, row->name);
  for (unsigned i = 0; i < column; i++)
    fputs("----", stdout);
  fputs("-+", stdout);
  for (row++; row->view; row++)
    fputs("   |", stdout);
  putchar('\n');
}

static void print_heads(void) {
  unsigned layouts = 0;
  while (qn_layouts()[layouts].view)
    layouts++;
  while (layouts-- > 0)
    print_column_head(&qn_layouts()[layouts], layouts);
}

static void print_cells(const char *algorithm) {
  char line[128];
  int length = 0;
  for (const struct qn_layout_operations *row = qn_layouts(); row->view; row++) {
    char cell[LAYOUT_WIDTH];
    snprintf(cell, sizeof cell, "%s%s%s", has_kernel(algorithm, row->name, QN_CPU, 0) ? "C" : "",
             has_kernel(algorithm, row->name, QN_CUDA, QN_KERNEL_DEVICES) ? "M"
             : has_kernel(algorithm, row->name, QN_CUDA, 0)               ? "G"
                                                                          : "",
             has_kernel(algorithm, row->name, QN_JOINT, 0) ? "J" : "");
    length += snprintf(line + length, sizeof line - (size_t)length, "%-*s", LAYOUT_WIDTH,
                       cell[0] ? cell : ".");
  }
  while (length > 0 && line[length - 1] == ' ')
    length--;
  printf("%.*s\n", length, line);
}

static const char *text_of(const json_t *kernel, const char *key) {
  return json_string_value(json_object_get(kernel, key));
}

/* One line, or two if the title is a long one. Narrow terminals have no room for layouts. */
static void print_algorithm(const json_t *kernel) {
  const char *algorithm = text_of(kernel, "algorithm"), *alias = text_of(kernel, "alias");
  const char *title = text_of(kernel, "title");
  char name[64];
  const bool fits = alias && strlen(algorithm) + strlen(alias) + 3 <= NAME_WIDTH;
  snprintf(name, sizeof name, fits ? "%s (%s)" : "%s", algorithm, alias);
  if (layouts_end() > (int)qn_terminal_width()) {
    const unsigned at = (unsigned)printf("  %-*s  ", NAME_WIDTH, name);
    qn_text_fold(title, at, 2 + NAME_WIDTH + 2, qn_terminal_width(), stdout);
    return;
  }
  printf("  %-*s  %-*s ", NAME_WIDTH, name, title_width(), title);
  if (strlen(name) > NAME_WIDTH || strlen(title) > (size_t)title_width())
    printf("\n%*s", layouts_at(), "");
  print_cells(algorithm);
}

void qn_kernel_list_print(const json_t *list) {
  size_t index;
  const json_t *kernel;
  const char *last = "", *heading = "";
  const bool is_narrow = layouts_end() > (int)qn_terminal_width();
  if (!is_narrow)
    print_heads();
  json_array_foreach(json_object_get(list, "kernels"), index, kernel) {
    if (strcmp(text_of(kernel, "purpose"), heading) != 0)
      printf("%s\n", heading = text_of(kernel, "purpose"));
    if (strcmp(text_of(kernel, "algorithm"), last) != 0)
      print_algorithm(kernel);
    last = text_of(kernel, "algorithm");
  }
  if (is_narrow)
    puts("\nWhere there is room for it, this shows\nthe layouts that each runs on.");
  else
    puts("\n"
         "C: on the CPU; G: on a CUDA device; M: on several, too (--devices);\n"
         "J: on the CPU and a device at once (--device both)\n"
         ".: on plain rows, which are restored first");
}
