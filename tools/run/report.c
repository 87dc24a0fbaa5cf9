#include "tools/run/report.h"

#include <inttypes.h>
#include <string.h>

#include "formats/container/figures.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"

/* A size or a count as text. */
#define TEXT_BYTES 32

static json_int_t whole(const json_t *json, const char *key) {
  return json_integer_value(json_object_get(json, key));
}

static double real(const json_t *json, const char *key) {
  return json_real_value(json_object_get(json, key));
}

static const char *text(const json_t *json, const char *key) {
  return json_string_value(json_object_get(json, key));
}

static const char *size(const json_t *json, const char *key, char *out) {
  const json_t *bytes = json_object_get(json, key);
  return qn_size_text((uint64_t)json_number_value(bytes), out, TEXT_BYTES);
}

static const char *count(uint64_t number, char *out) {
  return qn_count_text(number, out, TEXT_BYTES);
}

/* ---- The result ------------------------------------------------------------------------------ */

static void print_levels(const json_t *levels, FILE *stream) {
  size_t level, shown = 24, num_levels = json_array_size(levels);
  char vertices[TEXT_BYTES];
  for (level = 0; level < num_levels; level++) {
    if (level == shown && num_levels > shown + 1) {
      fprintf(stream, "  ... and %zu more levels (--json lists them all)\n", num_levels - shown);
      break;
    }
    fprintf(stream, "  level %-6zu %15s vertices\n", level,
            count((uint64_t)json_integer_value(json_array_get(levels, level)), vertices));
  }
}

/* Names are aligned where the line has room for them and a value. */
static void print_top(const json_t *top, FILE *stream) {
  enum { MOST_NAME = 40, PLACE = 8, VALUE = 12 };
  const int room = (int)qn_terminal_width() - PLACE - VALUE,
            name = room < MOST_NAME ? room : MOST_NAME;
  size_t place;
  const json_t *entry;
  json_array_foreach((json_t *)top, place, entry) {
    const char *other = text(entry, "other");
    if (other)
      fprintf(stream, "  %4zu. %-*s %-*s", place + 1, name / 2, text(entry, "id"), name / 2, other);
    else
      fprintf(stream, "  %4zu. %-*s ", place + 1, name, text(entry, "id"));
    json_dumpf(json_object_get(entry, "value"), stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    putc('\n', stream);
  }
}

/* Each with its largest values. */
static void print_named_columns(const json_t *columns, FILE *stream) {
  size_t i;
  const json_t *column;
  json_array_foreach((json_t *)columns, i, column) {
    fprintf(stream, "%s\n", text(column, "name"));
    print_top(json_object_get(column, "top"), stream);
  }
}

static void print_columns(const json_t *columns, FILE *stream) {
  char number[TEXT_BYTES], least[TEXT_BYTES], most[TEXT_BYTES];
  uint64_t fewest = UINT64_MAX, greatest = 0;
  size_t i;
  const json_t *column;
  json_array_foreach((json_t *)columns, i, column) {
    const uint64_t reached = (uint64_t)whole(column, "reached");
    fewest = reached < fewest ? reached : fewest;
    greatest = reached > greatest ? reached : greatest;
  }
  fprintf(stream, "%-10s %s, with %s to %s vertices reached\n", "columns",
          count(json_array_size(columns), number), count(fewest, least), count(greatest, most));
}

/* The ends and some of what lies between them. */
static void print_path(const json_t *path, FILE *stream) {
  const size_t length = json_array_size(path), shown = 12;
  fprintf(stream, "%-10s", "path");
  for (size_t i = 0; i < length; i++)
    if (length <= 2 * shown || i < shown || i >= length - shown)
      fprintf(stream, " %s", json_string_value(json_array_get(path, i)));
    else if (i == shown)
      fprintf(stream, " ... (%zu more)", length - 2 * shown);
  putc('\n', stream);
}

/* What qn_summary_create has made. */
static void print_summary(const json_t *summary, FILE *stream) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)summary, key, value) {
    char number[TEXT_BYTES];
    if (json_is_integer(value)) {
      fprintf(stream, "%-10s %s\n", key, count((uint64_t)json_integer_value(value), number));
    } else if (json_is_real(value)) {
      fprintf(stream, "%-10s %.9g\n", key, json_real_value(value));
    } else if (strcmp(key, "columns") == 0) {
      (json_object_get(json_array_get(value, 0), "name") ? print_named_columns
                                                         : print_columns)(value, stream);
    } else if (strcmp(key, "path") == 0) {
      print_path(value, stream);
    } else {
      fprintf(stream, "%s\n", key);
      (json_is_object(json_array_get(value, 0)) ? print_top : print_levels)(value, stream);
    }
  }
}

