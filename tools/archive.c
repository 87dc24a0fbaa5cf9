/* quern-archive: containers to their compact form and back, one by one or as bundles. */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/bundle/write.h"
#include "formats/set/set.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/terminal.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/archive.h>
#include <quern/bundle.h>
#include <quern/layouts.h>
#include <quern/open.h>

struct options {
  struct qn_tool_options shared;
  const char *output;
  const char *folder;
  int level;
  bool bundle;
  char **arguments;
  int num_arguments;
};

enum { KEY_BUNDLE = 0x1001 };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->shared;
    return 0;
  case '0' ... '9':
    options->level = 10 * options->level + (key - '0');
    if (options->level < 1 || options->level > QN_ARCHIVE_MAX_LEVEL)
      argp_error(state, "levels go from -1 to -%d", QN_ARCHIVE_MAX_LEVEL);
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case 'C':
    options->folder = argument;
    return 0;
  case KEY_BUNDLE:
    options->bundle = true;
    return 0;
  case ARGP_KEY_ARGS:
    options->arguments = state->argv + state->next;
    options->num_arguments = state->argc - state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "say what to do: create, extract, list or verify");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Compress containers, and restore them byte for byte.\v"
    "  create -o OUT FILE...    archive FILE, or make a bundle of several\n"
    "  create -o OUT SET        make a bundle of a set\n"
    "  extract [-o OUT] FILE    restore the container in FILE, or the set\n"
    "  extract [-C DIR] BUNDLE [MEMBER...]\n"
    "                           restore a bundle's members (all) into DIR\n"
    "  list FILE                what is in an archive or a bundle\n"
    "  verify FILE...           decode everything and compare the checksums; of a bundle's "
    "members also the hashes that the manifest has\n\n"
    "An archive is a container in archive form: quern-info and quern-verify read it too. A bundle "
    "is a tar with a manifest, which ordinary tar lists and unpacks; that of a set keeps the set's "
    "manifest, too. Every section is checked "
    "while it is restored; a damaged section is named, and no output is left. Existing files are "
    "kept unless --force is given. Memory: some MiB a thread, of slotted pages six times a page if "
    "that is more; of undirected graphs to create 4 bytes an edge (8 with weights) and 8 a vertex; "
    "to extract and verify 2 bytes an edge (4 with weights) and 8 a vertex, up to twice that of "
    "archives that repeat themselves or are older. Members of bundles are verified in temporary "
    "disk space (TMPDIR) of the container's size.\n\n"
    "Exit status: 0; 2 usage; 3 an invalid or damaged file; 4 an unknown version; 5 I/O or memory.";

static json_t *describe_size(const char *path, uint64_t from, uint64_t to, double seconds) {
  return json_pack("{s:o, s:I, s:I, s:f}", "output", qn_json_text(path), "bytes_in",
                   (json_int_t)from, "bytes_out", (json_int_t)to, "seconds", seconds);
}

static uint64_t file_bytes(const char *path) {
  struct stat state;
  return stat(path, &state) == 0 ? (uint64_t)state.st_size : 0;
}

static void print_size(const json_t *size) {
  char a[16], b[16];
#define BYTES(key) (uint64_t) json_integer_value(json_object_get(size, key))
  const uint64_t from = BYTES("bytes_in"), to = BYTES("bytes_out");
#undef BYTES
  printf("%s: %s from %s (%.1f %%) in %.2f s\n", json_string_value(json_object_get(size, "output")),
         qn_size_text(to, a, sizeof a), qn_size_text(from, b, sizeof b),
         from ? 100.0 * (double)to / (double)from : 0.0,
         json_real_value(json_object_get(size, "seconds")));
}

/* What became of `output`: told at once, or added to `list` if that is not NULL. */
static void report_bytes(const struct options *options, const char *output, uint64_t from,
                         uint64_t to, double begun, json_t *list) {
  json_t *size = describe_size(output, from, to, qn_seconds() - begun);
  if (list)
    json_array_append(list, size);
  else if (options->shared.json)
    qn_tool_print_json(json_incref(size));
  else if (!options->shared.quiet)
    print_size(size);
  json_decref(size);
}

static void report(const struct options *options, const char *output, uint64_t from, double begun,
                   json_t *list) {
  uint64_t to = qn_output_bytes(output);
  if (to > 0) /* no stream */
    report_bytes(options, output, from, to, begun, list);
}

/* Members appear all together, so they are told of together. */
static void report_members(const struct options *options, json_t *reports) {
  size_t i;
  const json_t *size;
  if (options->shared.json)
    qn_tool_print_json(json_pack("{s:O}", "members", reports));
  else if (!options->shared.quiet)
    json_array_foreach(reports, i, size) print_size(size);
}

