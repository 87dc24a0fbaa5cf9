/* What the tools of all layouts' builders share: the graph's name, -o, --memory and the options of
 * every tool; the plan of memory; the figures of the finished container. */
#pragma once

#include <stdbool.h>

#include "partitioner/builders.h"

/* What the value of one of a layout's own options stands for, which may be itself; or `text`,
 * filled with it. NULL: the error says why it stands for nothing. */
#define QN_OPTION_TEXT 32
typedef const char *qn_option_reader(const char *name, const char *value, char text[QN_OPTION_TEXT],
                                     struct qn_error *error);

/* Is `value` "device" or "device:N", a CUDA device, by default number 0? QN_USAGE for another N. */
enum qn_status qn_names_device(const char *value, bool *is_device, uint64_t *index,
                               struct qn_error *error);

/* How the parts of a set get a layout. */
struct qn_part_building {
  struct qn_builder builder;
  struct qn_memory_options memory; /* for each, as one is built after another */
};

/* As qn_set_build (formats/set/set.h), of a struct qn_part_building. */
enum qn_status qn_build_part(void *building, struct qn_container *part, const char *path,
                             struct qn_container **out, struct qn_error *error);

/* The whole of the tool of a layout's builder. `read` is asked for the values of the layout's own
 * options, unless it is NULL. Returns the exit code. */
int qn_builder_main(enum qn_layout layout, qn_option_reader *read, const char *documentation,
                    int argc, char **argv);