/* ---- Where it ran -----------------------------------------------------------------------------
 */

static void print_choice(const json_t *choice, FILE *stream) {
  fprintf(stream,
          "choice     %s: %.3f s expected on the CPU, %.3f s on a device%s (starting it %.3f, "
          "copies %.3f, kernels %.3f)\n",
          text(choice, "taken"), real(choice, "cpu_seconds"), real(choice, "device_seconds"),
          json_is_true(json_object_get(choice, "streams")) ? ", streaming" : "",
          real(choice, "start_seconds"), real(choice, "copy_seconds"),
          real(choice, "kernel_seconds"));
}

static void print_accelerator(const json_t *device, FILE *stream) {
  char memory[TEXT_BYTES], copied[TEXT_BYTES];
  fprintf(stream, "device     %s, %s in use, %s copied in %.3f s, kernels %.6f s\n",
          text(device, "name"), size(device, "memory_bytes", memory),
          size(device, "copied_bytes", copied), real(device, "copy_seconds"),
          real(device, "kernel_seconds"));
}

static void print_devices(const json_t *devices, FILE *stream) {
  char moved[TEXT_BYTES], merged[TEXT_BYTES], attributes[TEXT_BYTES], edges[TEXT_BYTES];
  const json_t *device;
  size_t i;
  json_array_foreach((json_t *)devices, i, device) {
    fprintf(stream, "  %zu. %-8" JSON_INTEGER_FORMAT " ", i + 1, whole(device, "index"));
    if (whole(device, "units") > 0)
      fprintf(stream,
              "%" JSON_INTEGER_FORMAT " units, %s of values, %s moved, %" JSON_INTEGER_FORMAT
              " of %" JSON_INTEGER_FORMAT " active units in the cache",
              whole(device, "units"), size(device, "attribute_bytes", attributes),
              size(device, "moved_bytes", moved), whole(device, "cache_hits"),
              whole(device, "active_units"));
    else
      fprintf(stream, "%s of values, %s of edges", size(device, "attribute_bytes", attributes),
              size(device, "topology_bytes", edges));
    fprintf(stream, ", %s exchanged, kernels %.6f s\n", size(device, "merged_bytes", merged),
            real(device, "kernel_seconds"));
  }
}

static void print_cost_model(const json_t *model, FILE *stream) {
  char rate[TEXT_BYTES], bytes[TEXT_BYTES], disks[TEXT_BYTES];
  fprintf(
      stream,
      "cost model %.4f s: transfer %.4f (at %s/s), disks beyond it %.4f, calls %.4f, last kernels "
      "%.4f, "
      "devices' agreement %.4f; measured %.4f s; attributes, before and after, %.4f s, kernels "
      "of all streams added up %.4f s\n",
      real(model, "model"), real(model, "transfer"), size(model, "bytes_per_second", rate),
      real(model, "storage"), real(model, "calls"), real(model, "last_kernels"),
      real(model, "sync"), real(model, "measured"), real(model, "attributes"),
      real(model, "kernels"));
  if (whole(model, "storage_bytes") > 0)
    fprintf(stream,
            "storage    %s read from the disks of %" JSON_INTEGER_FORMAT
            " file%s, at %s/s; %s/s by reading alone\n",
            size(model, "storage_bytes", bytes), whole(model, "files"),
            whole(model, "files") == 1 ? "" : "s", size(model, "storage_bytes_per_second", rate),
            size(model, "disk_bytes_per_second", disks));
}

