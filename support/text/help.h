/* What --help shows of a command line: its argp tables in two columns, within the terminal's width.
 * (argp's own layout loses the column wherever its buffer ends.) */
#pragma once

#include <argp.h>
#include <stdio.h>

/* The usage, the documentation and all options that are not hidden: by group, and within a group in
 * the order of the tables. Of the children only the options are shown. */
void qn_help_print(const char *tool, const struct argp *argp, unsigned width, FILE *stream);

/* The usage, with every option by its name. */
void qn_help_print_usage(const char *tool, const struct argp *argp, unsigned width, FILE *stream);

/* Print lines of text. One that begins with blanks ("  name  what it is") continues below what
 * stands behind its last gap of two blanks or more. */
void qn_help_text(const char *text, unsigned width, FILE *stream);
