#include "support/text/help.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/text/fold.h"

/* Columns where options' names and their descriptions begin; a narrow terminal has less room. */
enum { SHORT = 2, LONG = 6, WIDE = 29, NARROW = 8, NARROW_TERMINAL = 60, LINE_BYTES = 1024 };

struct page {
  FILE *stream;
  unsigned width;
  bool has_headings; /* so far: then a blank line parts groups */
};

/* ---- Text --------------------------------------------------------------------------------- */

/* Where what does not fit of a line continues. */
static unsigned hanging_indent(const char *line, unsigned width) {
  const unsigned first = (unsigned)strspn(line, " ");
  unsigned indent = first;
  for (const char *gap = line + first; first > 0 && (gap = strstr(gap, "  "));
       gap += strspn(gap, " "))
    indent = (unsigned)(gap + strspn(gap, " ") - line);
  return indent <= width / 2 ? indent : first + 2;
}

void qn_help_text(const char *text, unsigned width, FILE *stream) {
  char line[LINE_BYTES];
  for (const char *end = text; *text; text = *end ? end + 1 : end) {
    end = strchrnul(text, '\n');
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    qn_text_fold(line, 0, hanging_indent(line, width), width, stream);
  }
}

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_end(const struct argp_option *option) {
  return !option->name && !option->key && !option->doc && !option->group;
}

static bool is_heading(const struct argp_option *option) {
  return !option->name && !option->key;
}

static int group_of(const struct argp_option *option, int before) {
  return option->group ? option->group : is_heading(option) ? before + 1 : before;
}

/* The least group of `argp` and its children that is greater than `group`; INT_MAX: none. */
static int group_behind(const struct argp *argp, int group) {
  int next = INT_MAX, here = 0;
  for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
    here = group_of(option, here);
    if (here > group && here < next && !(option->flags & OPTION_HIDDEN))
      next = here;
  }
  for (const struct argp_child *child = argp->children; child && child->argp; child++) {
    here = group_behind(child->argp, group);
    next = here < next ? here : next;
  }
  return next;
}

/* "  -o, --output=FILE" */
static void name_option(const struct argp_option *option, char name[LINE_BYTES]) {
  const bool has_letter = option->key > ' ' && option->key <= '~';
  char letter[8] = "";
  if (has_letter)
    snprintf(letter, sizeof letter, "-%c%s", option->key, option->name ? "," : "");
  const bool is_optional = option->flags & OPTION_ARG_OPTIONAL;
  snprintf(name, LINE_BYTES, "%*s%-*s%s%s%s%s%s%s", SHORT, "", option->name ? LONG - SHORT : 0,
           letter, option->name ? "--" : "", option->name ? option->name : "",
           is_optional ? "[" : "", option->arg ? "=" : "", option->arg ? option->arg : "",
           is_optional ? "]" : "");
}

static void print_option(const struct argp_option *option, const struct page *page) {
  const unsigned column = page->width < NARROW_TERMINAL ? NARROW : WIDE;
  char name[LINE_BYTES];
  name_option(option, name);
  unsigned at = qn_text_width(name);
  if (at + 2 > column || at > page->width) {
    const unsigned blanks = (unsigned)strspn(name, " ");
    fprintf(page->stream, "%*s", (int)blanks, "");
    qn_text_fold(name + blanks, blanks, column, page->width, page->stream);
    at = 0;
  } else {
    fputs(name, page->stream);
  }
  fprintf(page->stream, "%*s", (int)(column - at), "");
  qn_text_fold(option->doc, column, column, page->width, page->stream);
}

static void print_heading(const char *text, struct page *page) {
  char line[LINE_BYTES];
  page->has_headings = true;
  snprintf(line, sizeof line, " %s", text);
  qn_text_fold(line, 0, 1, page->width, page->stream);
}

static void print_group(const struct argp *argp, int group, struct page *page) {
  int here = 0;
  for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
    here = group_of(option, here);
    if (here != group || (option->flags & OPTION_HIDDEN))
      continue;
    if (is_heading(option))
      print_heading(option->doc, page);
    else
      print_option(option, page);
  }
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    print_group(child->argp, group, page);
}

/* Does a group of `argp` or of its children begin with a heading? */
static bool has_heading(const struct argp *argp, int group) {
  int here = 0;
  for (const struct argp_option *option = argp->options; option && !is_end(option); option++) {
    here = group_of(option, here);
    if (here == group && is_heading(option) && !(option->flags & OPTION_HIDDEN))
      return true;
  }
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    if (has_heading(child->argp, group))
      return true;
  return false;
}

static void print_options(const struct argp *argp, struct page *page) {
  int first = group_behind(argp, INT_MIN);
  for (int group = first; group != INT_MAX; group = group_behind(argp, group)) {
    if (group != first && (page->has_headings || has_heading(argp, group)))
      fputc('\n', page->stream);
    print_group(argp, group, page);
  }
}

/* ---- All of it ---------------------------------------------------------------------------- */

static void print_synopsis(const char *tool, const struct argp *argp, const struct page *page) {
  const char *begin = "Usage:";
  for (const char *form = argp->args_doc ? argp->args_doc : "", *end; begin; begin = "  or: ") {
    char line[LINE_BYTES];
    end = strchrnul(form, '\n');
    snprintf(line, sizeof line, "%s %s [OPTION...] %.*s", begin, tool, (int)(end - form), form);
    qn_text_fold(line, 0, 12, page->width, page->stream);
    if (!*end)
      return;
    form = end + 1;
  }
}

void qn_help_print(const char *tool, const struct argp *argp, unsigned width, FILE *stream) {
  struct page page = {.stream = stream, .width = width};
  const char *text = argp->doc ? argp->doc : "", *behind = strchr(text, '\v');
  char *before = strndup(text, behind ? (size_t)(behind - text) : strlen(text));
  print_synopsis(tool, argp, &page);
  qn_help_text(before ? before : "", width, stream);
  free(before);
  fputc('\n', stream);
  print_options(argp, &page);
  if (!behind)
    return;
  text = behind + 1;
  char *filtered = argp->help_filter ? argp->help_filter(ARGP_KEY_HELP_POST_DOC, text, NULL) : NULL;
  fputc('\n', stream);
  qn_help_text(filtered ? filtered : text, width, stream);
  if (filtered != text)
    free(filtered);
}

static void add_names(const struct argp *argp, FILE *words) {
  for (const struct argp_option *option = argp->options; option && !is_end(option); option++)
    if (option->name && !(option->flags & OPTION_HIDDEN))
      fprintf(words, " [--%s%s%s]", option->name, option->arg ? "=" : "",
              option->arg ? option->arg : "");
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    add_names(child->argp, words);
}

void qn_help_print_usage(const char *tool, const struct argp *argp, unsigned width, FILE *stream) {
  const char *form = argp->args_doc ? argp->args_doc : "";
  char *line = NULL;
  size_t bytes;
  FILE *words = open_memstream(&line, &bytes);
  if (!words)
    return;
  fprintf(words, "Usage: %s", tool);
  add_names(argp, words);
  fprintf(words, " %.*s", (int)strcspn(form, "\n"), form);
  if (fclose(words) == 0)
    qn_text_fold(line, 0, 12, width, stream);
  free(line);
}
