#include "support/text/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_WIDTH 80
#define LEAST_WIDTH 40
#define MOST_WIDTH 1000

/* What COLUMNS says; 0 if it is not a number. */
static unsigned long columns_wanted(void) {
  const char *text = getenv("COLUMNS");
  char *end;
  unsigned long columns = text ? strtoul(text, &end, 10) : 0;
  return text && *end == '\0' ? columns : 0;
}

unsigned qn_terminal_width(void) {
  struct winsize size;
  unsigned long width = columns_wanted();
  if (width == 0)
    width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
  if (width == 0)
    return USUAL_WIDTH;
  return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : (unsigned)width;
}

/* The program's own locale stays "C", whose decimal point is a point. */
bool qn_terminal_speaks_utf8(void) {
  locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
  if (!users)
    return false;
  bool utf8 = strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;
  freelocale(users);
  return utf8;
}
