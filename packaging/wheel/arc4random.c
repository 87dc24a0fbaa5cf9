/* The function of glibc 2.36 that libarchive and libexpat call, for a wheel that older systems can use. */
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size);

void arc4random_buf(void *bytes, size_t size) {
  char *next = bytes;
  while (size) {
    const size_t some = size < 256 ? size : 256; /* as many as come at once, whatever interrupts */
    if (getrandom(next, some, 0) != (ssize_t)some)
      abort(); /* as glibc does */
    next += some;
    size -= some;
  }
}
