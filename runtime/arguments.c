#include "runtime/arguments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/inputs.h"
#include "support/suggest.h"

/* ---- The algorithm --------------------------------------------------------------------------- */

enum { MOST_ALIASES = 64, ALIAS_BYTES = 40 };

/* What people call algorithms that are near to one of ours, but not the same. */
static const struct {
  const char *word, *meant;
} near_names[] = {{"louvain", "leiden"},
                  {"communities", "leiden"},
                  {"community-detection", "leiden"},
                  {"modularity", "leiden"},
                  {"apsp", "bfs or sssp with --sources"},
                  {"node2vec", "walk"},
                  {"deepwalk", "walk"},
                  {"diameter", "radius"},
                  {"eccentricity", "radius"},
                  {NULL, NULL}};

/* Offer the aliases of an algorithm, which lie in `words`; returns how many there are by now. */
static unsigned offer_aliases(const struct qn_algorithm *algorithm, char words[][ALIAS_BYTES],
                              unsigned count, struct qn_suggestion *suggestion) {
  for (const char *rest = algorithm->aliases; rest && count < MOST_ALIASES;
       rest = strchr(rest, ',')) {
    rest += *rest == ',';
    snprintf(words[count], ALIAS_BYTES, "%.*s", (int)strcspn(rest, ","), rest);
    qn_suggestion_offer(suggestion, words[count++]);
  }
  return count;
}

static enum qn_status refuse_algorithm(const char *name, struct qn_error *error) {
  char names[600] = "", suggested[QN_SUGGESTION_TEXT], aliases[MOST_ALIASES][ALIAS_BYTES];
  unsigned num_aliases = 0;
  size_t length = 0;
  for (int i = 0; near_names[i].word; i++)
    if (strcmp(near_names[i].word, name) == 0)
      return qn_fail(error, QN_USAGE, "there is no algorithm %s; the nearest is %s", name,
                     near_names[i].meant);
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  for (const struct qn_algorithm *const *known = qn_algorithms(); *known; known++) {
    num_aliases = offer_aliases(*known, aliases, num_aliases, &suggestion);
    qn_suggestion_offer(&suggestion, (*known)->name);
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                                 (*known)->name);
  }
  return qn_fail(error, QN_USAGE, "there is no algorithm %s%s%s %s are %s", name,
                 qn_suggestion_text(&suggestion, suggested), suggestion.best ? "" : ";",
                 suggestion.best ? "There" : "there", names);
}

enum qn_status qn_run_algorithm(const struct qn_run_options *options,
                                const struct qn_algorithm **algorithm, struct qn_error *error) {
  *algorithm = qn_algorithm_find(options->algorithm);
  if (!*algorithm)
    return refuse_algorithm(options->algorithm, error);
  for (uint32_t i = 0; i < options->num_said; i++) {
    const struct qn_said_option *said = &options->said[i];
    char variant[64];
    snprintf(variant, sizeof variant, "%s-%s", (*algorithm)->name, said->name);
    if ((!said->value || strcmp(said->value, "yes") == 0) && qn_algorithm_find(variant))
      *algorithm = qn_algorithm_find(variant);
  }
  return QN_OK;
}

bool qn_algorithm_takes(const struct qn_algorithm *algorithm, const char *name) {
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (strcmp(option->name, name) == 0)
      return option->inputs & algorithm->inputs;
  return qn_parameter_find(algorithm, name) < algorithm->num_parameters;
}

/* "--tolerance, --source": what an algorithm takes. */
static void list_options(const struct qn_algorithm *algorithm, char *text, size_t size) {
  size_t length = 0;
  snprintf(text, size, "no options of its own");
  for (uint32_t i = 0; i < algorithm->num_parameters && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s--%s", length ? ", " : "",
                               algorithm->parameters[i].name);
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (option->inputs & algorithm->inputs && length < size)
      length += (size_t)snprintf(text + length, size - length, "%s--%s", length ? ", " : "",
                                 option->name);
}