static enum qn_status archive_one(const char *input, const struct options *options, uint64_t *bytes,
                                  struct qn_error *error) {
  struct qn_container *container;
  enum qn_status status = qn_container_open(input, 0, &container, error);
  if (!status)
    status = qn_container_check(container, error);
  if (!status)
    *bytes = qn_container_info(container)->file_bytes;
  if (!status)
    status =
        qn_archive_write(container, options->output, options->shared.force, options->level, error);
  qn_container_unmap(container);
  return status;
}

/* What a bundle is made of: one set, or containers. */
static enum qn_status check_kinds(char **files, int count, struct qn_error *error) {
  for (int i = 0; count > 1 && i < count; i++)
    if (qn_set_recognise(files[i]))
      return qn_fail(error, QN_USAGE, "%s is a set: make a bundle of it alone", files[i]);
  return QN_OK;
}

static enum qn_status create(const struct options *options, char **files, int count,
                             struct qn_error *error) {
  double begun = qn_seconds();
  uint64_t bytes = 0;
  if (!options->output || count < 1)
    return qn_fail(error, QN_USAGE, "create needs -o OUT and at least one container");
  enum qn_status status = check_kinds(files, count, error);
  if (!status)
    status = qn_inputs_kept(options->output, (const char *const *)files, (uint64_t)count, error);
  if (status)
    return status;
  for (int i = 0; i < count; i++)
    bytes += file_bytes(files[i]);
  if (qn_set_recognise(files[0]))
    status = qn_bundle_create_set(options->output, options->shared.force, files[0], options->level,
                                  &bytes, error);
  else if (count == 1 && !options->bundle)
    status = archive_one(files[0], options, &bytes, error);
  else
    status = qn_bundle_create(options->output, options->shared.force, files, (uint32_t)count,
                              options->level, error);
  if (!status)
    report(options, options->output, bytes, begun, NULL);
  return status;
}

static enum qn_status extract_one(const char *input, const struct options *options,
                                  struct qn_error *error) {
  struct qn_container *container;
  double begun = qn_seconds();
  if (!options->output)
    return qn_fail(error, QN_USAGE, "extract of a single archive needs -o OUT");
  enum qn_status status = qn_input_kept(options->output, input, error);
  if (status)
    return status;
  status = qn_container_open(input, QN_MAP_ARCHIVE, &container, error);
  if (!status && !(qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE))
    qn_note(QN_NOTE_COPIED, "%s is a plain container; %s is a copy", input, options->output);
  if (!status)
    status = qn_archive_restore(container, options->output, options->shared.force, error);
  qn_container_unmap(container);
  if (!status)
    report(options, options->output, file_bytes(input), begun, NULL);
  return status;
}

/* The path (owned) that a member gets. */
static enum qn_status name_output(const struct qn_bundle_member *member,
                                  const struct options *options, char **path,
                                  struct qn_error *error) {
  const char *folder = options->folder ? options->folder : ".";
  size_t room = strlen(folder) + strlen(member->name) + 2;
  enum qn_status status = qn_alloc(path, room, 1, "a path", error);
  if (!status)
    snprintf(*path, room, "%s/%s", folder, member->name);
  return status;
}

static enum qn_status check_output(const char *input, const struct qn_bundle_member *member,
                                   const struct options *options, struct qn_error *error) {
  char *path;
  enum qn_status status = name_output(member, options, &path, error);
  if (status)
    return status;
  status = qn_input_kept(path, input, error);
  if (!status)
    status = qn_atomic_file_check(path, options->shared.force, error);
  qn_free(path);
  return status;
}

static enum qn_status extract_member(const struct qn_bundle *bundle,
                                     const struct qn_bundle_member *member,
                                     const struct options *options, json_t *reports,
                                     struct qn_error *error) {
  char *path;
  double begun = qn_seconds();
  enum qn_status status = name_output(member, options, &path, error);
  if (status)
    return status;
  status = qn_bundle_extract(bundle, member, path, options->shared.force, error);
  if (!status)
    report(options, path, member->bytes, begun, reports);
  qn_free(path);
  return status;
}

static bool is_among(const struct qn_bundle_member *member,
                     const struct qn_bundle_member *const *chosen, uint32_t count) {
  while (count && chosen[count - 1] != member)
    count--;
  return count > 0;
}

