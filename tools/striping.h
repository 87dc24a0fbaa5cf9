/* The options --stripe and --stripe-unit, by which a tool deals its output out to several disks. */
#pragma once

#include <argp.h>

#include "formats/container/stripes.h"

/* Zero it before parsing. */
struct qn_striping_options {
  struct qn_striping striping;
  const char *folders[QN_MAX_STRIPES];
};

/* A child whose input is such options. */
extern const struct argp qn_striping_argp;

/* Where outputs are held (atomic_file.h): in place of the container that was just written to `path`
 * and is mapped as `container`, put a striped copy. Nothing to do without --stripe. */
enum qn_status qn_striping_replace(const struct qn_striping_options *options,
                                   const struct qn_container *container, const char *path,
                                   bool force, struct qn_error *error);
