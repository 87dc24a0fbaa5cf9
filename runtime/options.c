#include "runtime/options.h"

#include <stdio.h>
#include <string.h>

#include "support/memory.h"

static enum qn_status set_device(void *target, const char *text, struct qn_error *error) {
  static const struct {
    const char *word;
    enum qn_device_choice device;
    bool counted;
  } words[] = {{"auto", QN_DEVICE_AUTO, false},
               {"cpu", QN_DEVICE_CPU, false},
               {"cuda", QN_DEVICE_CUDA, true},
               {"both", QN_DEVICE_BOTH, true},
               {"hybrid", QN_DEVICE_BOTH, true}}; /* an alias */
  struct qn_run_options *options = target;
  uint64_t index = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const char *rest = text + strlen(words[i].word);
    if (strncmp(text, words[i].word, strlen(words[i].word)) != 0 ||
        (*rest && (*rest != ':' || !words[i].counted)))
      continue;
    enum qn_status status = *rest ? qn_whole_parse(rest + 1, 0, INT32_MAX, &index, error) : QN_OK;
    options->device = words[i].device;
    options->device_index = (int)index;
    options->device_given = true;
    options->device_numbered = *rest;
    return status;
  }
  return qn_fail(error, QN_USAGE, "it is auto, cpu, cuda, cuda:N, both or both:N, not %s", text);
}

static enum qn_status set_devices(void *target, const char *list, struct qn_error *error) {
  struct qn_run_options *options = target;
  unsigned count = 0;
  for (bool more = true; more;) {
    char text[16];
    uint64_t index;
    size_t length = strcspn(list, ",");
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text), list);
    enum qn_status status = qn_whole_parse(text, 0, INT32_MAX, &index, error);
    if (status)
      return status;
    if (count == QN_MAX_DEVICES)
      return qn_fail(error, QN_USAGE, "at most %d", QN_MAX_DEVICES);
    options->device_list[count++] = (int)index;
    more = list[length] != '\0';
    list += length + more;
  }
  options->devices = options->device_list;
  options->num_devices = count;
  return QN_OK;
}

static enum qn_status set_strategy(void *target, const char *text, struct qn_error *error) {
  static const char *const words[] = {"performance", "scalability", NULL};
  struct qn_run_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(words, text, &chosen, error);
  options->strategy = (enum qn_strategy)(QN_PERFORMANCE + chosen);
  return status;
}

/* auto, none, or rows x columns. */
static enum qn_status set_grid(void *target, const char *text, struct qn_error *error) {
  struct qn_run_options *options = target;
  uint64_t rows = 0, columns = strcmp(text, "auto") == 0;
  char first[16];
  const size_t length = strcspn(text, "x");
  enum qn_status status = QN_OK;
  if (strcmp(text, "none") != 0 && !columns) {
    snprintf(first, sizeof first, "%.*s", (int)(length < sizeof first ? length : sizeof first),
             text);
    status = text[length] ? qn_whole_parse(first, 1, UINT32_MAX, &rows, error) : QN_USAGE;
    if (!status)
      status = qn_whole_parse(text + length + 1, 1, UINT32_MAX, &columns, error);
    if (status)
      return qn_fail(error, QN_USAGE, "it is auto, none, or ROWSxCOLUMNS, not %s", text);
  }
  options->grid = (struct qn_grid){(unsigned)rows, (unsigned)columns};
  return QN_OK;
}

static enum qn_status set_mode(void *target, const char *text, struct qn_error *error) {
  static const char *const words[] = {"synchronous", "asynchronous", NULL};
  struct qn_run_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(words, text, &chosen, error);
  options->asynchronous = chosen == 1;
  options->mode_given = true;
  return status;
}

static enum qn_status set_streams(void *target, const char *text, struct qn_error *error) {
  struct qn_run_options *options = target;
  uint64_t count = 0;
  enum qn_status status = qn_whole_parse(text, 1, QN_MAX_STREAMS, &count, error);
  options->streaming.num_streams = (unsigned)count;
  return status;
}

static enum qn_status set_cache_memory(void *target, const char *text, struct qn_error *error) {
  struct qn_run_options *options = target;
  options->streaming.limit_cache = true;
  return qn_bytes_parse(text, 0, &options->streaming.cache_memory, error);
}

static enum qn_status set_every(void *target, const char *text, struct qn_error *error) {
  struct qn_run_options *options = target;
  uint64_t every = 0;
  enum qn_status status = qn_whole_parse(text, 0, UINT32_MAX, &every, error);
  options->checkpoint.every = (uint32_t)every;
  options->every_given = true;
  return status;
}

static const char *const directions[] = {"auto", "push", "pull", NULL};
static const char *const moves[] = {"active", "partitions", "all", NULL};
static const char *const parallelisms[] = {"hybrid", "vertex", "edge", NULL};

