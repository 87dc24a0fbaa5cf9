#include "library/options.h"

#include "support/suggest.h"

static enum qn_status refuse(const char *name, const struct qn_settings *settings,
                             struct qn_error *error) {
  char suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  for (; settings->table; settings++)
    for (const struct qn_setting *row = settings->table; row->name; row++)
      qn_suggestion_offer(&suggestion, row->name);
  return qn_fail(error, QN_USAGE, "this call has no option '%s'%s", name,
                 qn_suggestion_text(&suggestion, suggested));
}

static enum qn_status apply(const struct qn_option *option, const struct qn_settings *settings,
                            struct qn_error *error) {
  for (const struct qn_settings *each = settings; each->table; each++) {
    const struct qn_setting *setting = qn_setting_find(each->table, option->name);
    if (setting)
      return qn_setting_set(setting, each->target, option->value, error);
  }
  return refuse(option->name, settings, error);
}

enum qn_status qn_options_apply(const struct qn_option *options, uint64_t num_options,
                                const struct qn_settings *settings, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < num_options && !status; i++)
    status = options[i].name ? apply(&options[i], settings, error)
                             : qn_fail(error, QN_USAGE, "an option has no name");
  return status;
}
