#include "CNATS.h"

#include <dlfcn.h>
#include <pthread.h>

static struct cnats library;
static const char *fault;

#define TEXT(number) #number
// The library's interface and its name may change with each of its minor versions.
#define FILE_NAME(major, minor) "libnats.so." TEXT(major) "." TEXT(minor)

static void open_library(void) {
  void *handle = dlopen(FILE_NAME(NATS_VERSION_MAJOR, NATS_VERSION_MINOR), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fault = dlerror();
    return;
  }
  void *function;
#define LOOK_UP(name)                                                                                                \
  if (!(function = dlsym(handle, #name))) {                                                                          \
    fault = FILE_NAME(NATS_VERSION_MAJOR, NATS_VERSION_MINOR) " has no " #name;                                      \
    return;                                                                                                          \
  }                                                                                                                  \
  library.name = (__typeof__(&name))function;
  CNATS_FUNCTIONS(LOOK_UP)
}

const char *cnats_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return fault;
}

const struct cnats *cnats_library(void) { return &library; }
