#include "tools/striping.h"

#include "support/atomic_file.h"
#include "support/options.h"

enum { KEY_STRIPE = 0x3601, KEY_UNIT };

static const struct argp_option table[] = {
    {"stripe", KEY_STRIPE, "DIR", 0,
     "Distribute the container over a file in DIR and one more for each further --stripe, so that "
     "several disks are read at the same time. FILE lists these files",
     0},
    {"stripe-unit", KEY_UNIT, "SIZE", 0,
     "Bytes that are put into one file before the next file is used (default: 1M, more in "
     "containers of more than 4G)",
     0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_striping_options *options = state->input;
  struct qn_striping *striping = &options->striping;
  struct qn_error error;
  switch (key) {
  case KEY_STRIPE:
    if (striping->num_folders == QN_MAX_STRIPES)
      argp_error(state, "--stripe: at most %d", QN_MAX_STRIPES);
    striping->folders = options->folders;
    options->folders[striping->num_folders++] = argument;
    return 0;
  case KEY_UNIT:
    striping->unit_bytes = qn_option_size(state, "--stripe-unit", argument, 1);
    if (qn_stripe_unit_check(striping->unit_bytes, &error))
      argp_error(state, "--stripe-unit: %s", error.message);
    return 0;
  case ARGP_KEY_END:
    if (striping->unit_bytes && !striping->num_folders)
      argp_error(state, "--stripe-unit is for --stripe");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_striping_argp = {table, parse, NULL, NULL, NULL, NULL, NULL};

enum qn_status qn_striping_replace(const struct qn_striping_options *options,
                                   const struct qn_container *container, const char *path,
                                   bool force, struct qn_error *error) {
  if (!options->striping.num_folders)
    return QN_OK;
  enum qn_status status = qn_outputs_release(false, error);
  return status ? status : qn_container_stripe(container, path, &options->striping, force, error);
}
