/* What a command line says before argp parses it: whether messages are to be JSON, and options that
 * there are not. */
#ifndef QN_SUPPORT_COMMAND_LINE_H
#define QN_SUPPORT_COMMAND_LINE_H

#include <argp.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_command_line {
  bool json;           /* --json is among the options */
  const char *unknown; /* the first long option that `argp` does not know, with its "--"; or NULL */
  char best[64];       /* the option that may have been meant, without "--"; "" if none */
};

void qn_command_line_look(const struct argp *argp, int argc, char **argv,
                          struct qn_command_line *line);

#ifdef __cplusplus
}
#endif
#endif
