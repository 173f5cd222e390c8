// A preload that stands between the daemon and the file system, for files in one folder: it keeps a trace of what was
// written and what was synced, returns errors where it is told to, and slows down syncs. It also steps the wall clock.
//
// TORTURE_CONTROL names a file of 4,096 bytes that the harness maps too (`struct control`), TORTURE_FOLDER the folder.
// TORTURE_TRACE, where set, receives a record of each operation, in the order in which the file system had them: one
// lock is held for an operation and its record. `disk.py` reads it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// shim.py has the same offsets.
struct control {
  _Atomic uint64_t trace_bytes;  // what the trace has
  _Atomic uint64_t next_file;      // each open file gets a number of its own, also across restarts
  _Atomic uint32_t write_error;    // errno of every write and change of a name, 0 for none
  _Atomic uint32_t sync_error;     // of every fsync and fdatasync
  _Atomic uint32_t open_error;     // of every open for writing
  _Atomic uint32_t sync_delay_ms;  // before every sync
  _Atomic int64_t clock_offset_s;  // the wall clock is that much ahead of the system's
  _Atomic uint64_t clock_steps;    // how often it was set
  _Atomic uint64_t injected;       // errors returned
  _Atomic uint64_t syncs;          // syncs that were made
};

enum kind { OPENED = 1, CREATED, WROTE, TRUNCATED, SYNCED, SYNC_FAILED, RENAMED, REMOVED, FOLDER_MADE, LINK_MADE };

struct record {
  uint32_t kind, file;
  uint64_t offset;
  uint64_t length;  // bytes that follow
};

