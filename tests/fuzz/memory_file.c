/* One file in memory under one name, and small mappings of no file on the heap, where their ends
 * are watched and which costs less. The program is linked so that open, fstat, pread, mmap, munmap,
 * madvise and close of the code under test come here first (--wrap); all other names and
 * descriptors are the system's. Whoever reads behind the file's last page, or its last byte where
 * memory is watched, is caught. */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __has_feature /* clang's */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

#define NAME "the input"
#define DESCRIPTOR 1000000
#define PAGE ((size_t)4096)

static struct {
  uint8_t *pages; /* of the file, at the begin of a page */
  size_t room, size;
} file;

static size_t whole_pages(size_t size) {
  return (size + PAGE - 1) / PAGE * PAGE;
}

const char *fuzz_file(const uint8_t *data, size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(file.pages, file.room);
  if (whole_pages(size) > file.room) {
    free(file.pages);
    file.room = 2 * whole_pages(size);
    file.pages = aligned_alloc(PAGE, file.room);
    if (!file.pages)
      exit(5);
  }
  file.size = size;
  if (size)
    memcpy(file.pages, data, size);
  ASAN_POISON_MEMORY_REGION(file.pages + size, file.room - size);
  return NAME;
}

/* ---- Mappings of no file ---------------------------------------------------- */

#define MOST_HEAP_BYTES ((size_t)300000)
#define MOST_HEAP_MAPS 256

static struct heap_map {
  void *address;
  size_t bytes;
} heap_maps[MOST_HEAP_MAPS];

static struct heap_map *find_heap_map(const void *address) {
  for (unsigned i = 0; i < MOST_HEAP_MAPS; i++)
    if (heap_maps[i].address == address)
      return &heap_maps[i];
  return NULL;
}

/* NULL: the system shall do it. */
static void *map_on_heap(size_t bytes) {
  struct heap_map *map = bytes <= MOST_HEAP_BYTES ? find_heap_map(NULL) : NULL;
  void *address;
  if (!map || posix_memalign(&address, PAGE, bytes))
    return NULL;
  *map = (struct heap_map){memset(address, 0, bytes), bytes};
  return address;
}

/* ---- Calls ------------------------------------------------------------------ */

int __real_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *state);
int __real_fstat(int descriptor, struct stat *state);
ssize_t __real_pread(int descriptor, void *into, size_t bytes, off_t offset);
void *__real_mmap(void *address, size_t bytes, int access, int flags, int descriptor, off_t offset);
int __real_munmap(void *address, size_t bytes);
int __real_madvise(void *address, size_t bytes, int advice);
int __real_close(int descriptor);

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return strcmp(path, NAME) == 0 ? DESCRIPTOR : __real_open(path, flags, mode);
}

int __wrap_fstat(int descriptor, struct stat *state);
int __wrap_stat(const char *path, struct stat *state);
int __wrap_stat(const char *path, struct stat *state) {
  return strcmp(path, NAME) == 0 ? __wrap_fstat(DESCRIPTOR, state) : __real_stat(path, state);
}

int __wrap_fstat(int descriptor, struct stat *state) {
  if (descriptor != DESCRIPTOR)
    return __real_fstat(descriptor, state);
  *state = (struct stat){.st_mode = S_IFREG | 0400, .st_size = (off_t)file.size, .st_nlink = 1};
  return 0;
}

ssize_t __wrap_pread(int descriptor, void *into, size_t bytes, off_t offset);
ssize_t __wrap_pread(int descriptor, void *into, size_t bytes, off_t offset) {
  if (descriptor != DESCRIPTOR)
    return __real_pread(descriptor, into, bytes, offset);
  size_t left = (size_t)offset < file.size ? file.size - (size_t)offset : 0;
  size_t taken = bytes < left ? bytes : left;
  if (taken)
    memcpy(into, file.pages + offset, taken);
  return (ssize_t)taken;
}

void *__wrap_mmap(void *address, size_t bytes, int access, int flags, int descriptor, off_t offset);
void *__wrap_mmap(void *address, size_t bytes, int access, int flags, int descriptor,
                  off_t offset) {
  if (descriptor < 0 && !address) {
    void *on_heap = map_on_heap(bytes);
    return on_heap ? on_heap : __real_mmap(address, bytes, access, flags, descriptor, offset);
  }
  if (descriptor != DESCRIPTOR)
    return __real_mmap(address, bytes, access, flags, descriptor, offset);
  FUZZ_PROMISE((size_t)offset % PAGE == 0 && bytes > 0 && (size_t)offset < file.size &&
               bytes <= whole_pages(file.size) - (size_t)offset && access == PROT_READ);
  return file.pages + offset;
}

int __wrap_munmap(void *address, size_t bytes);
int __wrap_munmap(void *address, size_t bytes) {
  bool ours = file.pages && (uintptr_t)address - (uintptr_t)file.pages < file.room;
  struct heap_map *map = find_heap_map(address);
  if (!map)
    return ours ? 0 : __real_munmap(address, bytes);
  FUZZ_PROMISE(map->bytes == bytes);
  free(map->address);
  map->address = NULL;
  return 0;
}

/* Huge pages for a few bytes take longer to clear than these are worked on. */
int __wrap_madvise(void *address, size_t bytes, int advice);
int __wrap_madvise(void *address, size_t bytes, int advice) {
  return advice == MADV_HUGEPAGE ? 0 : __real_madvise(address, bytes, advice);
}

int __wrap_close(int descriptor);
int __wrap_close(int descriptor) {
  if (descriptor == DESCRIPTOR)
    return 0;
  errno = EBADF;
  return descriptor < 0 ? -1 : __real_close(descriptor); /* none costs nothing */
}
