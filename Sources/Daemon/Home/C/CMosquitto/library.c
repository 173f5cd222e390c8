#include "CMosquitto.h"

#include <dlfcn.h>
#include <pthread.h>

static struct cmosquitto library;
static const char *fault;

static void open_library(void) {
  // The runtime name, which exists in Debian's package without the package of the headers.
  void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fault = dlerror();
    return;
  }
  void *function;
#define LOOK_UP(name)                                                                                                \
  if (!(function = dlsym(handle, "mosquitto_" #name))) {                                                             \
    fault = "libmosquitto.so.1 has no mosquitto_" #name;                                                             \
    return;                                                                                                          \
  }                                                                                                                  \
  library.name = (__typeof__(&mosquitto_##name))function;
  CMOSQUITTO_FUNCTIONS(LOOK_UP)
  library.lib_init();
}

const char *cmosquitto_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return fault;
}

const struct cmosquitto *cmosquitto_library(void) { return &library; }
