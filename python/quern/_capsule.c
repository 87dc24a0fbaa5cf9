/* What ctypes cannot do soundly: give back what a consumer of Arrow's C interface or of DLPack
 * held. That happens on any thread, in the middle of raising an exception, or when the interpreter
 * has ended, and none of these is a place to run Python code. And what it does too slowly: single
 * look-ups.
 *
 * The functions of Python are of its stable ABI, and declared here: no header of Python is needed,
 * and one build serves every version. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct _object PyObject;
extern char _Py_NoneStruct[];
int Py_IsInitialized(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
int PyGILState_Ensure(void);
void PyGILState_Release(int state);
PyObject *PyCapsule_New(void *pointer, const char *name, void (*destructor)(PyObject *));
void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
int PyCapsule_IsValid(PyObject *capsule, const char *name);
PyObject *PyErr_NoMemory(void);
PyObject *PyErr_Occurred(void);
void PyErr_Clear(void);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *number);
PyObject *PyLong_FromLongLong(long long number);
PyObject *PyBytes_FromStringAndSize(const char *bytes, ssize_t count);
char *PyBytes_AsString(PyObject *bytes);
typedef struct {
  const char *name;
  PyObject *(*function)(PyObject *self, PyObject *argument);
  int flags;
  const char *text;
} PyMethodDef;
enum { METH_O = 8 }; /* it takes one argument */
PyObject *PyCFunction_NewEx(PyMethodDef *method, PyObject *self, PyObject *module);

struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data; /* here and below: a reference to the Python object that keeps all of it */
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

static void drop(PyObject *owner) {
  if (!Py_IsInitialized())
    return; /* all of Python's memory is gone or going */
  int state = PyGILState_Ensure();
  Py_DecRef(owner);
  PyGILState_Release(state);
}

/* Children that somebody has moved out of their parent have no release in it any more. */
__attribute__((visibility("default"))) void quern_release_schema(struct ArrowSchema *schema) {
  for (int64_t i = 0; i < schema->n_children; i++)
    if (schema->children[i]->release)
      schema->children[i]->release(schema->children[i]);
  schema->release = NULL;
  drop(schema->private_data);
}

__attribute__((visibility("default"))) void quern_release_array(struct ArrowArray *array) {
  for (int64_t i = 0; i < array->n_children; i++)
    if (array->children[i]->release)
      array->children[i]->release(array->children[i]);
  array->release = NULL;
  drop(array->private_data);
}

__attribute__((visibility("default"))) void quern_release_stream(struct ArrowArrayStream *stream) {
  stream->release = NULL;
  drop(stream->private_data);
}

static const char schema_name[] = "arrow_schema";
static const char stream_name[] = "arrow_array_stream";

/* A capsule that nobody has taken the struct out of gives it back. */
static void destroy_schema(PyObject *capsule) {
  struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, schema_name);
  if (schema->release)
    schema->release(schema);
  free(schema);
}

/* A capsule of a schema, which is moved into it. */
__attribute__((visibility("default"))) PyObject *
quern_schema_capsule(const struct ArrowSchema *schema) {
  struct ArrowSchema *moved = malloc(sizeof *moved);
  if (!moved)
    return PyErr_NoMemory();
  *moved = *schema;
  return PyCapsule_New(moved, schema_name, destroy_schema);
}

static void destroy(PyObject *capsule) {
  struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, stream_name);
  if (stream->release)
    stream->release(stream);
  free(stream);
}

/* A capsule of a stream, which is moved into it. */
__attribute__((visibility("default"))) PyObject *
quern_stream_capsule(const struct ArrowArrayStream *stream) {
  struct ArrowArrayStream *moved = malloc(sizeof *moved);
  if (!moved)
    return PyErr_NoMemory();
  *moved = *stream;
  return PyCapsule_New(moved, stream_name, destroy);
}

/* DLPack, as its page describes it (version 0 of the protocol). */
struct dl_tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t dimensions;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } element;
  int64_t *shape, *strides;
  uint64_t offset;
};

struct dl_managed {
  struct dl_tensor tensor;
  void *context; /* a reference to the Python object that keeps the data */
  void (*release)(struct dl_managed *);
  int64_t count;
};

static const char tensor_name[] = "dltensor";

static void release_tensor(struct dl_managed *managed) {
  drop(managed->context);
  free(managed);
}

/* One that was taken is called otherwise, and whoever took it releases it. */
static void destroy_tensor(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, tensor_name))
    release_tensor(PyCapsule_GetPointer(capsule, tensor_name));
}

/* A capsule of a vector on a device of CUDA. `code` is DLPack's: 1 unsigned, 2 float. */
__attribute__((visibility("default"))) PyObject *
quern_tensor_capsule(void *data, int device, int code, int bits, int64_t count, PyObject *owner) {
  struct dl_managed *managed = malloc(sizeof *managed);
  if (!managed)
    return PyErr_NoMemory();
  *managed = (struct dl_managed){
      .tensor = {.data = data,
                 .device = {2, device},
                 .dimensions = 1,
                 .element = {(uint8_t)code, (uint8_t)bits, 1}},
      .context = owner,
      .release = release_tensor,
      .count = count,
  };
  managed->tensor.shape = &managed->count;
  PyObject *capsule = PyCapsule_New(managed, tensor_name, destroy_tensor);
  if (capsule)
    Py_IncRef(owner);
  else
    free(managed);
  return capsule;
}

