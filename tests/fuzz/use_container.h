/* What is done with a container that may be anything. */
#pragma once

#include <stdbool.h>

#include <quern/container.h>

/* Map the file, describe it, check it, and give its graph back. True if it is a sound container. */
bool fuzz_use_container(const char *path);

/* Whatever passes every check can be walked, and restored to a graph of the same size. */
bool fuzz_walk_container(const struct qn_container *container);
