/* What the user's terminal can show. */
#pragma once

#include <stdbool.h>

/* Columns for text on standard output: what COLUMNS says, else the width of the terminal that it
 * is, else 80. At least 40, at most 1000. */
unsigned qn_terminal_width(void);

/* Is text UTF-8 in the user's locale? */
bool qn_terminal_speaks_utf8(void);
