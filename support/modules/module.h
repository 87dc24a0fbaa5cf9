/* What is loaded when it is needed: shared objects that are installed with libquern. */
#pragma once

#include <stdbool.h>

/* The module of this file name, loaded with dlopen's `flags`; NULL: dlerror() says why. */
void *qn_module_open(const char *file, int flags);

/* Whether there is one; it may lack what it needs. */
bool qn_module_is_installed(const char *file);