enum { FILES = 65536 };

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;
static int trace = -1;
static uint32_t files[FILES];  // by descriptor; 0 is none of ours
static ino_t nodes[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int wall_timer = -1;
static _Atomic uint64_t timer_steps;

#define NEXT(name) \
  static __typeof__(&name) next_##name; \
  if (!next_##name) next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  // Programs that the daemon starts are not under test.
  unsetenv("LD_PRELOAD");
  const char *path = getenv("TORTURE_CONTROL"), *under = getenv("TORTURE_FOLDER"), *into = getenv("TORTURE_TRACE");
  if (!path) return;
  int descriptor = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (descriptor < 0 || mapped == MAP_FAILED) {
    fprintf(stderr, "shim: %s: %s\n", path, strerror(errno));
    _exit(99);
  }
  syscall(SYS_close, descriptor);
  if (under && strlen(under) < PATH_MAX) {
    strcpy(folder, under);
    folder_length = strlen(folder);
  }
  if (into) trace = syscall(SYS_openat, AT_FDCWD, into, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  control = mapped;
}

// MARK: What is ours

// The path below the folder, in `buffer`; NULL where it is elsewhere. The folder itself is "".
static const char *ours(int at, const char *path, char *buffer) {
  if (!control || !folder_length || !path) return NULL;
  if (path[0] != '/') {
    if (at == AT_FDCWD) return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, buffer, PATH_MAX - 2);
    if (length < 0 || (size_t)length + strlen(path) + 2 > PATH_MAX) return NULL;
    buffer[length] = '/';
    strcpy(buffer + length + 1, path);
  } else {
    if (strlen(path) >= PATH_MAX) return NULL;
    strcpy(buffer, path);
  }
  // A folder that is held is opened anew as ".".
  size_t whole = strlen(buffer);
  if (whole > 2 && strcmp(buffer + whole - 2, "/.") == 0) buffer[whole - 2] = 0;
  if (strncmp(buffer, folder, folder_length) != 0) return NULL;
  if (buffer[folder_length] == 0) return buffer + folder_length;
  return buffer[folder_length] == '/' ? buffer + folder_length + 1 : NULL;
}

// The C library closes some descriptors itself (closedir), after which they are given to others.
static uint32_t file_of(int descriptor) {
  if (!control || descriptor < 0 || descriptor >= FILES || !files[descriptor]) return 0;
  struct stat status;
  int saved = errno;
  if (fstat(descriptor, &status) != 0 || status.st_ino != nodes[descriptor]) files[descriptor] = 0;
  errno = saved;
  return files[descriptor];
}

static void note(enum kind kind, uint32_t file, uint64_t offset, const void *data, uint64_t length) {
  if (trace < 0) return;
  int saved = errno;
  struct record record = {kind, file, offset, length};
  struct iovec parts[] = {{&record, sizeof record}, {(void *)data, length}};
  if (syscall(SYS_writev, trace, parts, 2) != (long)(sizeof record + length)) {
    static const char message[] = "shim: the trace cannot be written\n";
    syscall(SYS_write, 2, message, sizeof message - 1);
    _exit(99);
  }
  control->trace_bytes += sizeof record + length;
  errno = saved;
}

static void note_paths(enum kind kind, const char *one, const char *other) {
  char both[2 * PATH_MAX];
  size_t first = strlen(one) + 1, second = strlen(other);
  memcpy(both, one, first);
  memcpy(both + first, other, second);
  note(kind, 0, 0, both, first + second);
}

static int fails(_Atomic uint32_t *error) {
  uint32_t code = *error;
  if (!code) return 0;
  control->injected++;
  errno = (int)code;
  return 1;
}

// MARK: Files

static int opened(int at, const char *path, int flags, mode_t mode, int (*real)(int, const char *, int, mode_t)) {
  char buffer[PATH_MAX];
  const char *name = ours(at, path, buffer);
  if (!name) return real(at, path, flags, mode);
  int is_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
  if (is_writing && fails(&control->open_error)) return -1;
  pthread_mutex_lock(&lock);
  struct stat status;
  int is_new = (flags & O_CREAT) && fstatat(at, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
  int descriptor = real(at, path, flags, mode);
  if (descriptor >= 0 && descriptor < FILES && fstat(descriptor, &status) == 0) {
    nodes[descriptor] = status.st_ino;
    files[descriptor] = (uint32_t)++control->next_file;
    note(is_new ? CREATED : OPENED, files[descriptor], 0, name, strlen(name));
    if ((flags & O_TRUNC) && !is_new) note(TRUNCATED, files[descriptor], 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return descriptor;
}

static int real_openat(int at, const char *path, int flags, mode_t mode) {
  NEXT(openat);
  // The identifier of a boot that the story made up.
  const char *boot = getenv("TORTURE_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
  return next_openat(at, path, flags, mode);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list arguments; \
    va_start(arguments, flags); \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments); \
  }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode, real_openat); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode, real_openat); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return opened(at, path, flags, mode, real_openat); }
int openat64(int at, const char *path, int flags, ...) {
  MODE(flags) return opened(at, path, flags, mode, real_openat);
}

int close(int descriptor) {
  NEXT(close);
  if (file_of(descriptor)) files[descriptor] = 0;
  return next_close(descriptor);
}

// At `offset`, or where that is negative at the file's own position.
static ssize_t written(int descriptor, const void *data, size_t length, off_t offset) {
  if (file_of(descriptor) && fails(&control->write_error)) return -1;
  if (!file_of(descriptor)) {
    return offset < 0 ? syscall(SYS_write, descriptor, data, length)
                      : syscall(SYS_pwrite64, descriptor, data, length, offset);
  }
  pthread_mutex_lock(&lock);
  off_t at = offset;
  if (offset < 0) {
    struct stat status;
    int is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
    at = is_appending && fstat(descriptor, &status) == 0 ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
  }
  ssize_t count = offset < 0 ? syscall(SYS_write, descriptor, data, length)
                             : syscall(SYS_pwrite64, descriptor, data, length, offset);
  if (count > 0) note(WROTE, files[descriptor], (uint64_t)at, data, (uint64_t)count);
  pthread_mutex_unlock(&lock);
  return count;
}

ssize_t write(int descriptor, const void *data, size_t length) { return written(descriptor, data, length, -1); }
ssize_t pwrite(int descriptor, const void *data, size_t length, off_t at) {
  return written(descriptor, data, length, at);
}
ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t at) {
  return written(descriptor, data, length, at);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!file_of(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
  ssize_t total = 0;
  for (int part = 0; part < count; part++) {
    ssize_t done = written(descriptor, parts[part].iov_base, parts[part].iov_len, -1);
    if (done < 0) return total ? total : -1;
    total += done;
    if ((size_t)done < parts[part].iov_len) break;
  }
  return total;
}

static int truncated(int descriptor, off_t length) {
  if (!file_of(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, length);
  if (fails(&control->write_error)) return -1;
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_ftruncate, descriptor, length);
  if (result == 0) note(TRUNCATED, files[descriptor], (uint64_t)length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int descriptor, off_t length) { return truncated(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return truncated(descriptor, length); }

static int synced(int descriptor, long call) {
  if (!file_of(descriptor)) return (int)syscall(call, descriptor);
  uint32_t delay = control->sync_delay_ms;
  if (delay) {
    struct timespec time = {delay / 1000, (long)(delay % 1000) * 1000000};
    nanosleep(&time, NULL);
  }
  pthread_mutex_lock(&lock);
  int result = -1;
  if (fails(&control->sync_error)) {
    note(SYNC_FAILED, files[descriptor], 0, NULL, 0);
  } else {
    // The harness cuts no real power: its trace says what the disk has.
    result = trace >= 0 ? 0 : (int)syscall(call, descriptor);
    control->syncs++;
    note(SYNCED, files[descriptor], 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// MARK: Names

#define CHANGE(real, noting) \
  if (fails(&control->write_error)) return -1; \
  pthread_mutex_lock(&lock); \
  int result = real; \
  if (result == 0) noting; \
  pthread_mutex_unlock(&lock); \
  return result

static int renamed(int at, const char *from, int to_at, const char *to) {
  NEXT(renameat);
  char one[PATH_MAX], other[PATH_MAX];
  const char *old = ours(at, from, one), *new = ours(to_at, to, other);
  if (!old || !new) return next_renameat(at, from, to_at, to);
  CHANGE(next_renameat(at, from, to_at, to), note_paths(RENAMED, old, new));
}

int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to); }
int renameat(int at, const char *from, int to_at, const char *to) { return renamed(at, from, to_at, to); }

static int removed(int at, const char *path, int flags) {
  NEXT(unlinkat);
  char buffer[PATH_MAX];
  const char *name = ours(at, path, buffer);
  if (!name) return next_unlinkat(at, path, flags);
  CHANGE(next_unlinkat(at, path, flags), note(REMOVED, 0, 0, name, strlen(name)));
}

int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return removed(at, path, flags); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }

static int made(int at, const char *path, mode_t mode) {
  NEXT(mkdirat);
  char buffer[PATH_MAX];
  const char *name = ours(at, path, buffer);
  if (!name) return next_mkdirat(at, path, mode);
  CHANGE(next_mkdirat(at, path, mode), note(FOLDER_MADE, 0, 0, name, strlen(name)));
}

int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return made(at, path, mode); }

int symlink(const char *target, const char *path) {
  NEXT(symlink);
  char buffer[PATH_MAX];
  const char *name = ours(AT_FDCWD, path, buffer);
  if (!name) return next_symlink(target, path);
  CHANGE(next_symlink(target, path), note_paths(LINK_MADE, name, target));
}

// MARK: The wall clock

static int64_t offset_seconds(void) { return control ? control->clock_offset_s : 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  NEXT(clock_gettime);
  int result = next_clock_gettime(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset_seconds();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  NEXT(gettimeofday);
  int result = next_gettimeofday(time, zone);
  if (result == 0) time->tv_sec += offset_seconds();
  return result;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
  NEXT(timerfd_create);
  int descriptor = next_timerfd_create(clock, flags);
  if (control && clock == CLOCK_REALTIME && wall_timer < 0) wall_timer = descriptor;
  return descriptor;
}

// The timer is armed also where the clock was set since [timerfd_create(2), ECANCELED].
int timerfd_settime(int descriptor, int flags, const struct itimerspec *value, struct itimerspec *old) {
  NEXT(timerfd_settime);
  if (descriptor < 0 || descriptor != wall_timer || !(flags & TFD_TIMER_ABSTIME)) {
    return next_timerfd_settime(descriptor, flags, value, old);
  }
  struct itimerspec moved = *value;
  moved.it_value.tv_sec -= offset_seconds();
  if (moved.it_value.tv_sec <= 0) moved.it_value.tv_sec = 1;
  int result = next_timerfd_settime(descriptor, flags, &moved, old);
  uint64_t steps = control->clock_steps;
  if (result == 0 && atomic_exchange(&timer_steps, steps) != steps) {
    errno = ECANCELED;
    return -1;
  }
  return result;
}

ssize_t read(int descriptor, void *buffer, size_t length) {
  while (descriptor >= 0 && descriptor == wall_timer) {
    struct pollfd ready = {descriptor, POLLIN, 0};
    if (poll(&ready, 1, 20) != 0) break;
    uint64_t steps = control->clock_steps;
    if (atomic_exchange(&timer_steps, steps) != steps) {
      errno = ECANCELED;
      return -1;
    }
  }
  return syscall(SYS_read, descriptor, buffer, length);
}
