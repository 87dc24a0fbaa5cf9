#include "tools/set_making.h"

#include <inttypes.h>

#include "kernels/ranks/ranks.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"

enum { KEY_RANK_TIMEOUT = 0x3701 };

static const struct argp_option argp_options[] = {
    {NULL, 0, NULL, 0,
     "A set of containers (under mpirun by default one for each process):", QN_SET_GROUP - 1},
    {"rank-timeout", KEY_RANK_TIMEOUT, "SECONDS", 0, QN_RANK_TIMEOUT_HELP, QN_SET_GROUP},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  if (key != KEY_RANK_TIMEOUT)
    return ARGP_ERR_UNKNOWN;
  qn_ranks_set_timeout(qn_option_real(state, "--rank-timeout", argument));
  return 0;
}

const struct argp qn_set_making_argp = {.options = argp_options, .parser = parse_option};

enum qn_status qn_set_making_begin(struct qn_set_making *making, struct qn_tool_options *shared,
                                   struct qn_error *error) {
  const struct qn_exchange *exchange;
  enum qn_status status = qn_ranks_begin(&exchange, error);
  if (status)
    return status;
  making->ranks = exchange                        ? qn_ranks_collective()
                  : qn_set_is_asked(&making->set) ? &qn_collective_alone
                                                  : NULL;
  if (making->ranks && !qn_set_is_asked(&making->set))
    making->set.num_parts = making->ranks->num_ranks;
  status = qn_set_options_settle(&making->set, error);
  if (status || !making->ranks)
    return status;
  if (making->ranks->rank != 0) {
    shared->json = false;
    qn_progress_mute(true);
  }
  return exchange ? qn_ranks_note_machine(error) : QN_OK;
}

int qn_set_making_end(enum qn_status status, const struct qn_error *error) {
  status = qn_ranks_agree(status);
  int code = qn_tool_exit(status, qn_ranks_is_speaker() ? error : NULL);
  qn_ranks_end(); /* the others wait here until what failed is told: a launcher ends all with one */
  return code;
}

bool qn_set_making_tells(const struct qn_set_making *making) {
  return !making->ranks || making->ranks->rank == 0;
}

void qn_set_making_json(const struct qn_set_making *making, const struct qn_set *set,
                        json_t *json) {
  const struct qn_ranks_figures figures = qn_ranks_figures();
  if (!set || !json)
    return;
  json_object_set_new(json, "parts", json_integer((json_int_t)set->num_parts));
  if (making->ranks && making->ranks->num_ranks > 1)
    json_object_set_new(
        json, "ranks",
        json_pack("{s:i, s:I, s:I, s:I, s:f}", "count", (int)making->ranks->num_ranks, "exchanges",
                  (json_int_t)figures.exchanges, "sent_bytes", (json_int_t)figures.sent,
                  "received_bytes", (json_int_t)figures.received, "seconds", figures.seconds));
}

void qn_set_making_print(const struct qn_set_making *making, const struct qn_set *set,
                         FILE *stream) {
  const struct qn_ranks_figures figures = qn_ranks_figures();
  char received[32];
  if (!set)
    return;
  fprintf(stream, "a set of %" PRIu64 " part%s", set->num_parts, set->num_parts == 1 ? "" : "s");
  if (making->ranks && making->ranks->num_ranks > 1)
    fprintf(stream, " by %u ranks, of which the first received %s", making->ranks->num_ranks,
            qn_size_text(figures.received, received, sizeof received));
  putc('\n', stream);
}
