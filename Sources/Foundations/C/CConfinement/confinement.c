// seccomp(2), setrlimit(2). The filter is an allow-list, so that it also refuses the calls of later kernels.

#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#endif

#ifdef ARCHITECTURE

// Headers older than kernel 4.14 do not define it; such a kernel ends the thread, which is the only one.
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (field))
#define JUMP(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, (value), (yes), (no))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

#define NUMBER offsetof(struct seccomp_data, nr)
/// The lower half, which comes first: all of these processors are little-endian.
#define ARGUMENT(index) offsetof(struct seccomp_data, args[index])

/// Allows the call of this number; for other numbers the filter continues with the next line.
#define ALLOW_CALL(number) JUMP(BPF_JEQ, number, 0, 1), ALLOW
/// As ALLOW_CALL, but kills unless the test of an argument is true, or if it is.
#define ALLOW_IF(number, index, test, value) \
  JUMP(BPF_JEQ, number, 0, 4), LOAD(ARGUMENT(index)), JUMP(test, value, 1, 0), KILL, ALLOW
#define ALLOW_UNLESS(number, index, test, value) \
  JUMP(BPF_JEQ, number, 0, 4), LOAD(ARGUMENT(index)), JUMP(test, value, 0, 1), KILL, ALLOW

static int filter_system_calls(void) {
  struct sock_filter program[] = {
    // The processor may also run programs of another architecture, whose numbers mean other calls.
    LOAD(offsetof(struct seccomp_data, arch)), JUMP(BPF_JEQ, ARCHITECTURE, 1, 0), KILL,
    LOAD(NUMBER),
    // Standard input, output and error.
    ALLOW_UNLESS(__NR_read, 0, BPF_JGT, STDIN_FILENO),
    ALLOW_UNLESS(__NR_write, 0, BPF_JGT, STDERR_FILENO),
    ALLOW_UNLESS(__NR_writev, 0, BPF_JGT, STDERR_FILENO),
    // Memory without permission to execute.
#ifdef __NR_mmap
    ALLOW_UNLESS(__NR_mmap, 2, BPF_JSET, PROT_EXEC),
#endif
#ifdef __NR_mmap2
    ALLOW_UNLESS(__NR_mmap2, 2, BPF_JSET, PROT_EXEC),
#endif
    ALLOW_UNLESS(__NR_mprotect, 2, BPF_JSET, PROT_EXEC),
    ALLOW_CALL(__NR_munmap), ALLOW_CALL(__NR_mremap), ALLOW_CALL(__NR_madvise), ALLOW_CALL(__NR_brk),
    // Locks for values that are computed once, and random seeds for hash tables.
    ALLOW_CALL(__NR_futex), ALLOW_CALL(__NR_getrandom),
    // Needed if the vDSO does not answer them.
    ALLOW_CALL(__NR_clock_gettime), ALLOW_CALL(__NR_gettimeofday),
#ifdef __NR_futex_time64
    ALLOW_CALL(__NR_futex_time64),
#endif
#ifdef __NR_clock_gettime64
    ALLOW_CALL(__NR_clock_gettime64),
#endif
#ifdef __NR_time
    ALLOW_CALL(__NR_time),
#endif
    // For abort(), which sends a signal to the process itself.
    ALLOW_CALL(__NR_rt_sigprocmask), ALLOW_CALL(__NR_getpid), ALLOW_CALL(__NR_gettid),
    ALLOW_IF(__NR_tgkill, 0, BPF_JEQ, (__u32)getpid()),
    ALLOW_CALL(__NR_exit), ALLOW_CALL(__NR_exit_group),
    KILL,
  };
  struct sock_fprog filter = { sizeof program / sizeof program[0], program };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
}

#else
static int filter_system_calls(void) { return EINVAL; }
#endif

static int limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit = { soft, hard }, before;
  // A stricter limit stays.
  if (getrlimit(resource, &before) != 0) return errno;
  if (limit.rlim_max > before.rlim_max) limit.rlim_max = before.rlim_max;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

int confine_process(size_t memory, unsigned seconds) {
  int code = 0;
  if ((code = limit(RLIMIT_AS, memory, memory)) != 0) return code;
  // SIGXCPU at the first limit, SIGKILL at the second.
  if ((code = limit(RLIMIT_CPU, seconds, seconds + 1)) != 0) return code;
  const int nothing[] = { RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE };
  for (size_t index = 0; index < sizeof nothing / sizeof nothing[0]; index++) {
    if ((code = limit(nothing[index], 0, 0)) != 0) return code;
  }
  // No other process of this user may read its memory.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  code = filter_system_calls();
  // The errors of a kernel without the filter, of an emulator, and of an existing filter.
  return code == EINVAL || code == ENOSYS || code == EPERM || code == EACCES ? 0 : code;
}