/* All members, or those of these names, each once. */
static enum qn_status choose_members(const struct qn_bundle *bundle, char **names,
                                     uint32_t num_names, const struct qn_bundle_member **chosen,
                                     uint32_t *count, struct qn_error *error) {
  const struct qn_bundle_member *member;
  *count = 0;
  if (num_names == 0)
    while (*count < qn_bundle_count(bundle)) {
      chosen[*count] = qn_bundle_member(bundle, *count);
      ++*count;
    }
  for (uint32_t i = 0; i < num_names; i++) {
    enum qn_status status = qn_bundle_find(bundle, names[i], &member, error);
    if (status)
      return status;
    if (!is_among(member, chosen, *count))
      chosen[(*count)++] = member;
  }
  return QN_OK;
}

/* Nothing is written before it is known that every output may be. */
static enum qn_status extract_members(const char *input, const struct qn_bundle *bundle,
                                      char **names, uint32_t num_names,
                                      const struct options *options, json_t *reports,
                                      struct qn_error *error) {
  const struct qn_bundle_member **chosen;
  uint32_t room = num_names ? num_names : qn_bundle_count(bundle), count;
  enum qn_status status = qn_alloc(&chosen, room, sizeof *chosen, "members", error);
  if (!status)
    status = choose_members(bundle, names, num_names, chosen, &count, error);
  for (uint32_t i = 0; !status && i < count; i++)
    status = check_output(input, chosen[i], options, error);
  for (uint32_t i = 0; !status && i < count; i++)
    status = extract_member(bundle, chosen[i], options, reports, error);
  qn_free(chosen);
  return status;
}

static enum qn_status extract_set(const char *input, const struct qn_bundle *bundle,
                                  const struct options *options, struct qn_error *error) {
  const double begun = qn_seconds();
  uint64_t bytes = qn_bundle_set(bundle)->bytes;
  if (!options->output)
    return qn_fail(error, QN_USAGE,
                   "this bundle is a set, which -o FOLDER puts back; members that are named go "
                   "into -C DIR");
  for (uint32_t i = 0; i < qn_bundle_count(bundle); i++)
    bytes +=
        (uint64_t)json_integer_value(json_object_get(qn_bundle_member(bundle, i)->entry, "bytes"));
  enum qn_status status =
      qn_bundle_extract_set(bundle, options->output, options->shared.force, error);
  if (!status)
    report_bytes(options, options->output, file_bytes(input), bytes, begun, NULL);
  return status;
}

static enum qn_status extract_some(const char *input, const struct qn_bundle *bundle, char **names,
                                   int count, const struct options *options,
                                   struct qn_error *error) {
  if (options->output)
    return qn_fail(error, QN_USAGE, "a bundle is extracted into a folder: use -C DIR, not -o");
  json_t *reports = json_array();
  enum qn_status status =
      extract_members(input, bundle, names, (uint32_t)count, options, reports, error);
  if (!status)
    report_members(options, reports);
  json_decref(reports);
  return status;
}

static enum qn_status extract_bundle(const char *input, char **names, int count,
                                     const struct options *options, struct qn_error *error) {
  struct qn_bundle *bundle;
  enum qn_status status = qn_bundle_open(input, &bundle, error);
  if (status)
    return status;
  status = qn_bundle_set(bundle) && count == 0
               ? extract_set(input, bundle, options, error)
               : extract_some(input, bundle, names, count, options, error);
  qn_bundle_close(bundle);
  return status;
}

static enum qn_status extract(const struct options *options, char **files, int count,
                              struct qn_error *error) {
  if (count < 1)
    return qn_fail(error, QN_USAGE, "extract needs an archive or a bundle");
  if (qn_bundle_recognise(files[0]))
    return extract_bundle(files[0], files + 1, count - 1, options, error);
  if (count > 1)
    return qn_fail(error, QN_USAGE, "only bundles have members to choose from");
  return extract_one(files[0], options, error);
}

/* An entry of `list`: for a bundle the manifest's, for an archive the same from its header. */
static json_t *archive_entry_of(const char *path, const struct qn_container *container) {
  const struct qn_container_info *info = qn_container_info(container);
  return json_pack("{s:o, s:s, s:I, s:I, s:I}", "name", qn_json_text(path), "role",
                   qn_layout_name(info->layout), "archive_bytes", (json_int_t)info->file_bytes,
                   "vertices", (json_int_t)info->num_vertices, "edges",
                   (json_int_t)info->num_edges);
}

static enum qn_status list_entries(const char *path, json_t *entries, struct qn_error *error) {
  struct qn_container *container;
  struct qn_bundle *bundle;
  if (!qn_bundle_recognise(path)) {
    enum qn_status status = qn_container_map(path, QN_MAP_ARCHIVE, &container, error);
    if (!status)
      json_array_append_new(entries, archive_entry_of(path, container));
    qn_container_unmap(container);
    return status;
  }
  enum qn_status status = qn_bundle_open(path, &bundle, error);
  for (uint32_t i = 0; !status && i < qn_bundle_count(bundle); i++) {
    json_t *copy = json_deep_copy(qn_bundle_member(bundle, i)->entry);
    json_array_append_new(entries, copy);
  }
  if (!status && qn_bundle_set(bundle))
    json_array_append_new(entries, json_deep_copy(qn_bundle_set(bundle)->entry));
  if (!status)
    qn_bundle_close(bundle);
  return status;
}

