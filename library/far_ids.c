#include "library/far_ids.h"

#include <inttypes.h>
#include <string.h>

#include "formats/container/container_disk.h"
#include "library/session.h"
#include "support/memory.h"
#include "support/search.h"
#include "support/sizes.h"
#include <quern/remote.h>

/* Numbers, and offsets of texts, that are verified together. */
#define IDS_OF_CHUNK (QN_CHECKSUM_CHUNK / sizeof(uint64_t))
/* Texts that are looked at before any comes, as far as they are looked at. */
#define GUESSES 127
#define GUESS_BYTES 128
/* What comes to be searched. */
#define WINDOW_BYTES ((uint64_t)6 << 20)

bool qn_far_ids_are_searched(const struct qn_session *session) {
  const struct qn_ids *ids = &session->input.ids;
  return qn_container_is_remote(session->container) && ids->kind != QN_IDS_DENSE &&
         ids->ascending && !__atomic_load_n(&session->has_order, __ATOMIC_ACQUIRE);
}

/* ---- Numbers ---------------------------------------------------------------- */

/* Is it among ids[first .. end), which ascend? */
static bool search_near(const uint64_t *ids, uint64_t first, uint64_t end, uint64_t number,
                        uint32_t *vertex) {
  const uint64_t found = qn_lower_bound_u64(ids, first, end, number);
  *vertex = (uint32_t)found;
  return found < end && ids[found] == number;
}

/* Ids before `low` are less than `number`, those from `high` on are greater. Ids come by the chunk,
 * and each is looked at whole. Every other guess is the middle, so that ids that do not grow evenly
 * cost twice as many, and no more. */
enum qn_status qn_far_ids_find_number(const struct qn_session *session, uint64_t number,
                                      uint32_t *vertex, bool *found, struct qn_error *error) {
  const uint64_t *ids = session->input.ids.numbers, count = session->input.ids.num_vertices;
  uint64_t low = 0, high = count;
  uint64_t least = 0, most = UINT64_MAX;
  enum qn_status status = QN_OK;
  *found = false;
  for (unsigned guess = 0; low < high && !status && !*found; guess++) {
    uint64_t at = low + (high - low) / 2;
    if (guess == 0)
      at = high - 1;
    else if (guess % 2 && most > least)
      at = low + (uint64_t)((double)(high - 1 - low) *
                            ((double)(number - least) / (double)(most - least)));
    at = at < high ? at : high - 1;
    const uint64_t first = at / IDS_OF_CHUNK * IDS_OF_CHUNK;
    const uint64_t end = count - first < IDS_OF_CHUNK ? count : first + IDS_OF_CHUNK;
    status = qn_container_need(session->container, ids + first, ids + end, error);
    if (status)
      break;
    if (number < ids[first]) {
      high = first;
      most = ids[first];
    } else if (number > ids[end - 1]) {
      low = end;
      least = ids[end - 1];
    } else {
      *found = search_near(ids, first, end, number, vertex);
      break;
    }
  }
  return status;
}

/* ---- Texts ------------------------------------------------------------------- */

/* A text, and the names among which it is searched. Those of vertices before `low` come before it,
 * those from `high` on after it, as was verified. */
struct search {
  const struct qn_session *session;
  const struct qn_ids *ids;
  const char *text;
  uint64_t length, low, high, bytes; /* bytes of all names */
};

/* Names of [first, end), whose bytes should be [from, to). */
struct window {
  uint64_t first, end, from, to;
};

static int compare_texts(const char *name, uint64_t bytes, const char *text, uint64_t length) {
  const int order = memcmp(name, text, bytes < length ? bytes : length);
  return order ? order : (bytes > length) - (bytes < length);
}

static enum qn_status damaged(const struct search *search, struct qn_error *error) {
  qn_fail(error, QN_INVALID, "ID-1: id_offsets descends, or ends beyond id_bytes");
  return qn_error_in_file(error, search->session->path), QN_INVALID;
}

static enum qn_status bring_window(const struct search *search, const struct window *window,
                                   struct qn_error *error) {
  const struct qn_container *container = search->session->container;
  const uint64_t *offsets = search->ids->string_offsets;
  const char *names = search->ids->string_bytes;
  const struct qn_needed_bytes needed[] = {{offsets + window->first, offsets + window->end + 1},
                                           {names + window->from, names + window->to}};
  enum qn_status status = qn_container_need_together(container, needed, 2, error);
  if (status)
    return status;
  const uint64_t from = offsets[window->first], to = offsets[window->end];
  return from <= to && to <= search->bytes
             ? qn_container_need(container, names + from, names + to, error)
             : damaged(search, error);
}

