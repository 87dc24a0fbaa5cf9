#include "converters/properties/arrays.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/arrays/hdf5_file.h"
#include "formats/arrays/npy_array.h"
#include "support/context.h"
#include "support/memory.h"

/* ---- Options ---------------------------------------------------------------------- */

static enum qn_status add_choice(struct qn_array_options *options, const char *text, bool of_edges,
                                 struct qn_error *error) {
  const char *equals = strchr(text, '=');
  const uint64_t length = equals ? (uint64_t)(equals - text) : 0;
  if (!equals || !equals[1])
    return qn_fail(error, QN_USAGE, "write NAME=FILE, such as x=features.npy");
  if (!qn_property_is_name(text, length))
    return qn_fail(error, QN_USAGE,
                   "a property is called by 1 to %d bytes of UTF-8 without control characters",
                   QN_PROPERTY_NAME_BYTES);
  enum qn_status status = qn_realloc(&options->arrays, (uint64_t)options->count + 1,
                                     sizeof *options->arrays, "arrays", error);
  if (status)
    return status;
  struct qn_array_choice *choice = &options->arrays[options->count++];
  *choice = (struct qn_array_choice){.of_edges = of_edges, .file = equals + 1};
  memcpy(choice->name, text, length);
  return QN_OK;
}

static enum qn_status add_vertices(void *options, const char *text, struct qn_error *error) {
  return add_choice(options, text, false, error);
}

static enum qn_status add_edges(void *options, const char *text, struct qn_error *error) {
  return add_choice(options, text, true, error);
}

const struct qn_setting qn_array_settings[] = {
    {"vertex-array", QN_SETTING_OWN, .set = add_vertices, .argument = "NAME=FILE",
     .group = QN_ARRAYS_GROUP,
     .help = "Add a property of vertices: a NumPy array (X.npy, or X.npz:MEMBER.npy) or one of "
             "HDF5 (X.h5:/ARRAY) with a row for each vertex, in their order; rows may be vectors"},
    {"edge-array", QN_SETTING_OWN, .set = add_edges, .argument = "NAME=FILE",
     .group = QN_ARRAYS_GROUP,
     .help = "The same of a directed graph's edges, by source, then by destination"},
    {0}};

void qn_array_options_release(struct qn_array_options *options) {
  qn_free(options->arrays);
  *options = (struct qn_array_options){0};
}

/* ---- Reading ---------------------------------------------------------------------- */

/* An array while it is used, by what it came from. */
struct source {
  struct qn_input *input;
  struct qn_whole_input whole;
  struct qn_hdf5 *hdf5;
  char *file; /* of HDF5 */
  void *copy; /* of numbers that lie askew */
  uint64_t copied;
};

struct attaching {
  const struct qn_array_options *options;
  const struct qn_container *container;
  struct source *sources; /* [options->count] */
};

static void close_source(struct source *source) {
  qn_hdf5_close(source->hdf5);
  qn_whole_input_release(&source->whole);
  qn_input_close(source->input);
  qn_pages_free(source->copy, source->copied, 1);
  qn_free(source->file);
}

static enum qn_status type_of(const struct qn_array_choice *choice, char kind, unsigned width,
                              uint64_t dimension, enum qn_property_type *type,
                              struct qn_error *error) {
  static const struct {
    char kind;
    unsigned width;
    enum qn_property_type type;
  } types[] = {{'u', 1, QN_PROPERTY_U8},  {'u', 2, QN_PROPERTY_U16}, {'u', 4, QN_PROPERTY_U32},
               {'u', 8, QN_PROPERTY_U64}, {'i', 1, QN_PROPERTY_I8},  {'i', 2, QN_PROPERTY_I16},
               {'i', 4, QN_PROPERTY_I32}, {'i', 8, QN_PROPERTY_I64}, {'f', 2, QN_PROPERTY_F16},
               {'f', 4, QN_PROPERTY_F32}, {'f', 8, QN_PROPERTY_F64}, {'b', 1, QN_PROPERTY_BOOL}};
  *type = (enum qn_property_type)0;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].kind == kind && types[i].width == width)
      *type = types[i].type;
  if (!*type)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the array for '%s' is of no numbers or truth values: astype('f4') and the like "
                   "make them; texts and dates come in by tables",
                   choice->name);
  if (dimension == 0)
    return QN_OK;
  if (dimension > QN_PROPERTY_MOST_DIMENSION || *type == QN_PROPERTY_BOOL)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the array for '%s' has rows of %" PRIu64 " %s; vectors have 1 to %d numbers",
                   choice->name, dimension, *type == QN_PROPERTY_BOOL ? "truth values" : "numbers",
                   QN_PROPERTY_MOST_DIMENSION);
  *type = QN_PROPERTY_VECTOR(*type, dimension);
  return QN_OK;
}

/* How many rows there have to be. */
static uint64_t rows_of(const struct attaching *attaching, const struct qn_array_choice *choice) {
  const struct qn_container_info *info = qn_container_info(attaching->container);
  return choice->of_edges ? info->num_edges : info->num_vertices;
}

