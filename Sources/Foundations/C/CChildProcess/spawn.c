// Fork and exec, with the kernel's protections against leaks: close-on-exec everywhere, a session of its own, a death
// signal, and a pipe by which the child reports why it could not start.

#define _GNU_SOURCE
#include "CChildProcess.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A program that has just been installed counts as being written while a process that was forked meanwhile has not
// executed its own program yet. That takes moments, on a busy board some tenths of a second: tried for 1 s.
enum { BUSY_PROGRAM_TRIES = 200 };
static const struct timespec BUSY_PROGRAM_PAUSE = { .tv_nsec = 5 * 1000 * 1000 };

struct refusal {
  enum child_fault fault;
  int code;
};

// The children that were started here and are not reaped yet. Locked during a fork, so that no child is taken for an
// orphan before it is entered.
enum { STARTED_LIMIT = 64 };
static pid_t started[STARTED_LIMIT];
static pthread_mutex_t started_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool adopts;

/// @return the index of a child, or of a free entry for 0; -1 if there is none.
static int entry(pid_t pid) {
  for (int index = 0; index < STARTED_LIMIT; index++) {
    if (started[index] == pid) return index;
  }
  return -1;
}

/// Forks, and enters the child in the list.
static pid_t fork_entered(void) {
  pthread_mutex_lock(&started_lock);
  int place = entry(0);
  pid_t pid = -1;
  errno = EAGAIN;
  if (place >= 0) {
    pid = fork();
    // The child does not use its copy of the list.
    if (pid > 0) started[place] = pid;
  }
  int code = errno;
  pthread_mutex_unlock(&started_lock);
  errno = code;
  return pid;
}

static void close_pair(int pair[2]) {
  if (pair[0] >= 0) close(pair[0]);
  if (pair[1] >= 0) close(pair[1]);
}

static void refuse(int channel, enum child_fault fault) {
  struct refusal refusal = { fault, errno };
  ssize_t written = write(channel, &refusal, sizeof refusal);
  (void)written;
  _exit(127);
}

// Runs in the child: only async-signal-safe calls from here on.
static void become(
  const char *path, char *const arguments[], char *const environment[], const char *folder, bool keeps_orphans,
  const int streams[3], int channel, pid_t parent) {
  struct sigaction byDefault = { .sa_handler = SIG_DFL };
  for (int number = 1; number < NSIG; number++) sigaction(number, &byDefault, NULL);

  // Moved away from 0, 1 and 2, which a daemon may have been started without.
  channel = fcntl(channel, F_DUPFD_CLOEXEC, 3);
  int moved[3];
  for (int stream = 0; stream < 3; stream++) {
    moved[stream] = fcntl(streams[stream], F_DUPFD_CLOEXEC, 3);
    if (channel < 0 || moved[stream] < 0) refuse(channel, CHILD_FAULT_RESOURCES);
  }
  for (int stream = 0; stream < 3; stream++) {
    if (dup2(moved[stream], stream) < 0) refuse(channel, CHILD_FAULT_RESOURCES);
  }
#ifdef SYS_close_range
  // For descriptors of libraries that lack close-on-exec. Kernels older than 5.11 do not support this.
  syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif

  // The daemon has raised its own limit; a program that calls select() supports only descriptors up to the usual one.
  struct rlimit descriptors;
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur > FD_SETSIZE) {
    descriptors.rlim_cur = FD_SETSIZE;
    setrlimit(RLIMIT_NOFILE, &descriptors);
  }

  if (setsid() < 0) refuse(channel, CHILD_FAULT_RESOURCES);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (keeps_orphans) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // The parent may have ended before the death signal was requested.
  if (getppid() != parent) _exit(127);
  if (chdir(folder) != 0) refuse(channel, CHILD_FAULT_FOLDER);

  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int try = 0; try < BUSY_PROGRAM_TRIES; try++) {
    execve(path, arguments, environment);
    if (errno != ETXTBSY) break;
    nanosleep(&BUSY_PROGRAM_PAUSE, NULL);
  }
  refuse(channel, CHILD_FAULT_PROGRAM);
}

