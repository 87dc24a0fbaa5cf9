/* The command line of quern-run. */
#pragma once

#include "runtime/deliver/deliver.h"
#include "support/tool.h"

struct qn_run_command {
  struct qn_tool_options shared;
  struct qn_run_options run;
  struct qn_watch_options watch;
  const char *file;
  struct qn_output_options outputs;
  const char *special; /* the first option given that is neither --device, nor --output, nor an
                          algorithm's; NULL: none */
  int64_t top;
  bool list;
  bool trust;
};

/* Ends the process with exit code 2 if the command line is a bad one, and after --help. The
 * options are to be ended by qn_run_options_end. */
void qn_run_command_parse(int argc, char **argv, struct qn_run_command *command);
/* What makes -o a folder. */
bool qn_run_command_is_graphalytics(const struct qn_run_command *command);
bool qn_run_command_is_graph500(const struct qn_run_command *command);
bool qn_run_command_has_several(const struct qn_run_command *command);
