#include "converters/input_estimate.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/format.h"
#include "support/input/source.h"
#include "support/memory.h"

#define SAMPLE_BYTES ((uint64_t)64 << 10)

/* What a thread parses, and what a disk delivers. */
static const double TEXT_BYTES_PER_SECOND = 400e6, BINARY_BYTES_PER_SECOND = 1000e6;

struct sample {
  uint64_t bytes; /* of head */
  uint64_t file_bytes;
  char head[SAMPLE_BYTES];
};

/* Of regular files only: a pipe that is opened and closed again is broken. */
static bool take_sample(const char *path, struct sample *sample) {
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return false;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool good = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  ssize_t got = good ? pread(descriptor, sample->head, sizeof sample->head, 0) : -1;
  if (descriptor >= 0)
    close(descriptor);
  if (got <= 0)
    return false;
  sample->bytes = (uint64_t)got;
  sample->file_bytes = (uint64_t)about.st_size;
  return true;
}

static const struct qn_reader *find_reader(const struct sample *sample, const char *format,
                                           const struct qn_read_options *options) {
  const struct qn_reader *best = NULL;
  int surest = 0;
  if (strcmp(format, "auto") != 0)
    return qn_reader_by_name(format, &best, NULL) ? NULL : best;
  for (const struct qn_format *row = qn_formats; row->name; row++) {
    bool tells = row->reader && row->reader->detect;
    int sure = tells ? row->reader->detect(sample->head, sample->bytes, options) : 0;
    best = sure > surest ? row->reader : best;
    surest = sure > surest ? sure : surest;
  }
  return best;
}

static uint64_t scale_up(uint64_t count, uint64_t bytes, uint64_t file_bytes) {
  return (uint64_t)((double)count / (double)bytes * (double)file_bytes);
}

static uint64_t expect_lines(const struct sample *sample) {
  uint64_t lines = sample->bytes == sample->file_bytes;
  for (uint64_t i = 0; i < sample->bytes; i++)
    lines += sample->head[i] == '\n';
  return scale_up(lines, sample->bytes, sample->file_bytes);
}

uint64_t qn_expect_words(const struct qn_read_options *options, const char *sample, uint64_t bytes,
                         uint64_t file_bytes) {
  (void)options;
  uint64_t words = 0;
  for (uint64_t i = 0; i < bytes; i++)
    words += sample[i] > ' ' && (i == 0 || sample[i - 1] <= ' ');
  return scale_up(words, bytes, file_bytes);
}

/* On average. */
static bool has_third_column(const struct sample *sample) {
  uint64_t words = 0, lines = 1;
  for (uint64_t i = 0; i < sample->bytes; i++) {
    bool inside = sample->head[i] > ' ' && sample->head[i] != ',';
    bool before = i > 0 && sample->head[i - 1] > ' ' && sample->head[i - 1] != ',';
    words += inside && !before;
    lines += sample->head[i] == '\n';
  }
  return 2 * words > 5 * lines;
}

/* Text and binary formats with headers are not looked into: they may hold wide weights, as few do.
 */
static void expect_weights(const struct qn_read_options *options, bool weighted,
                           struct qn_expected_edges *edges) {
  bool record = options->record.ids != QN_RECORD_UNKNOWN;
  unsigned bytes = record ? qn_weight_bytes(options->record.weight) : 4, most = record ? bytes : 8;
  if (!weighted || options->weights == QN_WEIGHTS_NONE)
    return;
  if (options->weights == QN_WEIGHTS_U32 || options->weights == QN_WEIGHTS_F32)
    bytes = most = record ? bytes : 4;
  edges->weight_bytes = bytes > edges->weight_bytes ? bytes : edges->weight_bytes;
  edges->most_weight_bytes = most > edges->most_weight_bytes ? most : edges->most_weight_bytes;
}

/* Of an input that is no such file nothing is known. */
static bool expect_file(const char *path, const char *format, const struct qn_read_options *options,
                        struct sample *sample, struct qn_expected_edges *edges) {
  if (!take_sample(path, sample) || qn_archive_recognise(sample->head, sample->bytes))
    return false;
  const struct qn_reader *reader = find_reader(sample, format, options);
  bool text = !memchr(sample->head, '\0', sample->bytes);
  if (!reader || (!text && !reader->estimate))
    return false;
  uint64_t count = reader->estimate
                       ? reader->estimate(options, sample->head, sample->bytes, sample->file_bytes)
                       : expect_lines(sample);
  edges->num_edges += count;
  edges->file_bytes += sample->file_bytes;
  expect_weights(options, !text || has_third_column(sample), edges);
  edges->most_edges += text ? sample->file_bytes / 2 + 1 : count;
  edges->seconds_to_read +=
      (double)sample->file_bytes / (text ? TEXT_BYTES_PER_SECOND : BINARY_BYTES_PER_SECOND);
  return true;
}

enum qn_status qn_inputs_expect(char *const *paths, int num_paths, const char *format,
                                const struct qn_read_options *options,
                                struct qn_expected_edges *out, struct qn_error *error) {
  struct qn_expected_edges edges = {0};
  struct sample *sample;
  enum qn_status status = qn_alloc(&sample, 1, sizeof *sample, "a sample", error);
  if (status)
    return status;
  for (int i = 0; i < num_paths && !edges.unknown; i++)
    edges.unknown = !expect_file(paths[i], format, options, sample, &edges);
  qn_free(sample);
  edges.num_vertices = edges.num_edges / 8;
  expect_weights(options, edges.unknown, &edges);
  *out = edges;
  return QN_OK;
}
