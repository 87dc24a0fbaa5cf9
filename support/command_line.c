#include "support/command_line.h"

#include <stdio.h>
#include <string.h>

#include "support/suggest.h"

/* Called with every option of a parser and of its children; true ends it. */
typedef bool (*visitor)(const struct argp_option *option, void *context);

static bool visit_options(const struct argp *argp, visitor visit, void *context) {
  const struct argp_option *option = argp->options;
  for (; option && (option->name || option->key || option->doc || option->group); option++)
    if (visit(option, context))
      return true;
  for (const struct argp_child *child = argp->children; child && child->argp; child++)
    if (visit_options(child->argp, visit, context))
      return true;
  return false;
}

struct search {
  const char *name; /* of a long option, `length` bytes; NULL: by key */
  size_t length;
  int key;
  const struct argp_option *found;
  uint32_t count; /* of names that begin so */
};

static bool match(const struct argp_option *option, void *context) {
  struct search *search = context;
  if (!search->name) {
    search->found = option->key == search->key ? option : NULL;
    return search->found != NULL;
  }
  if (!option->name || strncmp(option->name, search->name, search->length) != 0)
    return false;
  search->found = option;
  search->count++;
  return option->name[search->length] == '\0';
}

/* What argp itself knows; none of them takes a value. */
static bool is_built_in(const char *name, size_t length) {
  static const char *const names[] = {"help", "usage", "version"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (length <= strlen(names[i]) && strncmp(name, names[i], length) == 0)
      return true;
  return false;
}

static bool offer(const struct argp_option *option, void *context) {
  if (option->name && !(option->flags & OPTION_HIDDEN))
    qn_suggestion_offer(context, option->name);
  return false;
}

static void remember_unknown(const struct argp *argp, const char *text, size_t length,
                             struct qn_command_line *line) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)length, text + 2);
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  visit_options(argp, offer, &suggestion);
  line->unknown = text;
  if (suggestion.best)
    snprintf(line->best, sizeof line->best, "%s", suggestion.best);
}

/* Does the next word belong to the option `text`, which begins with "--"? */
static bool look_at_long(const struct argp *argp, const char *text, struct qn_command_line *line) {
  size_t length = strcspn(text + 2, "=");
  struct search search = {.name = text + 2, .length = length};
  visit_options(argp, match, &search);
  if (!search.found && !is_built_in(text + 2, length) && !line->unknown)
    remember_unknown(argp, text, length, line);
  line->json |= search.found && strcmp(search.found->name, "json") == 0;
  return search.found && search.found->arg && !(search.found->flags & OPTION_ARG_OPTIONAL) &&
         text[2 + length] == '\0';
}

/* Of one-letter options: does the last one lack its value? */
static bool look_at_letters(const struct argp *argp, const char *text) {
  for (const char *p = text + 1; *p; p++) {
    struct search search = {.key = (unsigned char)*p};
    visit_options(argp, match, &search);
    if (search.found && search.found->arg)
      return p[1] == '\0';
  }
  return false;
}

void qn_command_line_look(const struct argp *argp, int argc, char **argv,
                          struct qn_command_line *line) {
  *line = (struct qn_command_line){0};
  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (text[0] != '-' || text[1] == '\0')
      continue;
    if (strcmp(text, "--") == 0)
      return;
    if (text[1] == '-' ? look_at_long(argp, text, line) : look_at_letters(argp, text))
      i++;
  }
}