static void print_streaming(const json_t *streaming, FILE *stream) {
  char topology[TEXT_BYTES], moved[TEXT_BYTES], cache[TEXT_BYTES];
  const json_t *model = json_object_get(streaming, "cost_model");
  const char *values = text(streaming, "values");
  fprintf(stream,
          "streamed   %s moved of a topology of %s; %" JSON_INTEGER_FORMAT
          " of %" JSON_INTEGER_FORMAT " active units were in the cache of %s\n",
          size(streaming, "moved_bytes", moved), size(streaming, "topology_bytes", topology),
          whole(streaming, "cache_hits"), whole(streaming, "active_units"),
          size(streaming, "cache_bytes", cache));
  if (!model)
    return;
  if (values && strcmp(values, "receivers") == 0)
    fprintf(stream,
            "plan       what edges combine into on the device, %s, and the rest in host "
            "memory, %s\n",
            size(streaming, "attribute_bytes", topology), size(streaming, "host_bytes", moved));
  else
    fprintf(stream, "plan       all that vertices have on the device, %s\n",
            size(streaming, "attribute_bytes", topology));
  print_cost_model(model, stream);
}

static void print_joint(const json_t *joint, FILE *stream) {
  char bytes[TEXT_BYTES];
  fprintf(stream,
          "shared     iterations by the CPU alone: %" JSON_INTEGER_FORMAT
          ", by the device alone: %" JSON_INTEGER_FORMAT ", by both: %" JSON_INTEGER_FORMAT "\n",
          whole(joint, "cpu_iterations"), whole(joint, "device_iterations"),
          whole(joint, "both_iterations"));
  fprintf(stream,
          "           pages by the CPU: %" JSON_INTEGER_FORMAT
          " in %.6f s, by the device: %" JSON_INTEGER_FORMAT
          " in %.6f s; %s of values exchanged in %.6f s\n",
          whole(joint, "cpu_pages"), real(joint, "cpu_seconds"), whole(joint, "device_pages"),
          real(joint, "device_seconds"), size(joint, "exchanged_bytes", bytes),
          real(joint, "exchange_seconds"));
}

static void print_storage(const json_t *storage, FILE *stream) {
  char in_order[TEXT_BYTES], at_random[TEXT_BYTES];
  fprintf(
      stream,
      "storage    is read at %s/s in order and %s/s at random, so k = %.1f; %" JSON_INTEGER_FORMAT
      " iterations notified, %" JSON_INTEGER_FORMAT " pulled\n",
      size(storage, "in_order_bytes_per_second", in_order),
      size(storage, "at_random_bytes_per_second", at_random), real(storage, "ratio"),
      whole(storage, "notified"), whole(storage, "pulled"));
}

/* ---- How it went ------------------------------------------------------------------------------
 */

/* A number of iterations that was asked for is no failure to converge. */
static const char *convergence_note(const struct qn_run *run) {
  bool fixed =
      ((run->kernel->traits & QN_KERNEL_ALL_ACTIVE) && run->request.limits.tolerance == 0) ||
      qn_parameter_find(run->algorithm, "hops") < run->algorithm->num_parameters;
  return run->result.stats.converged || fixed ? "" : " (not converged)";
}

static void print_parents(const json_t *parents, FILE *stream) {
  const json_int_t sweeps = whole(parents, "iterations");
  fprintf(stream, "parents    found in %" JSON_INTEGER_FORMAT " %s, %.3f s\n", sweeps,
          sweeps == 1 ? "sweep" : "sweeps",
          real(parents, "prepare_seconds") + real(parents, "kernel_seconds"));
}

static void print_checkpoint(const json_t *checkpoint, FILE *stream) {
  fprintf(stream, "checkpoint %" JSON_INTEGER_FORMAT " written in %.3f s",
          whole(checkpoint, "written"), real(checkpoint, "seconds"));
  if (whole(checkpoint, "resumed_after"))
    fprintf(stream, "; went on after iteration %" JSON_INTEGER_FORMAT,
            whole(checkpoint, "resumed_after"));
  putc('\n', stream);
}

static void print_update(const json_t *update, FILE *stream) {
  fprintf(stream,
          "updated    from generation %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT
          " edges added since, %" JSON_INTEGER_FORMAT " vertices begin, %" JSON_INTEGER_FORMAT
          " active in all\n",
          whole(update, "generation"), whole(update, "added_edges"), whole(update, "begun"),
          whole(update, "active"));
}

void qn_ranks_print(const json_t *ranks, FILE *stream) {
  char received[TEXT_BYTES];
  if (ranks)
    fprintf(stream,
            "ranks      %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
            " exchanges, the first rank received %s, %.3f s in them\n",
            whole(ranks, "count"), whole(ranks, "exchanges"),
            size(ranks, "received_bytes", received), real(ranks, "seconds"));
}

