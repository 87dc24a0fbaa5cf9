/* quern-page: a graph container into slotted pages. */
#include "partitioner/slotted_pages.h"
#include "support/options.h"
#include "tools/builder.h"

enum { KEY_ADDRESS = 0x1001, KEY_PAGE_SIZE };

/* "p,q", one digit each. */
static bool parse_address(const char *text, struct qn_page_address *address) {
  if (text[0] < '0' || text[0] > '9' || text[1] != ',' || text[2] < '0' || text[2] > '9' || text[3])
    return false;
  *address = (struct qn_page_address){(uint8_t)(text[0] - '0'), (uint8_t)(text[2] - '0')};
  return qn_page_address_valid(*address);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_page_options *options = state->input;
  switch (key) {
  case KEY_ADDRESS:
    if (!parse_address(argument, &options->address))
      argp_error(state, "--address: '%s' is none of 2,2 3,3 2,4 4,2", argument);
    return 0;
  case KEY_PAGE_SIZE:
    options->page_bytes = qn_option_size(state, "--page-size", argument, 1);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option table[] = {
    {"address", KEY_ADDRESS, "P,Q", 0, "Bytes of page id and slot number: 2,2 3,3 2,4 or 4,2", 0},
    {"page-size", KEY_PAGE_SIZE, "SIZE", 0, "Bytes of a page, a multiple of 4", 0},
    {0}};

static const char documentation[] =
    "Put a graph on slotted pages, the layout of GTS: pages of one size, to be streamed.\v"
    "A page holds the edges of consecutive vertices; a vertex too large for one page gets large "
    "pages of its own. Edges name their destination by page id (p bytes) and slot number (q "
    "bytes): 2,2 is the shortest and holds 65,535 pages of up to 1.25 MiB; 3,3 pages of up to 320 "
    "MiB; 2,4 few and larger ones; 4,2 many. By default the first of these that fits is taken, and "
    "a page size with which the graph takes some hundred pages, up to 1 MiB (64 MiB where slot "
    "numbers are longer than 2 bytes).\n\n"
    "Memory beside input and output, which are mapped: 4 bytes a vertex, 8 with ids of 6 bytes.";

int main(int argc, char **argv) {
  struct qn_page_options options = {0};
  const struct qn_builder builder = {.tool = "quern-page",
                                     .layout = QN_LAYOUT_SLOTTED_PAGES,
                                     .build = qn_slotted_pages_build,
                                     .options = &options,
                                     .vertex_memory = 8,
                                     .edge_output = 6};
  return qn_builder_main(&builder, table, parse, &options, documentation, argc, argv);
}
