#define _GNU_SOURCE
#include "ConfinementProbe.h"

#include <CConfinement.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GIGABYTE = 1 << 30, SECONDS = 1 };

/// Bytes that the test has already, which count too.
static size_t address_space(void) {
  char text[32] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0) _exit(253);
  close(file);
  return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/// Answers EINVAL to prctl(PR_SET_SECCOMP), as a kernel that was built without it does.
static int seem_to_have_no_filter(void) {
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = { sizeof program / sizeof program[0], program };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}

static int error_of(long result) { return result < 0 ? errno : 0; }

static int error_of_memory(size_t bytes, int protection) {
  return mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}

/// Only calls that are safe after a fork of a program with threads.
static int try(enum probe_attempt attempt, int descriptor) {
  char byte = 0;
  char *nothing[] = { NULL };
  switch (attempt) {
    case PROBE_READ_AND_WRITE:
      return error_of(read(STDIN_FILENO, &byte, 1)) ?: error_of(write(STDOUT_FILENO, &byte, 1));
    case PROBE_SMALL_MEMORY: return error_of_memory(1 << 20, PROT_READ | PROT_WRITE);
    case PROBE_LARGE_MEMORY: return error_of_memory(GIGABYTE, PROT_READ | PROT_WRITE);
    case PROBE_EXECUTABLE_MEMORY: return error_of_memory(4096, PROT_READ | PROT_EXEC);
    case PROBE_OTHER_DESCRIPTOR: return error_of(write(descriptor, &byte, 1));
    case PROBE_OPEN: return error_of(open("/dev/null", O_RDONLY));
    case PROBE_SOCKET: return error_of(socket(AF_INET, SOCK_STREAM, 0));
    case PROBE_FORK: return error_of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    case PROBE_EXECUTE: return error_of(execve("/bin/true", nothing, nothing));
    case PROBE_ABORT: abort();
    case PROBE_SIGNAL_THREAD: return error_of(syscall(SYS_tgkill, getppid(), getppid(), 0));
    case PROBE_SIGNAL: return error_of(kill(getppid(), 0));
    case PROBE_TRACE: return error_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    case PROBE_SPIN:
      for (volatile unsigned long turns = 0;; turns++) {
      }
  }
  return ENOSYS;
}

/// As child_process_start does: threads of a test block signals, and Swift handles those of crashes.
static void reset_signals(void) {
  struct sigaction byDefault = { .sa_handler = SIG_DFL };
  for (int number = 1; number < NSIG; number++) sigaction(number, &byDefault, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

int probe_confined(enum probe_attempt attempt, int has_filter, int *by_signal) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    reset_signals();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (!has_filter && seem_to_have_no_filter() != 0) _exit(255);
    // More than the test's own address space, and less than a gigabyte more.
    if (confine_process(address_space() + GIGABYTE / 2, SECONDS) != 0) _exit(254);
    _exit(try(attempt, null));
  }
  if (pid < 0) return -1;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  *by_signal = WIFSIGNALED(status);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}
