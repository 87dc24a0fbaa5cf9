#include "converters/edges/ledger.h"

#include <inttypes.h>

#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/terminal.h"

struct entry {
  const char *key;
  const char *label;
  uint64_t value;
  bool only_if_any; /* in JSON; people are shown no zeros but those that are always told */
  bool always_told;
};

enum { NUM_ENTRIES = 11 };

static void list_entries(const struct qn_ledger *ledger, struct entry entries[NUM_ENTRIES]) {
  bool undirected = ledger->undirected_edges > 0;
  const struct entry all[NUM_ENTRIES] = {
      {"records", "records read", ledger->records, false, true},
      {"comments", "comments and blank lines", ledger->comments, false, false},
      {"rejected", "rejected", ledger->rejected, false, false},
      {"edges_left_out", "edges left out", ledger->edges_left_out, true, false},
      {"edges_read", "edges read", ledger->edges_read, false, true},
      {"edges_added", "added by symmetrising", ledger->edges_added, false, false},
      {"self_loops_removed", "self loops removed", ledger->self_loops_removed, false, false},
      {"duplicates_removed", "duplicates removed", ledger->duplicates_removed, false, false},
      {"edges_written", undirected ? "edges written, both ways" : "edges written",
       ledger->edges_written, false, true},
      {"undirected_edges", "undirected edges", ledger->undirected_edges, true, false},
      {"parallel_edges", "of these parallel", ledger->parallel_edges, true, false},
  };
  for (int i = 0; i < NUM_ENTRIES; i++)
    entries[i] = all[i];
}

enum qn_status qn_ledger_check(const struct qn_ledger *ledger, struct qn_error *error) {
  uint64_t accounted =
      ledger->comments + ledger->rejected + ledger->edges_left_out + ledger->edges_read;
  if (ledger->records != accounted)
    return qn_fail(error, QN_SYSTEM,
                   "the ledger does not balance: %" PRIu64 " records, but %" PRIu64
                   " accounted for; please report this error of Quern",
                   ledger->records, accounted);
  uint64_t in = ledger->edges_read + ledger->edges_added;
  uint64_t out = ledger->self_loops_removed + ledger->duplicates_removed + ledger->edges_written;
  if (in != out)
    return qn_fail(error, QN_SYSTEM,
                   "the ledger does not balance: %" PRIu64 " edges in, %" PRIu64
                   " out; please report this error of Quern",
                   in, out);
  return QN_OK;
}

json_t *qn_ledger_json(const struct qn_ledger *ledger) {
  struct entry entries[NUM_ENTRIES];
  list_entries(ledger, entries);
  json_t *object = json_object();
  for (int i = 0; object && i < NUM_ENTRIES; i++) {
    if (entries[i].only_if_any && entries[i].value == 0)
      continue;
    if (json_object_set_new(object, entries[i].key, json_integer((json_int_t)entries[i].value))) {
      json_decref(object);
      object = NULL;
    }
  }
  return object;
}

char *qn_ledger_graph_text(const struct qn_ledger *ledger, const struct qn_container_info *info,
                           char text[QN_GRAPH_TEXT]) {
  char vertices[32], edges[32], stored[32];
  int length;
  qn_count_text(info->num_vertices, vertices, sizeof vertices);
  qn_count_text(info->num_edges, stored, sizeof stored);
  qn_count_text(ledger->undirected_edges, edges, sizeof edges);
  if (info->directedness == QN_UNDIRECTED)
    length = snprintf(text, QN_GRAPH_TEXT,
                      "%s vertices, %s undirected edges (%s stored: both directions)", vertices,
                      edges, stored);
  else
    length = snprintf(text, QN_GRAPH_TEXT, "%s vertices, %s directed edges", vertices, stored);
  snprintf(text + length, QN_GRAPH_TEXT - (size_t)length, ", %s%s",
           info->weight_type == QN_WEIGHT_NONE ? "no weights" : "weights ",
           info->weight_type == QN_WEIGHT_NONE ? "" : qn_weight_type_name(info->weight_type));
  return text;
}

void qn_ledger_note_parallel(const struct qn_ledger *ledger, const char *option) {
  char count[32];
  if (ledger->parallel_edges)
    qn_note(QN_NOTE_PARALLEL_EDGES,
            "%s undirected edges have the same endpoints as another: an edge that was there both "
            "ways becomes two; %s leaves one",
            qn_count_text(ledger->parallel_edges, count, sizeof count), option);
}

void qn_ledger_note_sums(const struct qn_ledger *ledger) {
  char count[32];
  if (ledger->parallel_edges)
    qn_note(QN_NOTE_REPEATED_ENTRIES,
            "%s entries of the matrix have the place of another, which would be added up "
            "there; here they are parallel edges, and --duplicates=sum adds them up",
            qn_count_text(ledger->parallel_edges, count, sizeof count));
}

void qn_ledger_print(const struct qn_ledger *ledger, FILE *stream) {
  enum { LABEL = 26, COUNT = 16 };
  const int room = (int)qn_terminal_width() - LABEL - 3, column = room < COUNT ? room : COUNT;
  struct entry entries[NUM_ENTRIES];
  list_entries(ledger, entries);
  for (int i = 0; i < NUM_ENTRIES; i++) {
    char count[32];
    if (entries[i].value == 0 && !entries[i].always_told)
      continue;
    fprintf(stream, "  %-*s %*s\n", LABEL, entries[i].label, column,
            qn_count_text(entries[i].value, count, sizeof count));
  }
}