static enum qn_status compare_name(const struct search *search, const struct window *window,
                                   uint64_t vertex, int *order, struct qn_error *error) {
  const uint64_t *offsets = search->ids->string_offsets;
  const uint64_t begin = offsets[vertex], end = offsets[vertex + 1];
  if (begin < offsets[window->first] || begin > end || end > offsets[window->end])
    return damaged(search, error);
  *order =
      compare_texts(search->ids->string_bytes + begin, end - begin, search->text, search->length);
  return QN_OK;
}

/* Bisect what came, of which the first name does not come after the text, nor the last before it.
 */
static enum qn_status search_inside(struct search *search, const struct window *window,
                                    uint32_t *vertex, bool *found, struct qn_error *error) {
  uint64_t low = window->first, high = window->end;
  enum qn_status status = QN_OK;
  while (low < high && !status && !*found) {
    const uint64_t middle = low + (high - low) / 2;
    int order;
    status = compare_name(search, window, middle, &order, error);
    if (!status && order == 0) {
      *vertex = (uint32_t)middle;
      *found = true;
    } else if (!status && order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  search->low = search->high = low;
  return status;
}

static enum qn_status search_window(struct search *search, const struct window *window,
                                    uint32_t *vertex, bool *found, struct qn_error *error) {
  int first, last;
  enum qn_status status = bring_window(search, window, error);
  if (!status)
    status = compare_name(search, window, window->first, &first, error);
  if (!status)
    status = compare_name(search, window, window->end - 1, &last, error);
  if (status)
    return status;
  if (first <= 0 && last >= 0)
    return search_inside(search, window, vertex, found, error);
  if (first > 0)
    search->high = window->first;
  else
    search->low = window->end;
  return QN_OK;
}

/* The names around that of vertex `at` that come with it. */
static enum qn_status window_around(const struct search *search, uint64_t at, struct window *window,
                                    struct qn_error *error) {
  const uint64_t *offsets = search->ids->string_offsets;
  const uint64_t chunk = at / IDS_OF_CHUNK * IDS_OF_CHUNK, last = chunk + IDS_OF_CHUNK - 1;
  uint64_t first = chunk > search->low ? chunk : search->low, end = at < last ? last : at + 1;
  end = end < search->high ? end : search->high;
  enum qn_status status =
      qn_container_need(search->session->container, offsets + first, offsets + end + 1, error);
  if (status)
    return status;
  const uint64_t from = offsets[at] / QN_CHECKSUM_CHUNK * QN_CHECKSUM_CHUNK;
  const uint64_t to = from + QN_CHECKSUM_CHUNK;
  window->first = qn_lower_bound_u64(offsets, first, at, from);
  window->end =
      qn_lower_bound_u64(offsets + 1, at + 1, end, to + 1); /* after the last before `to` */
  return QN_OK;
}

/* ---- Where a text should be --------------------------------------------------- */

/* Looked at, and not verified. */
struct guess {
  uint64_t vertex, offsets[2];
  char name[GUESS_BYTES];
};

static bool peek_names(const struct search *search, struct guess *guesses, struct qn_peek *peeks) {
  for (unsigned i = 0; i < GUESSES; i++)
    peeks[i] = (struct qn_peek){search->ids->string_offsets + guesses[i].vertex, guesses[i].offsets,
                                sizeof guesses[i].offsets};
  if (!qn_container_peek(search->session->container, peeks, GUESSES))
    return false;
  for (unsigned i = 0; i < GUESSES; i++) {
    const uint64_t begin = guesses[i].offsets[0], end = guesses[i].offsets[1];
    if (begin >= end || end > search->bytes)
      return false;
    peeks[i] = (struct qn_peek){search->ids->string_bytes + begin, guesses[i].name,
                                end - begin < GUESS_BYTES ? end - begin : (uint64_t)GUESS_BYTES};
  }
  return qn_container_peek(search->session->container, peeks, GUESSES);
}

/* Narrow the window, at whose ends are names on both sides of the text, or the first or last. What
 * begins like a long name is on either side of it. */
static void narrow(const struct search *search, const struct guess *guesses,
                   struct window *window) {
  for (unsigned i = 0; i < GUESSES; i++) {
    const struct guess *guess = &guesses[i];
    const uint64_t bytes = guess->offsets[1] - guess->offsets[0];
    const bool cut = bytes > GUESS_BYTES;
    const int order =
        compare_texts(guess->name, cut ? GUESS_BYTES : bytes, search->text,
                      cut && search->length > GUESS_BYTES ? GUESS_BYTES : search->length);
    if (order <= 0 && !(cut && order == 0)) {
      window->first = guess->vertex;
      window->from = guess->offsets[0];
    }
    if (order >= 0 && !(cut && order == 0)) {
      window->end = guess->vertex + 1;
      window->to = guess->offsets[1];
      return;
    }
  }
}

/* Guess a window that is small enough to come whole: by names that lie evenly, and again between
 * two of them. False where the server does not tell. */
static bool guess_window(const struct search *search, struct window *window) {
  struct guess *guesses;
  struct qn_peek *peeks;
  bool known = true;
  *window = (struct window){.end = search->high, .to = search->bytes};
  if (qn_alloc(&guesses, GUESSES, sizeof *guesses, "names", NULL))
    return false;
  if (qn_alloc(&peeks, GUESSES, sizeof *peeks, "names", NULL)) {
    qn_free(guesses);
    return false;
  }
  while (known && window->end - window->first > 2 * GUESSES &&
         (window->to - window->from > WINDOW_BYTES ||
          (window->end - window->first) * sizeof(uint64_t) > WINDOW_BYTES)) {
    const uint64_t count = window->end - window->first;
    for (unsigned i = 0; i < GUESSES; i++)
      guesses[i].vertex = window->first + count / (GUESSES + 1) * (i + 1);
    known = peek_names(search, guesses, peeks);
    if (known)
      narrow(search, guesses, window);
    known = known && window->end - window->first < count && window->from <= window->to;
  }
  qn_free(peeks);
  qn_free(guesses);
  return known;
}

/* Where a guess is wrong, or there is none, those in the middle come, and so on. */
enum qn_status qn_far_ids_find_text(const struct qn_session *session, const char *text,
                                    uint32_t *vertex, bool *found, struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  uint64_t number;
  *found = false;
  if (ids->kind == QN_IDS_NUMBERS)
    return qn_number_parse(text, UINT64_MAX, &number, NULL)
               ? QN_OK
               : qn_far_ids_find_number(session, number, vertex, found, error);
  struct search search = {.session = session,
                          .ids = ids,
                          .text = text,
                          .length = strlen(text),
                          .high = ids->num_vertices,
                          .bytes = ids->string_offsets[ids->num_vertices]};
  struct window window;
  enum qn_status status = QN_OK;
  if (search.high && guess_window(&search, &window))
    status = search_window(&search, &window, vertex, found, error);
  while (!status && !*found && search.low < search.high) {
    status = window_around(&search, search.low + (search.high - search.low) / 2, &window, error);
    if (!status)
      status = search_window(&search, &window, vertex, found, error);
  }
  return status;
}

/* ---- What vertices are called -------------------------------------------------- */

enum qn_status qn_far_ids_text(const struct qn_ids *ids, uint64_t vertex, const char **text,
                               uint64_t *length, struct qn_error *error) {
  const uint64_t begin = ids->string_offsets[vertex], end = ids->string_offsets[vertex + 1];
  if (begin > end || end > ids->string_offsets[ids->num_vertices])
    return qn_fail(error, QN_INVALID,
                   "ID-1: the id of vertex %" PRIu64 " does not lie within id_bytes", vertex);
  *text = ids->string_bytes + begin;
  *length = end - begin;
  return QN_OK;
}

static enum qn_status bring_texts(const struct qn_session *session, const uint32_t *vertices,
                                  uint64_t count, struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  struct qn_needed_bytes *needed;
  enum qn_status status = qn_alloc(&needed, count, sizeof *needed, "a list of ids", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t *offsets = ids->string_offsets + vertices[i];
    needed[i] = (struct qn_needed_bytes){offsets, offsets + 2};
  }
  status = qn_container_need_together(session->container, needed, count, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    const char *text = NULL;
    uint64_t length = 0;
    status = qn_far_ids_text(ids, vertices[i], &text, &length, error);
    needed[i] = (struct qn_needed_bytes){text, text + length};
  }
  if (!status)
    status = qn_container_need_together(session->container, needed, count, error);
  qn_free(needed);
  return status;
}

enum qn_status qn_far_ids_bring(const struct qn_session *session, const uint32_t *vertices,
                                uint64_t count, struct qn_error *error) {
  const struct qn_ids *ids = &session->input.ids;
  if (!count)
    return QN_OK;
  return ids->kind == QN_IDS_STRINGS
             ? bring_texts(session, vertices, count, error)
             : qn_container_need_at(session->container, ids->numbers, sizeof(uint64_t), vertices,
                                    count, error);
}