/* How ranks divide a set; NULL: by whole rows. */
static void print_division(const json_t *division, FILE *stream) {
  char bytes[TEXT_BYTES], rows[TEXT_BYTES], memory[TEXT_BYTES];
  if (!division)
    fprintf(stream, "division   whole rows, as in searches and on devices\n");
  else if (whole(division, "columns") == 1)
    fprintf(stream, "division   whole rows, %s to receive in an iteration: %s\n",
            size(division, "iteration_bytes", bytes), text(division, "reason"));
  else
    fprintf(
        stream,
        "division   %" JSON_INTEGER_FORMAT " rows and %" JSON_INTEGER_FORMAT
        " columns of ranks: %s to receive in an iteration, and %s by whole rows; %s of memory\n",
        whole(division, "rows"), whole(division, "columns"),
        size(division, "iteration_bytes", bytes), size(division, "whole_rows_bytes", rows),
        size(division, "memory_bytes", memory));
}

static void print_seconds(const json_t *report, FILE *stream) {
  const json_t *seconds = json_object_get(report, "seconds");
  const double rate = real(report, "edges_per_second");
  fprintf(stream,
          "seconds    %.3f (map %.3f, validate %.3f, find %.3f, device %.3f, prepare %.3f, "
          "kernel %.3f, write %.3f, report %.3f)\n",
          real(seconds, "total"), real(seconds, "map"), real(seconds, "validate"),
          real(seconds, "find"), real(seconds, "device"), real(seconds, "prepare"),
          real(seconds, "kernel"), real(seconds, "write"), real(seconds, "report"));
  if (rate > 0)
    fprintf(stream, "edges/s    %.*f million\n", rate < 1e8 ? 2 : 0, rate / 1e6);
}

/* ---- All of it --------------------------------------------------------------------------------
 */

static void print_head(const struct qn_run_input *input, const json_t *report, FILE *stream) {
  char vertices[TEXT_BYTES], edges[QN_EDGES_TEXT];
  fprintf(stream, "%s on %s (%s: %s), %s vertices, %s\n", text(report, "algorithm"),
          text(report, "layout"), text(report, "device"), text(report, "kernel"),
          count((uint64_t)whole(report, "vertices"), vertices),
          qn_edges_text(input->info->directedness, input->info->num_edges,
                        (uint64_t)whole(report, "undirected_edges"), edges));
}

/* A part of the report, if it is there. */
static void print_part(const json_t *report, const char *key,
                       void (*print)(const json_t *part, FILE *stream), FILE *stream) {
  const json_t *part = json_object_get(report, key);
  if (part)
    print(part, stream);
}

static void print_all(const struct qn_run_input *input, const struct qn_run *run,
                      const json_t *report, bool explain, FILE *stream) {
  const json_t *sources = json_object_get(report, "sources");
  const json_t *ranks = json_object_get(report, "ranks");
  print_head(input, report, stream);
  if (explain)
    print_part(report, "choice", print_choice, stream);
  print_part(report, "accelerator", print_accelerator, stream);
  print_part(report, "devices", print_devices, stream);
  print_part(report, "streaming", print_streaming, stream);
  print_part(report, "joint", print_joint, stream);
  print_part(report, "storage", print_storage, stream);
  if (json_array_size(sources) == 1)
    fprintf(stream, "source     %s\n", json_string_value(json_array_get(sources, 0)));
  if (json_object_get(report, "samples"))
    fprintf(stream, "samples    %" JSON_INTEGER_FORMAT "\n", whole(report, "samples"));
  print_part(report, "result", print_summary, stream);
  fprintf(stream, "iterations %" JSON_INTEGER_FORMAT "%s\n", whole(report, "iterations"),
          convergence_note(run));
  print_part(report, "parents", print_parents, stream);
  print_part(report, "checkpoint", print_checkpoint, stream);
  print_part(report, "update", print_update, stream);
  qn_ranks_print(ranks, stream);
  if (explain && ranks)
    print_division(json_object_get(ranks, "division"), stream);
  print_seconds(report, stream);
}

void qn_run_report_print(const struct qn_run_input *input, const struct qn_run *run,
                         const json_t *report, bool explain, FILE *stream) {
  enum { INDENT = 11 }; /* below what stands behind a line's first word */
  struct qn_page page;
  print_all(input, run, report, explain, qn_page_begin(&page, stream));
  qn_page_end(&page, INDENT);
}