/* ---- Ids ------------------------------------------------------------------- */

/* The place of a number in an ascending array; -1 if it is not there. */
__attribute__((visibility("default"))) int64_t quern_find_number(const uint64_t *numbers,
                                                                 uint64_t count, uint64_t number) {
  uint64_t first = 0;
  for (uint64_t left = count; left > 0;) {
    const uint64_t half = left / 2;
    const uint64_t below = numbers[first + half] < number;
    first += below ? half + 1 : 0;
    left = below ? left - half - 1 : half;
  }
  return first < count && numbers[first] == number ? (int64_t)first : -1;
}

/* The same of texts that ascend by their bytes. The offsets have been checked. */
__attribute__((visibility("default"))) int64_t quern_find_text(const uint64_t *offsets,
                                                               const char *bytes, uint64_t count,
                                                               const char *text, uint64_t length) {
  uint64_t first = 0, end = count;
  while (first < end) {
    const uint64_t middle = first + (end - first) / 2;
    const uint64_t there = offsets[middle + 1] - offsets[middle];
    int order = memcmp(bytes + offsets[middle], text, there < length ? there : length);
    order = order ? order : (there > length) - (there < length);
    if (order == 0)
      return (int64_t)middle;
    if (order < 0)
      first = middle + 1;
    else
      end = middle;
  }
  return -1;
}

/* Add to each of `sums` the number that its vertex has in `numbers`. Called without the
 * interpreter's lock. */
__attribute__((visibility("default"))) void quern_add_at(const uint64_t *numbers,
                                                         uint64_t num_vertices,
                                                         const uint32_t *vertices, uint64_t count,
                                                         uint64_t *sums) {
  for (uint64_t i = 0; i < count; i++)
    sums[i] += vertices[i] < num_vertices ? numbers[vertices[i]] : 0;
}

/* ---- Look-ups by functions of Python's ------------------------------------- */

/* ctypes takes half a microsecond for a call, which is what a look-up may take. */

struct lookup {
  const uint64_t *numbers; /* ids, ascending: [num_vertices] */
  uint64_t num_vertices;
  const uint64_t *offsets; /* rows: [num_vertices + 1] and [num_edges]; NULL: only ids are found */
  const uint32_t *columns;
  uint64_t num_edges;
};

static const char lookup_name[] = "quern_lookup";

static void destroy_lookup(PyObject *capsule) {
  free(PyCapsule_GetPointer(capsule, lookup_name));
}

/* The vertex that an int calls; -1 if it calls none. */
static int64_t vertex_of(const struct lookup *lookup, PyObject *id) {
  const uint64_t number = PyLong_AsUnsignedLongLong(id);
  if (number == UINT64_MAX && PyErr_Occurred()) { /* it is negative, or too large */
    PyErr_Clear();
    return -1;
  }
  return quern_find_number(lookup->numbers, lookup->num_vertices, number);
}

static PyObject *find(PyObject *capsule, PyObject *id) {
  return PyLong_FromLongLong(vertex_of(PyCapsule_GetPointer(capsule, lookup_name), id));
}

static PyObject *none(void) {
  PyObject *nothing = (PyObject *)_Py_NoneStruct;
  Py_IncRef(nothing);
  return nothing;
}

/* The ids of the vertices that the row of an int has, as bytes of uint64. None if it calls no
 * vertex, or if the row or a column does not lie within the graph: whoever asked finds out which.
 */
static PyObject *neighbors(PyObject *capsule, PyObject *id) {
  const struct lookup *lookup = PyCapsule_GetPointer(capsule, lookup_name);
  const int64_t vertex = vertex_of(lookup, id);
  const uint64_t first = vertex < 0 ? 1 : lookup->offsets[vertex];
  const uint64_t end = vertex < 0 ? 0 : lookup->offsets[vertex + 1];
  if (first > end || end > lookup->num_edges) {
    return none();
  }
  PyObject *ids = PyBytes_FromStringAndSize(NULL, (ssize_t)((end - first) * sizeof(uint64_t)));
  char *to = ids ? PyBytes_AsString(ids) : NULL;
  for (uint64_t e = first; to && e < end; e++, to += sizeof(uint64_t)) {
    const uint32_t column = lookup->columns[e];
    if (column >= lookup->num_vertices) {
      Py_DecRef(ids);
      return none();
    }
    memcpy(to, &lookup->numbers[column], sizeof(uint64_t));
  }
  return ids;
}

/* A function of an int, of all these arrays, which somebody else keeps: `find`, or with rows
 * `neighbors`. */
__attribute__((visibility("default"))) PyObject *
quern_lookup(const uint64_t *numbers, uint64_t num_vertices, const uint64_t *offsets,
             const uint32_t *columns, uint64_t num_edges) {
  static PyMethodDef methods[] = {{"find", find, METH_O, NULL},
                                  {"neighbors", neighbors, METH_O, NULL}};
  struct lookup *lookup = malloc(sizeof *lookup);
  if (!lookup)
    return PyErr_NoMemory();
  *lookup = (struct lookup){numbers, num_vertices, offsets, columns, num_edges};
  PyObject *capsule = PyCapsule_New(lookup, lookup_name, destroy_lookup);
  if (!capsule) {
    free(lookup);
    return NULL;
  }
  PyObject *function = PyCFunction_NewEx(&methods[offsets != NULL], capsule, NULL);
  Py_DecRef(capsule);
  return function;
}
