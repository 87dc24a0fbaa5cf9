#include "converters/arrays/hdf5_file.h"

#ifdef QN_HAS_HDF5
#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/checked.h"
#include "support/memory.h"
#include "support/progress.h"

#define MAX_ARRAYS 8
#define MAX_TEXT_BYTES ((uint64_t)1 << 20)
#define BLOCK_BYTES ((uint64_t)1 << 20)

struct qn_hdf5 {
  const char *name;
  hid_t file;
  int descriptor; /* of a file being made, else -1 */
  uint64_t room;  /* bytes that arrays may still take */
  unsigned num_arrays;
  struct {
    void *data;
    uint64_t bytes;
  } arrays[MAX_ARRAYS];
};

static enum qn_status refuse(const struct qn_hdf5 *file, struct qn_error *error, const char *format,
                             const char *name) {
  qn_fail(error, QN_INVALID, format, name);
  return qn_error_in_file(error, file->name), QN_INVALID;
}

/* ---- Reading -------------------------------------------------------------- */

static enum qn_status create(const char *name, struct qn_hdf5 **out, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "an HDF5 file", error);
  if (status)
    return status;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its own messages are for programmers */
  (*out)->name = name;
  (*out)->file = H5I_INVALID_HID;
  (*out)->descriptor = -1;
  return QN_OK;
}

