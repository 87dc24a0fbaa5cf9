/* Preloaded by bench/cluster.py: what a process sends on a connection leaves at PACE bytes a
 * second, as if it was the network's rate. Linux sees to it (SO_MAX_PACING_RATE), on the loopback
 * device, too. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>

static void pace(int socket) {
  const char *text = getenv("PACE");
  const unsigned long rate = text ? strtoul(text, NULL, 10) : 0;
  if (socket >= 0 && rate > 0)
    setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
}

int socket(int domain, int type, int protocol) {
  static int (*next)(int, int, int);
  if (!next)
    next = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  const int made = next(domain, type, protocol);
  if (domain == AF_INET || domain == AF_INET6)
    pace(made);
  return made;
}

int accept(int from, struct sockaddr *address, socklen_t *length) {
  static int (*next)(int, struct sockaddr *, socklen_t *);
  if (!next)
    next = (int (*)(int, struct sockaddr *, socklen_t *))dlsym(RTLD_NEXT, "accept");
  const int made = next(from, address, length);
  pace(made);
  return made;
}