enum child_fault child_process_start(
  const char *path, char *const arguments[], char *const environment[], const char *folder, bool keeps_orphans,
  struct child_process *process, int *code) {
  int input[2] = { -1, -1 }, output[2] = { -1, -1 }, errors[2] = { -1, -1 }, channel[2] = { -1, -1 };
  struct refusal refusal = { CHILD_FAULT_RESOURCES, 0 };
  pid_t pid = -1;
  int pidfd = -1;

  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0 ||
      pipe2(channel, O_CLOEXEC) != 0) {
    refusal.code = errno;
    goto failed;
  }
  // Affects only the daemon's ends: the flag belongs to the open file, and each end is a separate one.
  fcntl(input[1], F_SETFL, O_NONBLOCK);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  fcntl(errors[0], F_SETFL, O_NONBLOCK);

  // No signal handler of the daemon may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid = fork_entered();
  if (pid == 0) {
    const int streams[3] = { input[0], output[1], errors[1] };
    become(path, arguments, environment, folder, keeps_orphans, streams, channel[1], parent);
  }
  int forkCode = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid < 0) {
    refusal.code = forkCode;
    goto failed;
  }

  pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) {
    refusal.code = errno;
    kill(pid, SIGKILL);
    goto failed;
  }

  close(channel[1]);
  channel[1] = -1;
  ssize_t count;
  do count = read(channel[0], &refusal, sizeof refusal);
  while (count < 0 && errno == EINTR);
  if (count == (ssize_t)sizeof refusal) goto failed;

  close(channel[0]);
  close(input[0]);
  close(output[1]);
  close(errors[1]);
  *process = (struct child_process){ pid, pidfd, input[1], output[0], errors[0] };
  return CHILD_FAULT_NONE;

failed:
  if (pid > 0) child_process_reap(pid);
  if (pidfd >= 0) close(pidfd);
  close_pair(input);
  close_pair(output);
  close_pair(errors);
  close_pair(channel);
  *code = refusal.code;
  return refusal.fault;
}

int child_process_ending(pid_t pid, int *by_signal) {
  siginfo_t info = { .si_pid = 0 };
  int result;
  do result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
  while (result != 0 && errno == EINTR);
  *by_signal = 0;
  // Another caller has reaped it: how it ended is unknown.
  if (result != 0) return 255;
  if (info.si_pid == 0) return -1;
  *by_signal = info.si_code != CLD_EXITED;
  return info.si_status;
}

void child_process_reap(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  pthread_mutex_lock(&started_lock);
  int place = entry(pid);
  if (place >= 0) started[place] = 0;
  pthread_mutex_unlock(&started_lock);
}

int child_process_adopt_orphans(void) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return errno;
  atomic_store(&adopts, true);
  return 0;
}

bool child_process_adopts_orphans(void) { return atomic_load(&adopts); }

/// Returns the parent of a process from /proc; 0 if it is gone.
static pid_t parent_of(const char *pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%s/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // PID (NAME) STATE PARENT: the name may contain anything.
  char *end = strrchr(text, ')');
  int parent = 0;
  return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

size_t child_process_orphans(pid_t *orphans, size_t limit) {
  size_t count = 0;
  DIR *folder = opendir("/proc");
  if (!folder) return 0;
  pthread_mutex_lock(&started_lock);
  for (struct dirent *item; count < limit && (item = readdir(folder));) {
    if (!isdigit((unsigned char)item->d_name[0]) || parent_of(item->d_name) != getpid()) continue;
    pid_t pid = atoi(item->d_name);
    if (entry(pid) < 0) orphans[count++] = pid;
  }
  pthread_mutex_unlock(&started_lock);
  closedir(folder);
  return count;
}

bool child_process_reap_orphan(pid_t pid) {
  int status;
  pid_t result;
  do result = waitpid(pid, &status, WNOHANG);
  while (result < 0 && errno == EINTR);
  return result != 0;
}
