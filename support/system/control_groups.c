#include "support/system/control_groups.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t limit_of_group(const char *folder);

/* Of `mount`/`group`, and of all folders between both and `mount` itself. */
static uint64_t least_up_to(const char *mount, const char *group, limit_of_group *limit) {
  char path[PATH_MAX];
  uint64_t least = UINT64_MAX;
  if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
    return limit(mount);
  const char *first = path + strlen(mount);
  for (char *end = path + strlen(path); end && end >= first; end = strrchr(path, '/')) {
    *end = '\0';
    const uint64_t own = limit(path);
    least = own < least ? own : least;
  }
  return least;
}

/* As least_up_to, of what is mounted at `mounted`/`name`. */
static uint64_t least_in(const char *mounted, const char *name, const char *group,
                         limit_of_group *limit) {
  char mount[PATH_MAX];
  if (snprintf(mount, sizeof mount, "%s/%s", mounted, name) >= (int)sizeof mount)
    return UINT64_MAX;
  return least_up_to(mount, group, limit);
}

/* Is `word` in a list whose words commas part? */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
      return true;
  }
  return false;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

uint64_t qn_control_groups_least(const char *mounted, const char *own, const char *controller,
                                 limit_of_group *limit) {
  char line[PATH_MAX + 64];
  uint64_t least = smaller(limit(mounted), least_in(mounted, controller, "", limit));
  FILE *file = fopen(own, "re");
  while (file && fgets(line, sizeof line, file)) { /* number:controllers:group */
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
      continue;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (!*controllers)
      least = smaller(least, smaller(least_up_to(mounted, group, limit),
                                     least_in(mounted, "unified", group, limit)));
    else if (has_word(controllers, controller))
      least = smaller(least, smaller(least_in(mounted, controllers, group, limit),
                                     least_in(mounted, controller, group, limit)));
  }
  if (file)
    fclose(file);
  return least;
}

uint64_t qn_control_group_number(const char *folder, const char *name, const char *key) {
  char path[PATH_MAX], line[128], format[64];
  unsigned long long number;
  uint64_t value = UINT64_MAX;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
      snprintf(format, sizeof format, "%s %%llu", key ? key : "") >= (int)sizeof format)
    return UINT64_MAX;
  FILE *file = fopen(path, "re");
  while (file && value == UINT64_MAX && fgets(line, sizeof line, file))
    if (!strchr(line, '-') && sscanf(line, format, &number) == 1)
      value = number;
  if (file)
    fclose(file);
  return value;
}