enum qn_status qn_hdf5_open(const char *name, const struct qn_whole_input *whole,
                            uint64_t max_bytes, struct qn_hdf5 **out, struct qn_error *error) {
  enum qn_status status = create(name, out, error);
  if (status)
    return status;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  (*out)->room = max_bytes;
  if (whole->owned) {
    H5Pset_fapl_core(access, BLOCK_BYTES, 0);
    H5Pset_file_image(access, (void *)whole->data, whole->bytes);
  }
  /* A file in memory must not have the name of another. */
  (*out)->file = H5Fopen(whole->owned ? "/unpacked input" : name, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if ((*out)->file >= 0)
    return QN_OK;
  status = refuse(*out, error, "%s", "damaged or truncated: libhdf5 cannot open it");
  qn_hdf5_close(*out);
  *out = NULL;
  return status;
}

void qn_hdf5_close(struct qn_hdf5 *file) {
  if (!file)
    return;
  for (unsigned i = 0; i < file->num_arrays; i++)
    qn_pages_free(file->arrays[i].data, file->arrays[i].bytes, 1);
  if (file->file >= 0)
    H5Fclose(file->file);
  if (file->descriptor >= 0)
    close(file->descriptor);
  qn_free(file);
}

/* Text of a fixed or of a variable length. */
static enum qn_status read_text(const struct qn_hdf5 *file, hid_t attribute, hid_t type,
                                char **text, struct qn_error *error) {
  bool variable = H5Tis_variable_str(type) > 0;
  uint64_t bytes = H5Tget_size(type);
  char *content = NULL;
  if (!variable && bytes > MAX_TEXT_BYTES)
    return refuse(file, error, "%s", "an attribute is longer than 1 MiB");
  if (variable) {
    hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    herr_t failed = H5Aread(attribute, memory, &content);
    H5Tclose(memory);
    if (failed < 0 || !content)
      return refuse(file, error, "%s", "an attribute cannot be read");
    bytes = strnlen(content, MAX_TEXT_BYTES);
  }
  enum qn_status status = qn_alloc_zeroed(text, bytes + 1, 1, "an attribute", error);
  if (!status && variable)
    memcpy(*text, content, bytes);
  else if (!status && H5Aread(attribute, type, *text) < 0)
    status = refuse(file, error, "%s", "an attribute cannot be read");
  if (content)
    H5free_memory(content);
  return status;
}

enum qn_status qn_hdf5_text(struct qn_hdf5 *file, const char *name, char **text,
                            struct qn_error *error) {
  *text = NULL;
  if (H5Aexists(file->file, name) <= 0)
    return QN_OK;
  hid_t attribute = H5Aopen(file->file, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  enum qn_status status =
      H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1
          ? read_text(file, attribute, type, text, error)
          : refuse(file, error, "the attribute '%s' is not text", name);
  if (status) {
    qn_free(*text);
    *text = NULL;
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return status;
}

/* The type of our own that holds such numbers; negative if there is none. */
static hid_t memory_type(enum qn_number_class kind, unsigned width) {
  hid_t whole[2][4] = {{H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64},
                       {H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64}};
  unsigned log = width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4;
  if (log > 3 || (kind == QN_NUMBERS_REAL && log < 2))
    return H5I_INVALID_HID;
  if (kind == QN_NUMBERS_REAL)
    return log == 2 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  return whole[kind == QN_NUMBERS_SIGNED][log];
}

static bool describe(hid_t type, struct qn_number_array *array) {
  H5T_class_t class = H5Tget_class(type);
  array->width = (unsigned)H5Tget_size(type);
  array->kind = class == H5T_FLOAT               ? QN_NUMBERS_REAL
                : H5Tget_sign(type) == H5T_SGN_2 ? QN_NUMBERS_SIGNED
                                                 : QN_NUMBERS_UNSIGNED;
  array->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  return (class == H5T_FLOAT || class == H5T_INTEGER) &&
         memory_type(array->kind, array->width) >= 0;
}

/* Are there as many bytes as numbers take? libhdf5 reads an array that lies in its header as if
 * there were. Chunks and contiguous arrays that were not written have fill values. */
static bool is_stored_whole(hid_t set, uint64_t bytes) {
  hid_t properties = H5Dget_create_plist(set);
  H5D_layout_t layout = H5Pget_layout(properties);
  uint64_t stored = H5Dget_storage_size(set);
  H5Pclose(properties);
  return layout == H5D_CHUNKED || (layout == H5D_CONTIGUOUS && stored == 0) || stored >= bytes;
}

static enum qn_status read_data(struct qn_hdf5 *file, const char *name, hid_t set, hid_t space,
                                unsigned most_dimensions, struct qn_number_array *array,
                                struct qn_error *error) {
  const int dimensions = H5Sget_simple_extent_ndims(space);
  uint64_t bytes;
  void *data;
  if (dimensions < 1 || dimensions > (int)most_dimensions)
    return refuse(file, error,
                  most_dimensions > 1 ? "'%s' is not an array of one or two dimensions"
                                      : "'%s' is not a one-dimensional array",
                  name);
  array->count = (uint64_t)H5Sget_simple_extent_npoints(space);
  if (!qn_mul_u64(array->count, array->width, &bytes) || bytes > file->room)
    return refuse(file, error,
                  "'%s' and those before it are larger than the file justifies; raise "
                  "--max-expansion to accept them",
                  name);
  if (!is_stored_whole(set, bytes))
    return refuse(file, error, "'%s' is damaged: it has fewer bytes than its numbers take", name);
  enum qn_status status = qn_pages_alloc(&data, bytes + 1, 1, "an array", error);
  if (status)
    return status;
  file->room -= bytes;
  file->arrays[file->num_arrays].data = data;
  file->arrays[file->num_arrays++].bytes = bytes + 1;
  array->data = data;
  if (array->count &&
      H5Dread(set, memory_type(array->kind, array->width), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    return refuse(file, error, "'%s' is damaged or truncated: libhdf5 cannot read it", name);
  return QN_OK;
}

enum qn_status qn_hdf5_shape_of(struct qn_hdf5 *file, const char *name, struct qn_hdf5_shape *shape,
                                struct qn_error *error) {
  hsize_t extents[H5S_MAX_RANK];
  struct qn_number_array array = {.name = name};
  *shape = (struct qn_hdf5_shape){0};
  const hid_t set = H5Dopen2(file->file, name, H5P_DEFAULT);
  if (set < 0)
    return refuse(file, error, "the array '%s' is missing", name);
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  const int dimensions = H5Sget_simple_extent_dims(space, extents, NULL);
  const enum qn_status status =
      describe(type, &array) && dimensions >= 0
          ? QN_OK
          : refuse(file, error, "'%s' holds no numbers that are known", name);
  shape->kind = array.kind;
  shape->width = array.width;
  shape->dimensions = dimensions < 0 ? 0 : (unsigned)dimensions;
  for (int i = 0; i < dimensions && i < 2; i++)
    shape->extents[i] = extents[i];
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
  return status;
}

enum qn_status qn_hdf5_read(struct qn_hdf5 *file, const char *name, unsigned most_dimensions,
                            struct qn_number_array *array, struct qn_error *error) {
  *array = (struct qn_number_array){.name = name};
  if (file->num_arrays == MAX_ARRAYS || H5Lexists(file->file, name, H5P_DEFAULT) <= 0)
    return QN_OK;
  hid_t set = H5Dopen2(file->file, name, H5P_DEFAULT);
  if (set < 0)
    return refuse(file, error, "'%s' is not an array", name);
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  enum qn_status status = describe(type, array)
                              ? read_data(file, name, set, space, most_dimensions, array, error)
                              : refuse(file, error, "'%s' holds no numbers", name);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
  return status;
}

/* ---- Writing -------------------------------------------------------------- */

static const char *temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

static enum qn_status fail_write(struct qn_error *error) {
  return qn_fail(error, QN_SYSTEM, "libhdf5 cannot write to temporary disk space in %s",
                 temporary_folder());
}

enum qn_status qn_hdf5_create(struct qn_hdf5 **out, struct qn_error *error) {
  char path[4096];
  enum qn_status status = create("", out, error);
  if (status)
    return status;
  snprintf(path, sizeof path, "%s/quern-hdf5-XXXXXX", temporary_folder());
  (*out)->descriptor = mkostemp(path, O_CLOEXEC);
  if ((*out)->descriptor < 0) {
    status = qn_fail_errno(error, "cannot make a temporary file");
    qn_error_in_file(error, path);
  } else {
    (*out)->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    /* libhdf5 wants the real name of what it opens, so that files without one (temp_file.h) will
     * not do, but not to keep it. */
    unlink(path);
    status = (*out)->file < 0 ? fail_write(error) : QN_OK;
  }
  if (status) {
    qn_hdf5_close(*out);
    *out = NULL;
  }
  return status;
}

enum qn_status qn_hdf5_put_text(struct qn_hdf5 *file, const char *name, const char *text,
                                struct qn_error *error) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text) + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(file->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool written = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  if (attribute >= 0)
    H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return written ? QN_OK : fail_write(error);
}

/* Little-endian in the file. */
static hid_t file_type(enum qn_number_class kind, unsigned width) {
  hid_t type = H5Tcopy(memory_type(kind, width));
  H5Tset_order(type, H5T_ORDER_LE);
  return type;
}

static bool put_block(hid_t set, hid_t memory, hid_t space, uint64_t first, uint64_t count,
                      const void *numbers) {
  hsize_t start = first, length = count;
  hid_t block = H5Screate_simple(1, &length, NULL);
  bool written = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
                 H5Dwrite(set, memory, block, space, H5P_DEFAULT, numbers) >= 0;
  H5Sclose(block);
  return written;
}

enum qn_status qn_hdf5_put(struct qn_hdf5 *file, const char *name, enum qn_number_class kind,
                           unsigned width, uint64_t count, qn_hdf5_filler fill, void *context,
                           struct qn_error *error) {
  hsize_t length = count;
  char *numbers;
  enum qn_status status = qn_alloc(&numbers, BLOCK_BYTES, 1, "a block of numbers", error);
  if (status)
    return status;
  hid_t type = file_type(kind, width), space = H5Screate_simple(1, &length, NULL);
  hid_t set = H5Dcreate2(file->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool written = set >= 0;
  for (uint64_t first = 0; first < count && written;) {
    uint64_t some = count - first < BLOCK_BYTES / width ? count - first : BLOCK_BYTES / width;
    fill(context, first, some, numbers);
    written = put_block(set, memory_type(kind, width), space, first, some, numbers);
    qn_progress_add(some * width);
    first += some;
  }
  if (set >= 0)
    H5Dclose(set);
  H5Sclose(space);
  H5Tclose(type);
  qn_free(numbers);
  return written ? QN_OK : fail_write(error);
}

enum qn_status qn_hdf5_give(struct qn_hdf5 *file, struct qn_text_output *output,
                            struct qn_error *error) {
  char *block;
  enum qn_status status = qn_alloc(&block, BLOCK_BYTES, 1, "a block of a file", error);
  if (!status && H5Fclose(file->file) < 0)
    status = fail_write(error);
  file->file = H5I_INVALID_HID;
  for (off_t at = 0; !status;) {
    ssize_t got = pread(file->descriptor, block, BLOCK_BYTES, at);
    if (got < 0)
      status = qn_fail_errno(error, "cannot read a temporary file");
    if (got <= 0)
      break;
    status = qn_text_output_write(output, block, (uint64_t)got, error);
    at += got;
  }
  qn_free(block);
  return status;
}

#else

static enum qn_status fail_missing(struct qn_error *error) {
  return qn_fail(error, QN_UNSUPPORTED,
                 "this build reads and writes no HDF5: install libhdf5-dev and build again");
}

enum qn_status qn_hdf5_open(const char *name, const struct qn_whole_input *whole,
                            uint64_t max_bytes, struct qn_hdf5 **out, struct qn_error *error) {
  (void)whole;
  (void)max_bytes;
  *out = NULL;
  fail_missing(error);
  return qn_error_in_file(error, name), QN_UNSUPPORTED;
}

void qn_hdf5_close(struct qn_hdf5 *file) {
  (void)file;
}

enum qn_status qn_hdf5_create(struct qn_hdf5 **out, struct qn_error *error) {
  *out = NULL;
  return fail_missing(error);
}

/* Without a file there is nothing to call these with. */
enum qn_status qn_hdf5_text(struct qn_hdf5 *file, const char *name, char **text,
                            struct qn_error *error) {
  (void)file;
  (void)name;
  *text = NULL;
  return fail_missing(error);
}

enum qn_status qn_hdf5_shape_of(struct qn_hdf5 *file, const char *name, struct qn_hdf5_shape *shape,
                                struct qn_error *error) {
  (void)file;
  (void)name;
  *shape = (struct qn_hdf5_shape){0};
  return fail_missing(error);
}

enum qn_status qn_hdf5_read(struct qn_hdf5 *file, const char *name, unsigned most_dimensions,
                            struct qn_number_array *array, struct qn_error *error) {
  (void)file;
  (void)most_dimensions;
  *array = (struct qn_number_array){.name = name};
  return fail_missing(error);
}

enum qn_status qn_hdf5_put_text(struct qn_hdf5 *file, const char *name, const char *text,
                                struct qn_error *error) {
  (void)file;
  (void)name;
  (void)text;
  return fail_missing(error);
}

enum qn_status qn_hdf5_put(struct qn_hdf5 *file, const char *name, enum qn_number_class kind,
                           unsigned width, uint64_t count, qn_hdf5_filler fill, void *context,
                           struct qn_error *error) {
  (void)file;
  (void)name;
  (void)kind;
  (void)width;
  (void)count;
  (void)fill;
  (void)context;
  return fail_missing(error);
}

enum qn_status qn_hdf5_give(struct qn_hdf5 *file, struct qn_text_output *output,
                            struct qn_error *error) {
  (void)file;
  (void)output;
  return fail_missing(error);
}
#endif