static enum qn_status check_rows(const struct attaching *attaching,
                                 const struct qn_array_choice *choice, unsigned dimensions,
                                 uint64_t rows, struct qn_error *error) {
  const uint64_t wanted = rows_of(attaching, choice);
  if (dimensions < 1 || dimensions > 2)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the array for '%s' has %u dimensions; a property has one, and one of vectors "
                   "two: reshape(%" PRIu64 ", -1)",
                   choice->name, dimensions, wanted);
  return rows == wanted
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "the array for '%s' has %" PRIu64 " rows, and the graph %" PRIu64 " %s",
                       choice->name, rows, wanted, choice->of_edges ? "edges" : "vertices");
}

/* P-9. */
static enum qn_status check_truth(const struct qn_property *column, struct qn_error *error) {
  const uint8_t *values = column->values;
  for (uint64_t i = 0; column->type == QN_PROPERTY_BOOL && i < column->count; i++)
    if (values[i] > 1)
      return qn_fail(error, QN_INVALID, "truth value %" PRIu64 " of '%s' is neither 0 nor 1", i,
                     column->name);
  return QN_OK;
}

/* The values, `width` bytes each, in `data`: where they lie, if numbers can be read there. */
static enum qn_status take_values(struct source *source, const char *data, uint64_t bytes,
                                  unsigned width, struct qn_property *column,
                                  struct qn_error *error) {
  column->values = data;
  if ((uintptr_t)data % width == 0)
    return check_truth(column, error);
  source->copied = bytes;
  enum qn_status status = qn_pages_alloc(&source->copy, bytes, 1, "an array", error);
  if (status)
    return status;
  memcpy(source->copy, data, bytes);
  column->values = source->copy;
  return check_truth(column, error);
}

static enum qn_status read_npy(const struct attaching *attaching,
                               const struct qn_array_choice *choice, struct source *source,
                               struct qn_property *column, struct qn_error *error) {
  struct qn_npy npy;
  enum qn_status status = qn_input_open(choice->file, &QN_INPUT_DEFAULTS, &source->input, error);
  if (!status)
    status = qn_whole_input_take(source->input, &source->whole, error);
  if (!status)
    status = qn_npy_parse(source->whole.data, source->whole.bytes, choice->file, &npy, error);
  if (!status)
    status = check_rows(attaching, choice, npy.dimensions, npy.shape[0], error);
  if (!status)
    status = type_of(choice, npy.type, npy.width, npy.dimensions == 2 ? npy.shape[1] : 0,
                     &column->type, error);
  if (!status && npy.dimensions == 2 && npy.shape[1] == 0)
    status = qn_fail(error, QN_UNSUPPORTED, "the vectors for '%s' have no numbers", choice->name);
  if (!status && npy.fortran_order && npy.dimensions == 2)
    status = qn_fail(error, QN_UNSUPPORTED,
                     "the array for '%s' lies column by column: numpy.ascontiguousarray makes rows",
                     choice->name);
  if (!status && npy.big_endian && npy.width > 1)
    status = qn_fail(error, QN_UNSUPPORTED,
                     "the array for '%s' is big-endian: astype('<%c%u') makes it little-endian",
                     choice->name, npy.type, npy.width);
  return status ? status
                : take_values(source, npy.data, npy.count * npy.width, npy.width, column, error);
}

/* ---- HDF5 ------------------------------------------------------------------------- */

static bool is_hdf5(const char *path) {
  char head[8];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool found = file >= 0 && pread(file, head, sizeof head, 0) == (ssize_t)sizeof head &&
                     memcmp(head, QN_HDF5_SIGNATURE, sizeof head) == 0;
  if (file >= 0)
    close(file);
  return found;
}

/* "FILE:/ARRAY" of a file of HDF5: where the array is called, and source->file. NULL: it is none.
 */
static const char *cut_hdf5(const struct qn_array_choice *choice, struct source *source) {
  for (const char *colon = strchr(choice->file, ':'); colon; colon = strchr(colon + 1, ':')) {
    source->file = strndup(choice->file, (size_t)(colon - choice->file));
    if (source->file && colon[1] && is_hdf5(source->file))
      return colon + 1;
    qn_free(source->file);
    source->file = NULL;
  }
  return NULL;
}

