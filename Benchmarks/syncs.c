// Counts the bytes that a program writes and its waits for the disk, and can lengthen each wait, as on a slow SD card.
// Preloaded: LD_PRELOAD=syncs.so SYNCS_FILE=counters SYNC_DELAY_US=15000 deskbell serve
// The file has three numbers of 64 bits: waits, bytes written, and nanoseconds waited. SQLite writes with pwrite64.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct counters { uint64_t waits, bytes, nanoseconds; };

static struct counters unused, *counters = &unused;
static long delay;
static int (*real_fdatasync)(int), (*real_fsync)(int);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);

__attribute__((constructor)) static void begin(void) {
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
  const char *text = getenv("SYNC_DELAY_US"), *path = getenv("SYNCS_FILE");
  delay = text ? atol(text) : 0;
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  if (ftruncate(file, sizeof *counters) == 0) {
    void *mapped = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) counters = mapped;
  }
  close(file);
}

static int wait_for(int (*real)(int), int file) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  int result = real(file);
  if (delay > 0) {
    struct timespec rest = {delay / 1000000, delay % 1000000 * 1000};
    nanosleep(&rest, NULL);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  __atomic_add_fetch(&counters->waits, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(
      &counters->nanoseconds, (end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec, __ATOMIC_RELAXED);
  return result;
}

int fdatasync(int file) { return wait_for(real_fdatasync, file); }
int fsync(int file) { return wait_for(real_fsync, file); }

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  ssize_t written = real_pwrite64(file, bytes, count, offset);
  if (written > 0) __atomic_add_fetch(&counters->bytes, written, __ATOMIC_RELAXED);
  return written;
}