static enum qn_status refuse_option(const struct qn_algorithm *algorithm, const char *name,
                                    struct qn_error *error) {
  char taken[300], suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  for (uint32_t i = 0; i < algorithm->num_parameters; i++)
    qn_suggestion_offer(&suggestion, algorithm->parameters[i].name);
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (option->inputs & algorithm->inputs)
      qn_suggestion_offer(&suggestion, option->name);
  list_options(algorithm, taken, sizeof taken);
  return qn_fail(error, QN_USAGE, "%s has no --%s%s (it takes %s)", algorithm->name, name,
                 qn_suggestion_text(&suggestion, suggested), taken);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Is there a limit that anybody may reach? */
static bool has_most(const struct qn_parameter *parameter) {
  return parameter->type == QN_PARAMETER_REAL ? isfinite(parameter->most)
                                              : parameter->most < UINT32_MAX - 1;
}

const char *qn_parameter_range(const struct qn_parameter *parameter, char *text) {
  const bool above = parameter->range & QN_RANGE_ABOVE_LEAST;
  const bool below = parameter->range & QN_RANGE_BELOW_MOST;
  const int length = snprintf(text, QN_PARAMETER_TEXT, above ? "more than %.17g" : "at least %.17g",
                              parameter->least);
  if (has_most(parameter))
    snprintf(text + length, QN_PARAMETER_TEXT - (size_t)length,
             below ? " and below %.17g" : " and at most %.17g", parameter->most);
  return text;
}

static bool is_in_range(const struct qn_parameter *parameter, double value) {
  const bool above = parameter->range & QN_RANGE_ABOVE_LEAST;
  const bool below = parameter->range & QN_RANGE_BELOW_MOST;
  return (above ? value > parameter->least : value >= parameter->least) &&
         (below ? value < parameter->most : value <= parameter->most);
}

static enum qn_status take_real(const struct qn_parameter *parameter, const char *text,
                                struct qn_argument *argument, struct qn_error *error) {
  char range[QN_PARAMETER_TEXT];
  double value;
  enum qn_status status = qn_real_parse(text, &value, error);
  if (!status && !is_in_range(parameter, value))
    status = qn_fail(error, QN_USAGE, "it must be %s, not %s", qn_parameter_range(parameter, range),
                     text);
  if (!status)
    *argument = qn_argument_of(value);
  return status;
}

static enum qn_status take_whole(const struct qn_parameter *parameter, const char *text,
                                 struct qn_argument *argument, struct qn_error *error) {
  uint64_t value = (uint64_t)parameter->most;
  enum qn_status status = QN_OK;
  if (!(parameter->range & QN_RANGE_OR_ALL) || strcmp(text, "all") != 0)
    status =
        qn_whole_parse(text, (uint64_t)parameter->least, (uint64_t)parameter->most, &value, error);
  *argument = (struct qn_argument){.real = (double)value, .whole = value};
  return status;
}

/* The place of a word among those with bars between them. */
static enum qn_status take_word(const char *words, const char *text, struct qn_argument *argument,
                                struct qn_error *error) {
  const size_t length = strlen(text);
  uint64_t place = 0;
  for (const char *rest = words; rest; rest = strchr(rest, '|'), place++) {
    rest += *rest == '|';
    if (length > 0 && strncmp(rest, text, length) == 0 &&
        (rest[length] == '|' || rest[length] == '\0'))
      return *argument = qn_argument_of((double)place), QN_OK;
  }
  return qn_fail(error, QN_USAGE, "it must be one of %s, not %s", words, text);
}

static enum qn_status take_list(const struct qn_parameter *parameter, const char *text,
                                struct qn_arguments *arguments, struct qn_error *error) {
  arguments->list_length = 0;
  for (bool more = true; more;) {
    char member[32];
    struct qn_argument argument;
    const size_t length = strcspn(text, ",");
    snprintf(member, sizeof member, "%.*s", (int)(length < sizeof member ? length : sizeof member),
             text);
    enum qn_status status = take_whole(parameter, member, &argument, error);
    if (status)
      return status;
    if (arguments->list_length == QN_MAX_LIST)
      return qn_fail(error, QN_USAGE, "at most %d numbers", QN_MAX_LIST);
    arguments->list[arguments->list_length++] = (uint32_t)argument.whole;
    more = text[length] != '\0';
    text += length + more;
  }
  return QN_OK;
}

static enum qn_status take_value(const struct qn_parameter *parameter, const char *text,
                                 struct qn_argument *argument, struct qn_arguments *arguments,
                                 struct qn_error *error) {
  switch (parameter->type) {
  case QN_PARAMETER_FLAG:
    return take_word("no|yes", text ? text : "yes", argument, error);
  case QN_PARAMETER_CHOICE:
    return take_word(parameter->words, text, argument, error);
  case QN_PARAMETER_REAL:
    return take_real(parameter, text, argument, error);
  case QN_PARAMETER_LIST:
    return take_list(parameter, text, arguments, error);
  default:
    return take_whole(parameter, text, argument, error);
  }
}

static enum qn_status take_argument(const struct qn_algorithm *algorithm, uint32_t index,
                                    const char *text, struct qn_arguments *arguments,
                                    struct qn_error *error) {
  const struct qn_parameter *parameter = &algorithm->parameters[index];
  struct qn_error why;
  if (!text && parameter->type != QN_PARAMETER_FLAG)
    return qn_fail(error, QN_USAGE, "--%s needs a value", parameter->name);
  enum qn_status status = take_value(parameter, text, &arguments->of[index], arguments, &why);
  arguments->said |= 1u << index;
  return status ? qn_fail(error, status, "--%s: %s", parameter->name, why.message) : QN_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool says_input(const struct qn_run_options *options, uint32_t input) {
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (option->inputs & input && qn_run_options_said(options, option->name))
      return true;
  return false;
}

/* "--source and --target", or "--vector FILE". */
static enum qn_status check_required(const struct qn_algorithm *algorithm,
                                     const struct qn_run_options *options, struct qn_error *error) {
  char names[128] = "";
  bool lacks = false;
  for (uint32_t input = 1; input <= algorithm->required; input <<= 1) {
    const struct qn_input_option *option = qn_input_options;
    if (!(algorithm->required & input))
      continue;
    lacks = lacks || !says_input(options, input);
    while (!(option->inputs & input))
      option++;
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s--%s %s",
             *names ? " and " : "", option->name, option->unit);
  }
  return lacks ? qn_fail(error, QN_USAGE, "%s needs %s", algorithm->name, names) : QN_OK;
}

enum qn_status qn_arguments_bind(const struct qn_algorithm *algorithm,
                                 const struct qn_run_options *options,
                                 struct qn_arguments *arguments, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *arguments = qn_arguments_default(algorithm);
  for (uint32_t i = 0; !status && i < options->num_said; i++) {
    const struct qn_said_option *said = &options->said[i];
    const uint32_t index = qn_parameter_find(algorithm, said->name);
    if (index < algorithm->num_parameters)
      status = take_argument(algorithm, index, said->value, arguments, error);
    else if (!options->skips_others && !qn_algorithm_takes(algorithm, said->name))
      status = refuse_option(algorithm, said->name, error);
  }
  return status ? status : check_required(algorithm, options, error);
}

bool qn_argument_is_said(const struct qn_algorithm *algorithm, const struct qn_arguments *arguments,
                         const char *name) {
  const uint32_t index = qn_parameter_find(algorithm, name);
  return index < algorithm->num_parameters && arguments->said >> index & 1;
}

/* ---- As text and JSON ------------------------------------------------------------------------ */

/* The word at a place among those with bars between them. */
static void copy_word(const char *words, uint64_t place, char *text) {
  for (; place > 0; place--)
    words = strchr(words, '|') + 1;
  snprintf(text, QN_PARAMETER_TEXT, "%.*s", (int)strcspn(words, "|"), words);
}

static void list_text(const struct qn_arguments *arguments, char *text) {
  int length = 0;
  for (uint32_t i = 0; i < arguments->list_length && length < QN_PARAMETER_TEXT; i++)
    length += snprintf(text + length, QN_PARAMETER_TEXT - (size_t)length,
                       arguments->list[i] == UINT32_MAX ? "%sall" : "%s%" PRIu32, i ? "," : "",
                       arguments->list[i]);
}

const char *qn_argument_text(const struct qn_algorithm *algorithm,
                             const struct qn_arguments *arguments, uint32_t index, char *text) {
  const struct qn_parameter *parameter = &algorithm->parameters[index];
  const struct qn_argument *argument = &arguments->of[index];
  text[0] = '\0';
  if (parameter->type == QN_PARAMETER_LIST)
    list_text(arguments, text);
  else if (parameter->type == QN_PARAMETER_FLAG)
    copy_word("no|yes", argument->whole, text);
  else if (parameter->type == QN_PARAMETER_CHOICE)
    copy_word(parameter->words, argument->whole, text);
  else if (parameter->type == QN_PARAMETER_REAL && is_in_range(parameter, argument->real))
    snprintf(text, QN_PARAMETER_TEXT, "%.17g", argument->real);
  else if (parameter->type == QN_PARAMETER_WHOLE && argument->whole < UINT32_MAX)
    snprintf(text, QN_PARAMETER_TEXT, "%" PRIu64, argument->whole);
  else if (parameter->range & QN_RANGE_OR_ALL)
    snprintf(text, QN_PARAMETER_TEXT, "all");
  return text;
}

const char *qn_parameter_default(const struct qn_parameter *parameter, char *text) {
  const struct qn_algorithm alone = {.parameters = parameter, .num_parameters = 1};
  const struct qn_arguments arguments = qn_arguments_default(&alone);
  qn_argument_text(&alone, &arguments, 0, text);
  if (parameter->type == QN_PARAMETER_REAL && *text)
    snprintf(text, QN_PARAMETER_TEXT, "%g", parameter->value); /* as it was written */
  return text;
}

/* null where there is none. */
static json_t *argument_json(const struct qn_algorithm *algorithm,
                             const struct qn_arguments *arguments, uint32_t index) {
  char text[QN_PARAMETER_TEXT];
  const struct qn_parameter *parameter = &algorithm->parameters[index];
  if (parameter->type == QN_PARAMETER_FLAG)
    return json_boolean(arguments->of[index].whole);
  if (!*qn_argument_text(algorithm, arguments, index, text))
    return json_null();
  if (parameter->type == QN_PARAMETER_REAL)
    return json_real(arguments->of[index].real);
  return parameter->type == QN_PARAMETER_WHOLE && strcmp(text, "all") != 0
             ? json_integer((json_int_t)arguments->of[index].whole)
             : json_string(text);
}

json_t *qn_arguments_json(const struct qn_algorithm *algorithm,
                          const struct qn_arguments *arguments) {
  json_t *object = json_object();
  for (uint32_t i = 0; i < algorithm->num_parameters; i++)
    json_object_set_new(object, algorithm->parameters[i].name,
                        argument_json(algorithm, arguments, i));
  return object;
}

static json_t *words_json(const char *words, char separator) {
  json_t *list = json_array();
  for (const char *rest = words; rest; rest = strchr(rest, separator)) {
    const char ends[] = {separator, '\0'};
    rest += *rest == separator;
    json_array_append_new(list, json_stringn(rest, strcspn(rest, ends)));
  }
  return list;
}

static json_t *parameter_json(const struct qn_parameter *parameter) {
  static const char *const types[] = {"real", "whole", "flag", "choice", "list"};
  const struct qn_algorithm alone = {.parameters = parameter, .num_parameters = 1};
  const struct qn_arguments arguments = qn_arguments_default(&alone);
  char range[QN_PARAMETER_TEXT];
  json_t *json =
      json_pack("{s:s, s:s, s:o, s:s}", "name", parameter->name, "type", types[parameter->type],
                "default", argument_json(&alone, &arguments, 0), "help", parameter->help);
  if (parameter->type == QN_PARAMETER_CHOICE)
    json_object_set_new(json, "choices", words_json(parameter->words, '|'));
  else if (parameter->type != QN_PARAMETER_FLAG)
    json_object_set_new(json, "range", json_string(qn_parameter_range(parameter, range)));
  if (parameter->range & QN_RANGE_OR_ALL)
    json_object_set_new(json, "or_all", json_true());
  return json;
}

json_t *qn_algorithm_json(const struct qn_algorithm *algorithm) {
  static const char *const shapes[] = {"values", "columns", "pairs", "path",
                                       "walks",  "sample",  "number"};
  json_t *parameters = json_array(), *inputs = json_array();
  for (uint32_t i = 0; i < algorithm->num_parameters; i++)
    json_array_append_new(parameters, parameter_json(&algorithm->parameters[i]));
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (option->inputs & algorithm->inputs)
      json_array_append_new(inputs, json_pack("{s:s, s:b, s:s}", "name", option->name, "required",
                                              (option->inputs & algorithm->required) != 0, "help",
                                              option->help));
  return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:s}", "name", algorithm->name, "aliases",
                   words_json(algorithm->aliases, ','), "title", algorithm->title, "purpose",
                   qn_purpose_name(algorithm->purpose), "parameters", parameters, "inputs", inputs,
                   "shape", shapes[algorithm->shape]);
}