static enum qn_status read_hdf5(const struct attaching *attaching,
                                const struct qn_array_choice *choice, const char *name,
                                struct source *source, struct qn_property *column,
                                struct qn_error *error) {
  static const char kinds[] = {
      [QN_NUMBERS_UNSIGNED] = 'u', [QN_NUMBERS_SIGNED] = 'i', [QN_NUMBERS_REAL] = 'f'};
  struct qn_hdf5_shape shape;
  struct qn_number_array array = {0};
  enum qn_status status =
      qn_hdf5_open(source->file, &source->whole, UINT64_MAX, &source->hdf5, error);
  if (!status)
    status = qn_hdf5_shape_of(source->hdf5, name, &shape, error);
  if (!status)
    status = check_rows(attaching, choice, shape.dimensions, shape.extents[0], error);
  if (!status)
    status = type_of(choice, kinds[shape.kind], shape.width,
                     shape.dimensions == 2 ? shape.extents[1] : 0, &column->type, error);
  if (!status && shape.dimensions == 2 && shape.extents[1] == 0)
    status = qn_fail(error, QN_UNSUPPORTED, "the vectors for '%s' have no numbers", choice->name);
  if (!status)
    status = qn_hdf5_read(source->hdf5, name, 2, &array, error);
  return status ? status
                : take_values(source, array.data, array.count * array.width, array.width, column,
                              error);
}

static enum qn_status read_array(struct attaching *attaching, uint32_t index,
                                 struct qn_property *column, struct qn_error *error) {
  const struct qn_array_choice *choice = &attaching->options->arrays[index];
  struct source *source = &attaching->sources[index];
  const char *in_hdf5 = cut_hdf5(choice, source);
  *column = (struct qn_property){.count = rows_of(attaching, choice)};
  memcpy(column->name, choice->name, sizeof column->name);
  enum qn_status status = in_hdf5 ? read_hdf5(attaching, choice, in_hdf5, source, column, error)
                                  : read_npy(attaching, choice, source, column, error);
  return status && !error->file[0] ? qn_error_in_file(error, choice->file) : status;
}

/* ---- The whole -------------------------------------------------------------------- */

/* Room for the columns of both tables and the arrays. */
static enum qn_status make_room(const struct attaching *attaching, struct qn_properties *own,
                                struct qn_properties *with, struct qn_error *error) {
  struct qn_property_table *tables[] = {&with->of_vertices, &with->of_edges};
  const struct qn_property_table *from[] = {&own->of_vertices, &own->of_edges};
  enum qn_status status = QN_OK;
  *with = (struct qn_properties){0};
  memcpy(with->weight, own->weight, sizeof with->weight);
  for (unsigned i = 0; !status && i < 2; i++) {
    status =
        qn_alloc_zeroed(&tables[i]->columns, (uint64_t)from[i]->count + attaching->options->count,
                        sizeof *tables[i]->columns, "properties", error);
    if (!status && from[i]->count)
      memcpy(tables[i]->columns, from[i]->columns, from[i]->count * sizeof *tables[i]->columns);
    tables[i]->count = status ? 0 : from[i]->count;
  }
  return status;
}

static enum qn_status add_arrays(struct attaching *attaching, struct qn_properties *with,
                                 struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(attaching->container);
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < attaching->options->count; i++) {
    const struct qn_array_choice *choice = &attaching->options->arrays[i];
    struct qn_property_table *table = choice->of_edges ? &with->of_edges : &with->of_vertices;
    if (qn_property_find(table, choice->name))
      return qn_fail(error, QN_USAGE, "there is a property '%s' of %s already", choice->name,
                     choice->of_edges ? "edges" : "vertices");
    if (choice->of_edges && info->directedness == QN_UNDIRECTED)
      return qn_fail(error, QN_UNSUPPORTED,
                     "an undirected edge is stored twice, and an array has it once: import the "
                     "edges with --properties");
    status = read_array(attaching, i, &table->columns[table->count], error);
    table->count += !status;
  }
  return status;
}

static enum qn_status write_file(const struct attaching *attaching,
                                 const struct qn_properties *with, const char *path, bool replace,
                                 struct qn_container **out, struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = qn_writer_create(path, replace, &writer, error);
  if (status)
    return status;
  status = qn_properties_attach(attaching->container, with, NULL, NULL, NULL, writer, error);
  if (!status)
    status = qn_context_check(error);
  return qn_writer_end(writer, status, path, out, error);
}

enum qn_status qn_arrays_attach(const struct qn_array_options *options,
                                const struct qn_container *container, const char *path,
                                bool replace, struct qn_container **out, struct qn_error *error) {
  struct attaching attaching = {.options = options, .container = container};
  struct qn_properties own = {0}, with = {0};
  enum qn_status status = qn_alloc_zeroed(&attaching.sources, options->count,
                                          sizeof *attaching.sources, "arrays", error);
  if (!status)
    status = qn_properties_view(container, &own, error);
  if (!status)
    status = qn_container_verify(container, error);
  if (!status)
    status = qn_properties_check(container, &own, error);
  if (!status)
    status = make_room(&attaching, &own, &with, error);
  if (!status)
    status = add_arrays(&attaching, &with, error);
  if (!status)
    status = write_file(&attaching, &with, path, replace, out, error);
  for (uint32_t i = 0; attaching.sources && i < options->count; i++)
    close_source(&attaching.sources[i]);
  qn_free(attaching.sources);
  qn_free(with.of_vertices.columns);
  qn_free(with.of_edges.columns);
  qn_properties_release(&own);
  return status;
}
