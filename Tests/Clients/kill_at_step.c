// Preloaded: ends the process as by `kill -9` at one of its operations on files, the one that $KILL_AT_STEP counts to. The
// file $STEPS, of one int, has the number of operations so far.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int *steps;

__attribute__((constructor)) static void map(void) {
  const char *path = getenv("STEPS");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) steps = mapped;
}

static void step(void) {
  const char *wanted = getenv("KILL_AT_STEP");
  if (steps && wanted && ++*steps == atoi(wanted)) raise(SIGKILL);
}

#define STEP(type, name, parameters, arguments)        \
  type name parameters {                               \
    static type(*next) parameters;                     \
    step();                                            \
    if (!next) next = dlsym(RTLD_NEXT, #name);         \
    return next arguments;                             \
  }
STEP(int, rename, (const char *from, const char *to), (from, to))
STEP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
STEP(int, mkdir, (const char *path, mode_t mode), (path, mode))
STEP(int, rmdir, (const char *path), (path))
STEP(int, unlink, (const char *path), (path))
STEP(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
STEP(int, symlink, (const char *target, const char *path), (target, path))
STEP(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
STEP(int, chmod, (const char *path, mode_t mode), (path, mode))
STEP(int, fchmod, (int file, mode_t mode), (file, mode))
STEP(int, ftruncate64, (int file, off64_t size), (file, size))
STEP(int, fsync, (int file), (file))
STEP(int, fdatasync, (int file), (file))
STEP(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
STEP(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
