/* Files of other formats, and the container itself. */
#include <quern/export.h>

#include <string.h>

#include "converters/export/export.h"
#include "converters/format.h"
#include "library/call.h"
#include "library/options.h"
#include "library/session.h"
#include "support/used_files.h"
#include <quern/archive.h>

/* ---- Other formats --------------------------------------------------------- */

struct exporting {
  struct qn_session *session;
  const char *format;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
};

static const struct qn_setting export_output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct qn_export_options, replace)}, {0}};

static enum qn_status export_with(const struct exporting *exporting,
                                  struct qn_export_options *options, struct qn_error *error) {
  const struct qn_settings settings[] = {
      {qn_export_settings, options}, {export_output_settings, options}, {0}};
  struct qn_session *session = exporting->session;
  struct qn_export_report report = {0};
  options->path = strcmp(exporting->path, "-") == 0 ? "./-" : exporting->path;
  const char *format = exporting->format;
  enum qn_status status = qn_options_apply(exporting->given, exporting->num_given, settings, error);
  if (!status && !format)
    status = qn_format_of_output(exporting->path, options->num_parts > 0, &format, error);
  if (!status)
    status = qn_graph_writer_by_name(format, &options->writer, error);
  if (!status)
    status = qn_export_options_settle(options, error);
  if (!status)
    status = qn_input_kept(options->path, session->path, error);
  if (!status)
    status = qn_session_ensure_graph(session, QN_VERIFY_ALL, error);
  return status ? status
                : qn_export_graph(options, &session->graph, session->container, &report, error);
}

static enum qn_status export_session(void *argument, struct qn_error *error) {
  struct qn_export_options options;
  qn_export_options_begin(&options);
  return export_with(argument, &options, error);
}

enum qn_status qn_session_export(struct qn_session *session, const char *format,
                                 const struct qn_option *options, uint64_t num_options,
                                 const char *path, const struct qn_job *job,
                                 struct qn_error *error) {
  struct exporting exporting = {session, format, options, num_options, path};
  return qn_call(job, export_session, &exporting, error);
}

/* ---- The container --------------------------------------------------------- */

struct saving {
  struct qn_session *session;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  bool replace, archive;
  uint64_t level;
};

#define FIELD(name) offsetof(struct saving, name)
static const struct qn_setting save_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = FIELD(replace)},
    {"archive", QN_SETTING_SWITCH, .offset = FIELD(archive)},
    {"level", QN_SETTING_NUMBER, FIELD(level), .least = 1, .most = QN_ARCHIVE_MAX_LEVEL},
    {0}};

static enum qn_status save(void *argument, struct qn_error *error) {
  struct saving *saving = argument;
  struct qn_session *session = saving->session;
  const struct qn_settings settings[] = {{save_settings, saving}, {0}};
  enum qn_status status = qn_options_apply(saving->given, saving->num_given, settings, error);
  if (!status && saving->level && !saving->archive)
    status = qn_fail(error, QN_USAGE, "--level is for --archive");
  if (!status)
    status = qn_input_kept(saving->path, session->path, error);
  if (!status && !session->trusted)
    status = qn_session_ensure_verified(session, QN_VERIFY_ALL, error);
  if (status)
    return status;
  if (!saving->archive)
    return qn_container_copy(session->container, saving->path, saving->replace, error);
  int level = saving->level ? (int)saving->level : QN_ARCHIVE_DEFAULT_LEVEL;
  return qn_archive_write(session->container, saving->path, saving->replace, level, error);
}

enum qn_status qn_session_save(struct qn_session *session, const struct qn_option *options,
                               uint64_t num_options, const char *path, const struct qn_job *job,
                               struct qn_error *error) {
  struct saving saving = {
      .session = session, .given = options, .num_given = num_options, .path = path};
  return qn_call(job, save, &saving, error);
}
