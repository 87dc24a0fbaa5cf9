#include "runtime/ranks_alike.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/ranks/ranks.h"

/* Options fall into classes by their names. All of a class are compared at once, by a sum that does
 * not depend on their order. */
#define CLASSES 64

struct digest {
  uint64_t sums[CLASSES];
  const char *names[CLASSES]; /* of this rank's options, the last one of each class; NULL: none */
};

static void add(struct digest *digest, const char *name, const char *value) {
  const uint64_t of_name = XXH3_64bits(name, strlen(name));
  const uint64_t class = of_name % CLASSES;
  digest->sums[class] += value ? XXH3_64bits_withSeed(value, strlen(value), of_name) : of_name;
  digest->names[class] = name;
}

static void add_number(struct digest *digest, const char *name, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, value);
  if (value)
    add(digest, name, text);
}

static void add_all(struct digest *digest, const struct qn_run_options *options) {
  if (options->algorithm)
    add(digest, "algorithm", options->algorithm);
  for (uint32_t i = 0; i < options->num_said; i++) {
    const struct qn_said_option *said = &options->said[i];
    if (qn_run_options_said(options, said->name) == said) /* the last one counts */
      add(digest, said->name, said->value);
  }
  add_number(digest, "program", options->program != NULL);
  add_number(digest, "strategy", options->strategy);
  add_number(digest, "mode", options->asynchronous);
  add_number(digest, "direction", options->direction);
  add_number(digest, "parallelism", options->parallelism);
  add_number(digest, "checkpoint", options->checkpoint.folder != NULL);
  add_number(digest, "every", options->checkpoint.every);
  add_number(digest, "resume", options->checkpoint.resume);
  add_number(digest, "parents", options->wants_parents);
}

static enum qn_status refuse(const char *name, struct qn_error *error) {
  const bool is_option = name && strcmp(name, "algorithm") != 0;
  return qn_fail(error, QN_USAGE,
                 "the ranks have different %s%s: start all of them with the same options",
                 !name       ? "options"
                 : is_option ? "values of --"
                             : "algorithms",
                 is_option ? name : "");
}

enum qn_status qn_ranks_options_alike(const struct qn_run_options *options,
                                      struct qn_error *error) {
  struct digest digest = {0};
  uint64_t least[CLASSES], most[CLASSES];
  const struct qn_collective *ranks = qn_ranks_writers();
  if (!ranks)
    return QN_OK;
  add_all(&digest, options);
  memcpy(least, digest.sums, sizeof least);
  memcpy(most, digest.sums, sizeof most);
  enum qn_status status = ranks->combine(least, CLASSES, QN_COMBINE_LEAST, error);
  if (!status)
    status = ranks->combine(most, CLASSES, QN_COMBINE_MOST, error);
  for (unsigned i = 0; !status && i < CLASSES; i++)
    if (least[i] != most[i])
      status = refuse(digest.names[i], error);
  return status;
}
