/* A container made ready to run kernels on: mapped, checked, viewed. */
#pragma once

#include "results/labels.h"
#include "runtime/sets/run_set.h"
#include <quern/ids.h>
#include <quern/layouts.h>

struct qn_run_options; /* runtime/options.h */

struct qn_run_input {
  struct qn_container *container;
  const struct qn_container_info *info;
  const struct qn_layout_operations *layout;
  void *view; /* of the layout, layout->view_bytes */
  struct qn_ids ids;
  uint32_t *order;        /* [V] vertex at each position of the original order; NULL: the same */
  uint32_t *positions;    /* [V] the inverse; NULL: the same */
  struct qn_run_set *set; /* whose parts are walked; then `container` is that of its vertices, and
                             borrowed */
  bool trusted;           /* nothing was verified */
  double map_seconds;
  double validate_seconds;
};

/* Is it a set whose rows are cut by columns, which one process walks? */
static inline bool qn_run_input_is_cut(const struct qn_run_input *input) {
  return input->set && qn_run_set_is_cut(input->set) && !input->set->exchange;
}

static inline struct qn_labels qn_run_input_labels(const struct qn_run_input *input) {
  return (struct qn_labels){&input->ids, input->order};
}

/* Map `path`, verify what it holds but for weights (qn_container_verify_structure), and check all
 * rules that kernels rely on; with `trust` nothing of this is done (a damaged or forged file may
 * then give wrong results, or make the process read and write anywhere). Owned until
 * qn_run_input_close. */
enum qn_status qn_run_input_open(const char *path, bool trust, struct qn_run_input *input,
                                 struct qn_error *error);
/* The same for what a user asks for. The parts of a set are walked if there is a
 * kernel that does so, together with the other ranks of `exchange` (NULL: none); else the graph is
 * put together. */
enum qn_status qn_run_input_open_for(const char *path, const struct qn_run_options *options,
                                     const struct qn_exchange *exchange, bool trust,
                                     struct qn_run_input *input, struct qn_error *error);
/* The same for several runs, `options` [count]: parts are walked if all of them can. */
enum qn_status qn_run_input_open_for_all(const char *path, const struct qn_run_options *options,
                                         unsigned count, const struct qn_exchange *exchange,
                                         bool trust, struct qn_run_input *input,
                                         struct qn_error *error);
/* The weights, for an algorithm that looks at them. */
enum qn_status qn_run_input_verify_weights(const struct qn_run_input *input,
                                           struct qn_error *error);
/* The same in steps, for a container that is mapped already: what is cheap; the checks; the
 * original order and its inverse, where they are not the vertex order. */
enum qn_status qn_run_input_view(struct qn_container *container, struct qn_run_input *input,
                                 struct qn_error *error);
enum qn_status qn_run_input_check(struct qn_run_input *input, struct qn_error *error);
enum qn_status qn_run_input_order(struct qn_run_input *input, struct qn_error *error);

/* Give all back but the container. A zeroed input is allowed, here and below. */
void qn_run_input_forget(struct qn_run_input *input);
void qn_run_input_close(struct qn_run_input *input);