#define FIELD(name) offsetof(struct qn_run_options, name)
const struct qn_setting qn_run_settings[] = {
    {"checkpoint", QN_SETTING_TEXT, .offset = FIELD(checkpoint.folder)},
    {"every", QN_SETTING_OWN, .set = set_every},
    {"resume", QN_SETTING_SWITCH, .offset = FIELD(checkpoint.resume)},
    {"program", QN_SETTING_TEXT, .offset = FIELD(program)},
    {0}};

const struct qn_setting qn_place_settings[] = {
    {"device", QN_SETTING_OWN, .set = set_device},
    {"devices", QN_SETTING_OWN, .set = set_devices},
    {"all-devices", QN_SETTING_SWITCH, .offset = FIELD(all_devices)},
    {"strategy", QN_SETTING_OWN, .set = set_strategy},
    {"grid", QN_SETTING_OWN, .set = set_grid},
    {"device-memory", QN_SETTING_SIZE, .offset = FIELD(device_memory)},
    {"mode", QN_SETTING_OWN, .set = set_mode},
    {"direction", QN_SETTING_CHOICE, FIELD(direction), .words = directions},
    {"parallelism", QN_SETTING_CHOICE, FIELD(parallelism), .words = parallelisms},
    {"move", QN_SETTING_CHOICE, FIELD(streaming.moves), .words = moves},
    {"streams", QN_SETTING_OWN, .set = set_streams},
    {"host-memory", QN_SETTING_SIZE, FIELD(streaming.host_memory), .least = 1},
    {"cache-memory", QN_SETTING_OWN, .set = set_cache_memory},
    {0}};

/* Iterations between two checkpoints, unless somebody says otherwise. */
#define DEFAULT_EVERY 10

void qn_run_options_begin(struct qn_run_options *options) {
  *options = (struct qn_run_options){.checkpoint.every = DEFAULT_EVERY};
}

enum qn_status qn_run_options_say(struct qn_run_options *options, const char *name,
                                  const char *value, struct qn_error *error) {
  if (options->num_said == options->said_capacity) {
    const uint32_t capacity = 2 * options->said_capacity + 8;
    enum qn_status status =
        qn_realloc(&options->said, capacity, sizeof *options->said, "options", error);
    if (status)
      return status;
    options->said_capacity = capacity;
  }
  options->said[options->num_said++] = (struct qn_said_option){name, value};
  return QN_OK;
}

const struct qn_said_option *qn_run_options_said(const struct qn_run_options *options,
                                                 const char *name) {
  for (uint32_t i = options->num_said; i-- > 0;)
    if (strcmp(options->said[i].name, name) == 0)
      return &options->said[i];
  return NULL;
}

int64_t qn_run_options_iterations(const struct qn_run_options *options) {
  const struct qn_said_option *said = qn_run_options_said(options, "iterations");
  uint64_t count;
  return said && said->value && !qn_whole_parse(said->value, 0, UINT32_MAX, &count, NULL)
             ? (int64_t)count
             : -1;
}

/* A list of devices implies the device cuda; a list of one is that device. */
static enum qn_status settle_devices(struct qn_run_options *options, struct qn_error *error) {
  if (options->strategy != QN_STRATEGY_ANY && options->num_devices < 2)
    return qn_fail(error, QN_USAGE, "--strategy is for --devices of two or more");
  if (options->all_devices && options->num_devices < 2)
    return qn_fail(error, QN_USAGE, "--all-devices is for --devices of two or more");
  if (options->device_given && options->device == QN_DEVICE_CPU &&
      (options->device_memory || options->streaming.num_streams || options->streaming.limit_cache ||
       options->streaming.moves != QN_MOVE_ACTIVE))
    return qn_fail(
        error, QN_USAGE,
        "--device-memory, --cache-memory, --streams and --move are for CUDA devices, and "
        "--device cpu takes none");
  if (options->num_devices == 0)
    return QN_OK;
  if (options->device_given && (options->device != QN_DEVICE_CUDA || options->device_index != 0))
    return qn_fail(error, QN_USAGE, "--devices replaces --device: give one of them");
  options->device = QN_DEVICE_CUDA;
  options->device_index = options->device_list[0];
  if (options->num_devices == 1)
    options->num_devices = 0;
  return QN_OK;
}

enum qn_status qn_run_options_settle(struct qn_run_options *options, struct qn_error *error) {
  if (!options->checkpoint.folder && (options->every_given || options->checkpoint.resume))
    return qn_fail(error, QN_USAGE, "--every and --resume are for --checkpoint DIR");
  enum qn_status status = qn_between_settle(&options->between, error);
  if (!status && options->update.is_given && !options->update.result)
    status = qn_fail(error, QN_USAGE, "--from-generation works only with --from");
  if (!status && options->update.result && options->checkpoint.folder)
    status = qn_fail(error, QN_USAGE, "--from cannot be combined with --checkpoint");
  return status ? status : settle_devices(options, error);
}

void qn_run_options_end(struct qn_run_options *options) {
  qn_free(options->said);
  *options = (struct qn_run_options){0};
}
