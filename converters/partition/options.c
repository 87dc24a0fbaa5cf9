#include "converters/partition/options.h"

#include <quern/properties.h>
#include <string.h>
#include <unistd.h>

static const char *const method_words[] = {"fennel", "ldg",      "hdrf",      "2psl", "metis",
                                           "kahip",  "kaminpar", "mtkahypar", NULL};

/* A word, or a file of parts. */
static enum qn_status set_method(void *target, const char *text, struct qn_error *error) {
  struct qn_partition_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(method_words, text, &chosen, error);
  options->method = (enum qn_partition_method)chosen;
  options->method_given = true;
  if (!status || access(text, F_OK))
    return status;
  options->method = QN_PARTITION_GIVEN;
  options->file = text;
  return QN_OK;
}

static enum qn_status set_imbalance(void *target, const char *text, struct qn_error *error) {
  struct qn_partition_options *options = target;
  options->imbalance_given = true;
  return qn_amount_parse(text, &options->imbalance, error);
}

#define FIELD(name) offsetof(struct qn_partition_options, name)
const struct qn_setting qn_partition_settings[] = {
    {"partition", QN_SETTING_NUMBER, FIELD(num_parts), .least = 1, .most = UINT32_MAX - 1,
     .argument = "K", .group = QN_PARTITION_GROUP,
     .help = "Divide the vertices, or the edges, into K parts: FILE is the container with a column "
             "(a property) that says the part of each, 0 to K - 1"},
    {"by", QN_SETTING_OWN, .words = method_words, .set = set_method, .argument = "METHOD|FILE",
     .group = QN_PARTITION_GROUP,
     .help = "How: fennel (default) or ldg, a stream of vertices; hdrf or 2psl, a stream of edges, "
             "which are what is divided; metis, kahip, kaminpar or mtkahypar, libraries that the "
             "Python package calls; or as FILE says, with a part a line for each vertex in the "
             "container's order, as METIS writes it"},
    {"imbalance", QN_SETTING_OWN, .set = set_imbalance, .argument = "X",
     .group = QN_PARTITION_GROUP,
     .help = "A part has at most 1 + X times an average one's vertices or edges (default: 0.05)"},
    {"column", QN_SETTING_TEXT, FIELD(column), .argument = "NAME", .group = QN_PARTITION_GROUP,
     .help = "What the column is called (default: part)"},
    {"passes", QN_SETTING_NUMBER, FIELD(passes), .least = 1, .most = 1000, .argument = "N",
     .group = QN_PARTITION_GROUP,
     .help = "With fennel and ldg: go over the vertices N times; later passes know the parts of "
             "all neighbours (default: 1)"},
    {"weighted", QN_SETTING_SWITCH, FIELD(weighted), .group = QN_PARTITION_GROUP,
     .help = "With a library: cut edges of little weight (integers), instead of few"},
    {0}};

const char *qn_partition_method_name(enum qn_partition_method method) {
  return method == QN_PARTITION_GIVEN ? "given" : method_words[method];
}

enum qn_status qn_partition_options_settle(struct qn_partition_options *options,
                                           struct qn_error *error) {
  const enum qn_partition_method method = options->method;
  if (!options->num_parts)
    return options->method_given || options->imbalance_given || options->column ||
                   options->passes || options->weighted
               ? qn_fail(error, QN_USAGE,
                         "--by, --imbalance, --column, --passes and --weighted are for --partition")
               : QN_OK;
  if (options->passes && !qn_partition_passes(method))
    return qn_fail(error, QN_USAGE, "--passes is for --by fennel and ldg");
  if (options->weighted && !qn_partition_is_by_library(method))
    return qn_fail(error, QN_USAGE,
                   "--weighted is for --by metis, kahip, kaminpar and mtkahypar; the methods that "
                   "stream count edges");
  if (options->imbalance_given && method == QN_PARTITION_GIVEN)
    return qn_fail(error, QN_USAGE, "--imbalance is for methods; a file says the parts themselves");
  if (!options->column)
    options->column = QN_PARTITION_COLUMN;
  if (!qn_property_is_name(options->column, strlen(options->column)))
    return qn_fail(error, QN_USAGE,
                   "--column: a name is 1 to %d bytes of UTF-8 without control characters",
                   QN_PROPERTY_NAME_BYTES);
  if (!options->imbalance_given)
    options->imbalance = QN_PARTITION_IMBALANCE;
  if (!options->passes)
    options->passes = 1;
  return QN_OK;
}

uint64_t qn_partition_capacity(const struct qn_partition_options *options, uint64_t count) {
  const uint64_t average = count / options->num_parts + (count % options->num_parts != 0);
  const double most = (1 + options->imbalance) * (double)count / (double)options->num_parts;
  if (most >= (double)count)
    return count;
  return (uint64_t)most > average ? (uint64_t)most : average;
}