static enum qn_status list(const struct options *options, char **files, int count,
                           struct qn_error *error) {
  json_t *entries = json_array(), *entry;
  size_t index;
  if (count != 1) {
    json_decref(entries);
    return qn_fail(error, QN_USAGE, "list takes one archive or bundle");
  }
  enum qn_status status = list_entries(files[0], entries, error);
  if (!status && options->shared.json) {
    qn_tool_print_json(json_pack("{s:O}", "members", entries));
  } else if (!status) {
    const bool is_narrow = qn_terminal_width() < 62;
    json_array_foreach(entries, index, entry) {
      char size[16];
      printf(is_narrow ? "%-16s %-12s %10s\n" : "%-32s %-16s %12s\n",
             json_string_value(json_object_get(entry, "name")),
             json_string_value(json_object_get(entry, "role")),
             qn_size_text((uint64_t)json_integer_value(json_object_get(entry, "archive_bytes")),
                          size, sizeof size));
    }
  }
  json_decref(entries);
  return status;
}

static enum qn_status verify_one(const char *path, struct qn_error *error) {
  struct qn_container *container;
  struct qn_bundle *bundle;
  if (!qn_bundle_recognise(path)) {
    enum qn_status status = qn_container_map(path, QN_MAP_ARCHIVE, &container, error);
    if (!status)
      status = qn_container_check(container, error);
    qn_container_unmap(container);
    return status;
  }
  enum qn_status status = qn_bundle_open(path, &bundle, error);
  for (uint32_t i = 0; !status && i < qn_bundle_count(bundle); i++) {
    const struct qn_bundle_member *member = qn_bundle_member(bundle, i);
    status = qn_bundle_extract(bundle, member, NULL, false, error);
    if (!status)
      status = qn_bundle_map(bundle, member, QN_MAP_RECTANGULAR, &container, error);
    if (!status) {
      status = qn_container_check(container, error);
      qn_container_unmap(container);
    }
  }
  if (bundle)
    qn_bundle_close(bundle);
  return status;
}

static enum qn_status verify(const struct options *options, char **files, int count,
                             struct qn_error *error) {
  if (count < 1)
    return qn_fail(error, QN_USAGE, "verify needs at least one archive or bundle");
  for (int i = 0; i < count; i++) {
    enum qn_status status = verify_one(files[i], error);
    if (status)
      return status;
    if (!options->shared.quiet && !options->shared.json)
      printf("%s: valid\n", files[i]);
  }
  if (options->shared.json)
    puts("{\"valid\": true}");
  return QN_OK;
}

static enum qn_status run(const struct options *options, struct qn_error *error) {
  static const struct {
    const char *name;
    enum qn_status (*run)(const struct options *, char **, int, struct qn_error *);
  } actions[] = {{"create", create}, {"extract", extract}, {"list", list}, {"verify", verify}};
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (strcmp(options->arguments[0], actions[i].name) == 0)
      return actions[i].run(options, options->arguments + 1, options->num_arguments - 1, error);
  return qn_fail(error, QN_USAGE,
                 "unknown command '%.64s'; expected create, extract, list or verify",
                 options->arguments[0]);
}

int main(int argc, char **argv) {
  static const struct argp_option own[] = {
      {"output", 'o', "OUT", 0, "The file to write, - for standard output unless it is a bundle",
       0},
      {"directory", 'C', "DIR", 0, "Extract a bundle's members into DIR (default: here)", 0},
      {"bundle", KEY_BUNDLE, NULL, 0, "Create a bundle even for a single container", 0},
      {NULL, '1', NULL, 0, "-1 to -19: compression level, fast to small (default: 6)", 1},
      {NULL, '2', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '3', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '4', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '5', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '6', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '7', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '8', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '9', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {NULL, '0', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
      {0}};
  static const struct argp_child children[] = {{&qn_tool_output_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      own, parse, "create|extract|list|verify FILE...", documentation, children, NULL, NULL};
  struct options options = {0};
  struct qn_error error;
  qn_tool_parse("quern-archive", &argp, argc, argv, &options, &options.shared);
  qn_outputs_hold();
  if (options.level == 0)
    options.level = QN_ARCHIVE_DEFAULT_LEVEL;
  return qn_tool_exit(run(&options, &error), &error);
}
