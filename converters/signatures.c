#include "converters/signatures.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Of the file: a mapped one is here as a whole, and is not to be read twice. */
#define MOST_BYTES ((uint64_t)64 << 10)

struct head {
  const char *data;
  uint64_t bytes;
  const char *text; /* behind white space */
  uint64_t text_bytes;
};

/* ---- Bytes at the beginning ------------------------------------------------ */

static const char as_csv[] = "write its edges as CSV with the columns source and target";
static const char as_other_graph[] = "write it as GraphML, GEXF or CSV";
static const char as_file[] = "quern-import reads it as the first input, not packed, through the "
                              "Python package; in Python, quern.read_parquet and quern.read_arrow";

static const struct {
  const char *bytes;
  unsigned length;
  const char *name, *advice;
} magics[] = {
    {"PAR1", 4, "Parquet", as_file},
    {"ARROW1", 6, "Arrow", as_file},
    {"FEA1", 4, "Feather of version 1", "write it as Feather of version 2, or as Parquet"},
    {"\xff\xff\xff\xff", 4, "a stream of Arrow", as_file},
    {"Obj\x01", 4, "Avro", as_csv},
    {"ORC", 3, "ORC", as_csv},
    {"SQLite format 3", 16, "a database of SQLite", "export the table of edges as CSV"},
    {"PGDMP", 5, "a dump of PostgreSQL", "export the table of edges with COPY ... CSV HEADER"},
    {"MATLAB ", 7, "a MATLAB file (.mat)",
     "write the matrix as Matrix Market, or with scipy.sparse.save_npz"},
    {"\x89HDF\r\n\x1a\n", 8, "HDF5, but no Binsparse matrix",
     "write the matrix by the Binsparse specification, or as Matrix Market"},
    {"\x80\x02", 2, "a pickle of Python",
     "which may run any code, is never read; write an edge list instead"},
    {"\x80\x03", 2, "a pickle of Python",
     "which may run any code, is never read; write an edge list instead"},
    {"\x80\x04", 2, "a pickle of Python",
     "which may run any code, is never read; write an edge list instead"},
    {"\x80\x05", 2, "a pickle of Python",
     "which may run any code, is never read; write an edge list instead"},
    {"RDX", 3, "a workspace of R", "write the edges with write.csv"},
    {"#!", 2, "a script", "run it, and name what it makes"},
    {">>graph6<<", 10, "graph6", as_other_graph},
    {">>sparse6<<", 11, "sparse6", as_other_graph},
    {">>digraph6<<", 12, "digraph6", as_other_graph},
    {"nkbg", 4, "a binary graph of NetworKit",
     "write it with networkit.writeGraph as METIS or an edge list"},
    {"(tlp ", 5, "a graph of Tulip", as_other_graph},
    {"%PDF-", 5, "PDF", "find the data that it is about"},
    {"\x89PNG", 4, "a picture", "find the data that it shows"},
    {"\xff\xd8\xff", 3, "a picture", "find the data that it shows"},
    {"\x7f"
     "ELF",
     4, "a program", "name its output instead"},
    {"\xd0\xcf\x11\xe0", 4, "a document of Microsoft Office", "save the sheet as CSV"},
    {"7z\xbc\xaf\x27\x1c", 6, "7-Zip", "unpack it first"},
    {"Rar!", 4, "RAR", "unpack it first"},
    {"version https://git-lfs", 23, "a pointer of Git LFS", "fetch the file with git lfs pull"},
    {"\xff\xfe\0\0", 4, "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"},
    {"\0\0\xfe\xff", 4, "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8"},
    {"\xff\xfe", 2, "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, "text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"},
};

/* ---- Words at the beginning ------------------------------------------------ */

static bool begins(const struct head *head, const char *word) {
  size_t length = strlen(word);
  return head->text_bytes >= length && strncasecmp(head->text, word, length) == 0;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next thing that is no white space from text[at] on; NUL if there is none. */
static char next_visible(const struct head *head, uint64_t at) {
  while (at < head->text_bytes && is_space(head->text[at]))
    at++;
  return at < head->text_bytes ? head->text[at] : '\0';
}

static bool is_json(const struct head *head) {
  char first = next_visible(head, 0), second = next_visible(head, 1);
  if (first == '{')
    return second == '"' || second == '}';
  return first == '[' && strchr("[{\"]-0123456789tfn", second) && second;
}

static bool is_html(const struct head *head) {
  return begins(head, "<!doctype html") || begins(head, "<html") || begins(head, "<head") ||
         begins(head, "<body");
}

/* Where the line after that at `at` begins, or would. */
static uint64_t next_line(const struct head *head, uint64_t at) {
  const char *end = memchr(head->text + at, '\n', head->text_bytes - at);
  return end ? (uint64_t)(end - head->text) + 1 : head->text_bytes + 1;
}

/* The length of the line at `at` without white space at its end. */
static uint64_t line_length(const struct head *head, uint64_t at) {
  uint64_t length = next_line(head, at) - 1 - at;
  while (length && is_space(head->text[at + length - 1]))
    length--;
  return length;
}

/* A subject <...> or _:..., and a full stop at the end. */
static bool is_triples(const struct head *head) {
  uint64_t at = 0;
  while (at < head->text_bytes && (head->text[at] == '#' || is_space(head->text[at])))
    at = next_line(head, at);
  if (at >= head->text_bytes)
    return false;
  const char *line = head->text + at;
  uint64_t length = line_length(head, at);
  bool subject = *line == '<' || (length > 2 && line[0] == '_' && line[1] == ':');
  return subject && length > 5 && line[length - 1] == '.' && memchr(line, '>', length);
}

static bool is_turtle(const struct head *head) {
  return begins(head, "@prefix") || begins(head, "@base");
}

/* The subject and a second term, as of triples, but no full stop. */
static bool is_triples_without_stop(const struct head *head) {
  const char *end = head->text + line_length(head, 0);
  const char *subject = *head->text == '<' ? memchr(head->text, '>', line_length(head, 0)) : NULL;
  if (!subject || !memmem(head->text, (size_t)(subject - head->text), "://", 3) ||
      memchr(head->text, ' ', (size_t)(subject - head->text)))
    return false;
  for (subject++; subject < end && (*subject == ' ' || *subject == '\t');)
    subject++;
  return subject < end && *subject == '<' && memchr(subject, '>', (size_t)(end - subject));
}

static bool is_xml(const struct head *head) {
  char second = head->text_bytes > 1 ? head->text[1] : '\0';
  return begins(head, "<") && !is_triples(head) &&
         (second == '?' || second == '!' || (second >= 'a' && second <= 'z') ||
          (second >= 'A' && second <= 'Z'));
}

static bool is_sql(const struct head *head) {
  return begins(head, "create table") || begins(head, "insert into") ||
         begins(head, "-- mysql dump") || begins(head, "--\n-- postgresql");
}

/* Of GUESS, UCINET and NetDraw, which Gephi writes. */
static bool is_gdf(const struct head *head) {
  return begins(head, "nodedef>") || begins(head, "edgedef>");
}

static bool is_ucinet(const struct head *head) {
  return begins(head, "dl n") || begins(head, "dl\n") || begins(head, "dl\r");
}

static bool is_netdraw(const struct head *head) {
  return begins(head, "*node data") || begins(head, "*node properties") ||
         begins(head, "*tie data");
}

/* ---- Graphs in letters: graph6 and its kin (McKay) ---------------------------- */

enum { LEAST_LETTER = 63, LETTER_BITS = 6, LONG_MARK = 126 };

/* The number of vertices that comes first, of which `*p` is then behind; 0 if there is none. */
static uint64_t take_vertices(const char **p, const char *end) {
  const bool is_long = *p < end && **p == LONG_MARK;
  const int letters = is_long ? 3 : 1;
  uint64_t vertices = 0;
  *p += is_long;
  if (end - *p < letters)
    return 0;
  for (int i = 0; i < letters; i++)
    vertices = vertices << LETTER_BITS | (uint64_t)(*(*p)++ - LEAST_LETTER);
  return vertices;
}

static bool are_letters(const char *p, const char *end) {
  for (; p < end; p++)
    if (*p < LEAST_LETTER || *p > LONG_MARK)
      return false;
  return true;
}

/* The end of the line at `at`; NULL for one that the head cuts. */
static const char *whole_line_end(const struct head *head, uint64_t at) {
  const uint64_t length = line_length(head, at);
  const bool is_cut =
      head->bytes == MOST_BYTES && !memchr(head->text + at, '\n', head->text_bytes - at);
  return is_cut ? NULL : head->text + at + length;
}

/* Have all lines, behind `mark` if that is one, as many letters as the graph has pairs of vertices,
 * each pair once or in both directions? The bits that fill up the last letter are zero. */
static bool are_matrices(const struct head *head, char mark) {
  uint64_t lines = 0;
  for (uint64_t at = 0; at < head->text_bytes; at = next_line(head, at)) {
    const char *p = head->text + at, *end = whole_line_end(head, at);
    if (!end)
      break;
    if (p == end)
      continue;
    if ((mark && *p++ != mark) || !are_letters(p, end))
      return false;
    const uint64_t vertices = take_vertices(&p, end);
    const uint64_t bits = mark ? vertices * vertices : vertices * (vertices - 1) / 2;
    const uint64_t spare = (LETTER_BITS - bits % LETTER_BITS) % LETTER_BITS;
    if (vertices < 2 || (uint64_t)(end - p) != (bits + spare) / LETTER_BITS ||
        ((end[-1] - LEAST_LETTER) & ((1 << spare) - 1)))
      return false;
    lines++;
  }
  return lines > 0;
}

static bool is_graph6(const struct head *head) {
  return are_matrices(head, '\0');
}

static bool is_digraph6(const struct head *head) {
  return are_matrices(head, '&');
}

/* A colon, letters, and nothing else in any line. */
static bool is_sparse6(const struct head *head) {
  uint64_t lines = 0;
  for (uint64_t at = 0; at < head->text_bytes; at = next_line(head, at), lines++) {
    const char *p = head->text + at, *end = p + line_length(head, at);
    if (p < end && (*p != ':' || end - p < 3 || !are_letters(p + 1, end)))
      return false;
  }
  return lines > 0;
}

/* ---- Keys and values ---------------------------------------------------------- */

/* A word and a colon: no number, no part of what is in quotes or in braces, no two columns. */
static bool is_key(const char *word, const char *end) {
  if (end - word < 2 || *--end != ':' || (*word >= '0' && *word <= '9') || *word == '{')
    return false;
  if ((*word == '"' || *word == '\'') && (end - word < 2 || *--end != *word++))
    return false;
  for (; word < end; word++)
    if (strchr("\"',;|", *word))
      return false;
  return true;
}

/* Does a line begin so? */
static bool has_line(const struct head *head, const char *word) {
  const uint64_t length = strlen(word);
  for (uint64_t at = 0; at < head->text_bytes; at = next_line(head, at))
    if (head->text_bytes - at >= length && memcmp(head->text + at, word, length) == 0)
      return true;
  return false;
}

/* In every line "key: value". */
static bool is_keys(const struct head *head) {
  uint64_t lines = 0;
  for (uint64_t at = 0; at < head->text_bytes; at = next_line(head, at)) {
    const char *line = head->text + at, *end = line + line_length(head, at), *p = line;
    while (p < end && !is_space(*p))
      p++;
    if (line == end || *line == '#')
      continue;
    if (!is_key(line, p))
      return false;
    lines++;
  }
  return lines > 0;
}

/* What a meta.NAME of KONECT has among its keys. */
static bool is_konect_description(const struct head *head) {
  return is_keys(head) && has_line(head, "code:") && has_line(head, "category:");
}

static bool is_pem(const struct head *head) {
  return begins(head, "-----BEGIN ");
}

/* A line "graphclass = ...", in what describes the file beside it. */
static bool is_webgraph_properties(const struct head *head) {
  for (uint64_t at = 0; at < head->text_bytes; at = next_line(head, at))
    if (head->text_bytes - at > 10 && memcmp(head->text + at, "graphclass", 10) == 0 &&
        strchr("= \t:", head->text[at + 10]))
      return true;
  return false;
}

/* What text has that numbers seldom are. */
static bool is_printable(char c) {
  return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
}

/* Is it plain text in characters of `width` bytes, all NUL but the first or the last of each? */
static bool is_wide(const struct head *head, unsigned width, bool little_endian) {
  const unsigned own = little_endian ? 0 : width - 1;
  uint64_t most = (head->bytes < 64 ? head->bytes : 64) / width * width;
  bool wide = most >= 4;
  for (uint64_t i = 0; i < most; i++)
    wide &= i % width == own ? is_printable(head->data[i]) : head->data[i] == 0;
  return wide;
}

static bool is_utf_16_le(const struct head *head) {
  return is_wide(head, 2, true);
}

static bool is_utf_16_be(const struct head *head) {
  return is_wide(head, 2, false);
}

static bool is_utf_32_le(const struct head *head) {
  return is_wide(head, 4, true);
}

static bool is_utf_32_be(const struct head *head) {
  return is_wide(head, 4, false);
}

/* Lines that end as those of a Macintosh did: one line to all others. */
static bool has_bare_returns(const struct head *head) {
  const char *first = memchr(head->data, '\r', head->bytes);
  return first && !memchr(head->data, '\n', head->bytes) && first + 1 < head->data + head->bytes &&
         !memchr(head->data, '\0', head->bytes);
}

static const struct {
  bool (*is)(const struct head *head);
  const char *name, *advice;
} kinds[] = {
    {is_utf_16_le, "text in UTF-16", "convert it: iconv -f UTF-16LE -t UTF-8"},
    {is_utf_16_be, "text in UTF-16", "convert it: iconv -f UTF-16BE -t UTF-8"},
    {is_utf_32_le, "text in UTF-32", "convert it: iconv -f UTF-32LE -t UTF-8"},
    {is_utf_32_be, "text in UTF-32", "convert it: iconv -f UTF-32BE -t UTF-8"},
    {has_bare_returns, "text whose lines end in CR alone", "convert it: tr '\\r' '\\n'"},
    {is_json,
     "JSON of another kind than nodes with edges or links, a list of edges, or an edge a line",
     as_csv},
    {is_html, "HTML", "this is a page of a web site; find the link to the data in it"},
    {is_triples, "RDF (N-Triples)", as_csv},
    {is_turtle, "RDF (Turtle)", as_csv},
    {is_triples_without_stop, "RDF (N-Triples) whose lines lack the full stop at their end",
     "write each triple as <subject> <predicate> <object> ."},
    {is_xml, "XML", as_csv},
    {is_gdf, "GDF of GUESS", as_other_graph},
    {is_ucinet, "DL of UCINET", as_other_graph},
    {is_netdraw, "VNA of NetDraw", as_other_graph},
    {is_graph6, "graph6", as_other_graph},
    {is_sparse6, "sparse6", as_other_graph},
    {is_digraph6, "digraph6", as_other_graph},
    {is_konect_description, "the description of a KONECT network",
     "name the file of its edges, out.NAME"},
    {is_keys, "keys and values (YAML, the head of a message)", as_csv},
    {is_sql, "SQL", "export the table of edges as CSV"},
    {is_webgraph_properties, "the description of a WebGraph",
     "name the file of the graph beside it, NAME.graph"},
    {is_pem, "a key or a message in PEM", "name the data instead"},
};

/* ---- All ------------------------------------------------------------------ */

static enum qn_status refuse(const char *name, const char *advice, struct qn_error *error) {
  return qn_fail(error, QN_UNSUPPORTED,
                 "this is %s, which is not read as a graph: %s (--format forces a format)", name,
                 advice);
}

enum qn_status qn_signature_refuse(const char *data, uint64_t bytes, struct qn_error *error) {
  bytes = bytes < MOST_BYTES ? bytes : MOST_BYTES;
  struct head head = {data, bytes, data, bytes};
  while (head.text < data + bytes && is_space(*head.text))
    head.text++;
  head.text_bytes = bytes - (uint64_t)(head.text - data);
  for (unsigned i = 0; i < sizeof magics / sizeof *magics; i++)
    if (bytes >= magics[i].length && memcmp(data, magics[i].bytes, magics[i].length) == 0)
      return refuse(magics[i].name, magics[i].advice, error);
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].is(&head))
      return refuse(kinds[i].name, kinds[i].advice, error);
  return QN_OK;
}
