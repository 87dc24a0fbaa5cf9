/* Which page format suits a graph, and what to say when none does. */
#include <inttypes.h>
#include <stdio.h>

#include "partitioner/slotted_pages.h"

/* In the order in which they are tried: the shortest ids first; then as in GTS, section 6.1. */
static const struct qn_page_address addresses[] = {{2, 2}, {3, 3}, {2, 4}, {4, 2}};
enum { NUM_ADDRESSES = sizeof addresses / sizeof addresses[0] };

static struct qn_page_format format_for(const struct qn_csr *csr, struct qn_page_address address,
                                        uint64_t page_bytes) {
  return qn_page_format_of(address, (uint32_t)page_bytes, csr->weights.type);
}

static bool page_size_allowed(const struct qn_csr *csr, struct qn_page_address address,
                              uint64_t page_bytes) {
  return page_bytes % 4 == 0 && page_bytes <= qn_page_bytes_limit(address) &&
         page_bytes >= qn_page_bytes_minimum(address, csr->weights.type);
}

static bool fits(const struct qn_csr *csr, struct qn_page_address address, uint64_t page_bytes) {
  if (!page_size_allowed(csr, address, page_bytes))
    return false;
  struct qn_page_format format = format_for(csr, address, page_bytes);
  return qn_page_count(csr, &format) <= qn_page_count_limit(address);
}

/* The first of page_bytes, twice as much, ... and the limit with which the graph fits; 0 if none.
 */
static uint64_t grow_until_fits(const struct qn_csr *csr, struct qn_page_address address,
                                uint64_t page_bytes) {
  uint64_t limit = qn_page_bytes_limit(address);
  for (; page_bytes < limit; page_bytes *= 2)
    if (fits(csr, address, page_bytes))
      return page_bytes;
  return fits(csr, address, limit) ? limit : 0;
}

/* A page is what is streamed and cached, so a graph should have some hundreds; but no larger than
 * GTS used: 1 MiB with slot numbers of 2 bytes (from its Table 3), 64 MiB with longer ones. */
static uint64_t default_page_bytes(const struct qn_csr *csr, struct qn_page_address address) {
  const uint64_t least = 4096, most = address.slot_bytes == 2 ? 1 << 20 : 1 << 26;
  struct qn_page_format format = format_for(csr, address, least);
  uint64_t bytes = csr->num_vertices * (QN_SLOT_BYTES + QN_ADJLIST_SIZE_BYTES) +
                   csr->num_edges * format.edge_bytes;
  uint64_t page_bytes = least;
  while (page_bytes < most && page_bytes * 256 < bytes)
    page_bytes *= 2;
  return grow_until_fits(csr, address, page_bytes);
}

/* "--address p,q, ..." of all that hold the graph in pages of this size; empty if none. */
static const char *other_addresses(const struct qn_csr *csr, uint64_t page_bytes, char *text,
                                   size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < NUM_ADDRESSES; i++)
    if (fits(csr, addresses[i], page_bytes))
      length +=
          (size_t)snprintf(text + length, size - length, "%s--address %u,%u", length ? ", or " : "",
                           addresses[i].page_id_bytes, addresses[i].slot_bytes);
  return text;
}

static enum qn_status refuse_page_size(const struct qn_csr *csr, struct qn_page_address address,
                                       uint64_t page_bytes, struct qn_error *error) {
  char others[96];
  uint64_t least = qn_page_bytes_minimum(address, csr->weights.type);
  uint64_t most = qn_page_bytes_limit(address);
  if (page_bytes < least)
    return qn_fail(error, QN_USAGE,
                   "a page of %" PRIu64 " bytes is %" PRIu64 " too small for one vertex with one "
                   "edge; use --page-size %" PRIu64 " or more",
                   page_bytes, least - page_bytes, least);
  if (page_bytes > most) {
    other_addresses(csr, page_bytes, others, sizeof others);
    return qn_fail(
        error, QN_USAGE,
        "a page of %" PRIu64 " bytes is %" PRIu64 " larger than slot numbers of %u "
        "bytes and u32 record offsets can address; use --page-size %" PRIu64 " or less%s%s",
        page_bytes, page_bytes - most, address.slot_bytes, most, others[0] ? ", or " : "", others);
  }
  return qn_fail(error, QN_USAGE,
                 "a page of %" PRIu64 " bytes is not a multiple of 4; use --page-size %" PRIu64,
                 page_bytes, (page_bytes + 3) / 4 * 4 <= most ? (page_bytes + 3) / 4 * 4 : most);
}

static enum qn_status refuse_page_count(const struct qn_csr *csr, struct qn_page_address address,
                                        uint64_t page_bytes, struct qn_error *error) {
  char others[96], larger[48] = "";
  struct qn_page_format format = format_for(csr, address, page_bytes);
  uint64_t pages = qn_page_count(csr, &format), limit = qn_page_count_limit(address);
  uint64_t enough = grow_until_fits(csr, address, page_bytes);
  if (enough)
    snprintf(larger, sizeof larger, "--page-size %" PRIu64, enough);
  other_addresses(csr, page_bytes, others, sizeof others);
  return qn_fail(error, QN_USAGE,
                 "the graph takes %" PRIu64 " pages of %" PRIu64 " bytes, %" PRIu64
                 " more than page ids of %u bytes can name (%" PRIu64 "); use %s%s%s",
                 pages, page_bytes, pages - limit, address.page_id_bytes, limit,
                 enough || others[0] ? larger : "another --address and --page-size",
                 enough && others[0] ? ", or " : "", others);
}

static enum qn_status choose_for_address(const struct qn_csr *csr, struct qn_page_address address,
                                         uint64_t page_bytes, struct qn_page_format *format,
                                         struct qn_error *error) {
  if (page_bytes && !page_size_allowed(csr, address, page_bytes))
    return refuse_page_size(csr, address, page_bytes, error);
  uint64_t chosen = page_bytes ? page_bytes : default_page_bytes(csr, address);
  if (!chosen || !fits(csr, address, chosen))
    return refuse_page_count(csr, address, chosen ? chosen : qn_page_bytes_limit(address), error);
  *format = format_for(csr, address, chosen);
  return QN_OK;
}

enum qn_status qn_page_format_choose(const struct qn_csr *csr,
                                     const struct qn_page_options *options,
                                     struct qn_page_format *format, struct qn_error *error) {
  if (options->address.page_id_bytes != 0) {
    if (!qn_page_address_valid(options->address))
      return qn_fail(error, QN_USAGE,
                     "physical ids cannot be split %u,%u; use --address 2,2, 3,3, 2,4 or 4,2",
                     options->address.page_id_bytes, options->address.slot_bytes);
    return choose_for_address(csr, options->address, options->page_bytes, format, error);
  }
  for (unsigned i = 0; i < NUM_ADDRESSES; i++)
    if (!choose_for_address(csr, addresses[i], options->page_bytes, format, NULL))
      return QN_OK;
  /* None fits: say why for the one that reaches farthest with such pages. */
  static const unsigned by_reach[] = {3, 1, 2};
  unsigned i = 0;
  while (i < 2 && options->page_bytes > qn_page_bytes_limit(addresses[by_reach[i]]))
    i++;
  return choose_for_address(csr, addresses[by_reach[i]], options->page_bytes, format, error);
}
