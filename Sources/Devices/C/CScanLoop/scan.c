// In C, because the code that runs between two digits must never wait for an allocator, a lock or a reference count.

#define _GNU_SOURCE
#include "CScanLoop.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/// One of three buffers: the orderer fills one, the loop plays one, and the third is exchanged.
struct slot {
  scanloop_order order;
  scanloop_step steps[SCANLOOP_MAX_STEPS];
  /// The shortest time from the deadline before a wait to its beginning: that of the sets. More is lateness.
  int64_t usual_nanoseconds[SCANLOOP_MAX_STEPS];
};

/// Set in `handover` while the buffer there was not taken.
static const unsigned fresh = 4;

struct scanloop {
  struct slot slots[3];
  atomic_uint handover;
  /// Used by the orderer only.
  unsigned filling;

  // Used by the loop only.
  unsigned playing;
  bool has_order;
  bool is_first_frame;
  int64_t due;
  uint64_t levels;
  void *levels_of;

  /// Without functions for CLOCK_MONOTONIC.
  scanloop_clock clock;
  void (*notify)(void *context);
  void *notify_context;
  sem_t bell;
  atomic_bool quits;
  pthread_t thread;
  bool has_ended;
  int priority_error;

  atomic_uint_fast64_t frames;
  atomic_uint_fast64_t late_frames;
  /// Odd while the news is being written.
  atomic_uint news_version;
  atomic_uint_fast64_t shown_number;
  atomic_int_fast64_t shown_at;
  atomic_uint_fast64_t fault_number;
  atomic_int fault;
};

static int64_t now(const scanloop *loop) {
  if (loop->clock.now) return loop->clock.now(loop->clock.context);
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(const scanloop *loop, int64_t begin, int64_t end) {
  if (end <= begin) return;
  if (loop->clock.wait) {
    loop->clock.wait(loop->clock.context, end);
  } else if (end - begin > SCANLOOP_SPIN_NANOSECONDS) {
    struct timespec time = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
  } else {
    while (now(loop) < end) {
    }
  }
}

/// Waits after step `i`. Deadlines follow each other; after a missed one all later deadlines move, so that one digit is
/// bright for a moment instead of the next being dark.
/// - Returns: true if a deadline was missed.
static bool wait_after(scanloop *loop, struct slot *slot, size_t i) {
  int64_t wait = slot->steps[i].wait_nanoseconds;
  int64_t begin = now(loop);
  if (wait <= SCANLOOP_WHOLE_WAIT_NANOSECONDS) {
    loop->due += wait;
    wait_until(loop, begin, loop->due > begin + wait ? loop->due : begin + wait);
    return false;
  }
  int64_t passed = begin - loop->due;
  if (passed < slot->usual_nanoseconds[i]) slot->usual_nanoseconds[i] = passed;
  // Sets that take longer than a quarter of the turn make frames longer, not turns dark.
  int64_t usual = slot->usual_nanoseconds[i] < wait / 4 ? slot->usual_nanoseconds[i] : wait / 4;
  int64_t late = passed - usual;
  bool is_late = late > slot->order.late_nanoseconds;
  // A tenth of a turn is compensated invisibly; a short turn has less to give.
  if (late > wait / 10) loop->due += late;
  loop->due += wait;
  wait_until(loop, begin, loop->due);
  return is_late;
}

/// Plays one frame. Returns 0 or the error of setting the lines.
static int play_frame(scanloop *loop, struct slot *slot, int64_t *last_set) {
  const scanloop_order *order = &slot->order;
  bool is_late = false;
  for (size_t i = 0; i < order->count; i++) {
    const scanloop_step *step = &slot->steps[i];
    if (step->mask) {
      loop->levels = (loop->levels & ~(uint64_t)step->mask) | (step->levels & step->mask);
      int error = order->lines.set(order->lines.context, loop->levels);
      if (error < 0) return error;
      if (loop->is_first_frame) *last_set = now(loop);
    }
    if (step->wait_nanoseconds && wait_after(loop, slot, i)) is_late = true;
  }
  atomic_fetch_add_explicit(&loop->frames, 1, memory_order_relaxed);
  if (is_late) atomic_fetch_add_explicit(&loop->late_frames, 1, memory_order_relaxed);
  return 0;
}

static void begin_news(scanloop *loop) {
  atomic_fetch_add_explicit(&loop->news_version, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
}

static void end_news(scanloop *loop) {
  atomic_fetch_add_explicit(&loop->news_version, 1, memory_order_release);
  loop->notify(loop->notify_context);
}

static void take_order(scanloop *loop) {
  loop->playing = atomic_exchange_explicit(&loop->handover, loop->playing, memory_order_acq_rel) & ~fresh;
  const scanloop_order *order = &loop->slots[loop->playing].order;
  // New lines are at rest, and deadlines begin with the first frame after a rest.
  if (order->lines.context != loop->levels_of) {
    loop->levels = order->idle_levels;
    loop->levels_of = order->lines.context;
  }
  if (!loop->has_order) loop->due = now(loop);
  loop->has_order = true;
  loop->is_first_frame = true;
}

static void play(scanloop *loop) {
  struct slot *slot = &loop->slots[loop->playing];
  int64_t last_set = loop->due;
  int error = play_frame(loop, slot, &last_set);
  if (error < 0) {
    loop->has_order = false;
    loop->levels_of = NULL;
    begin_news(loop);
    atomic_store_explicit(&loop->fault, error, memory_order_relaxed);
    atomic_store_explicit(&loop->fault_number, slot->order.number, memory_order_relaxed);
    end_news(loop);
    return;
  }
  if (!slot->order.repeats) loop->has_order = false;
  if (!loop->is_first_frame) return;
  loop->is_first_frame = false;
  begin_news(loop);
  atomic_store_explicit(&loop->shown_at, last_set, memory_order_relaxed);
  atomic_store_explicit(&loop->shown_number, slot->order.number, memory_order_relaxed);
  end_news(loop);
}

static bool has_mail(scanloop *loop) { return atomic_load_explicit(&loop->handover, memory_order_acquire) & fresh; }

static void *run(void *argument) {
  scanloop *loop = argument;
  // Otherwise the sleeps of an ordinary thread are rounded up by 50 µs.
  prctl(PR_SET_TIMERSLACK, 1UL);
  while (true) {
    // Read before the mail: the last order precedes the request to end.
    bool quits = atomic_load_explicit(&loop->quits, memory_order_acquire);
    if (has_mail(loop)) take_order(loop);
    if (quits && (!loop->has_order || loop->slots[loop->playing].order.repeats)) return NULL;
    if (loop->has_order) {
      play(loop);
    } else {
      sem_wait(&loop->bell);
      // The bell may also have rung during play: one check is enough for all rings.
      while (sem_trywait(&loop->bell) == 0) {
      }
    }
  }
}

// MARK: The other threads' side

static int set_bank(void *context, uint64_t levels) { return cgpiobank_set(context, levels); }

scanloop_lines scanloop_lines_of_bank(cgpiobank *bank) { return (scanloop_lines){.set = set_bank, .context = bank}; }

static int start_thread(scanloop *loop, bool real_time) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (real_time) {
    struct sched_param parameters = {.sched_priority = SCANLOOP_PRIORITY};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameters);
  }
  // A thread begins with the signal mask of the one that starts it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&loop->thread, &attributes, run, loop);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error;
}

int scanloop_start(
    const scanloop_clock *clock, bool real_time, void (*news)(void *context), void *context, scanloop **result) {
  *result = NULL;
  scanloop *loop = calloc(1, sizeof *loop);
  if (!loop) return -ENOMEM;
  atomic_init(&loop->handover, 1);
  loop->playing = 2;
  if (clock) loop->clock = *clock;
  loop->notify = news;
  loop->notify_context = context;
  sem_init(&loop->bell, 0, 0);
  int error = start_thread(loop, real_time);
  if (error && real_time) {
    loop->priority_error = error;
    error = start_thread(loop, false);
  }
  if (error) {
    sem_destroy(&loop->bell);
    free(loop);
    return -error;
  }
  pthread_setname_np(loop->thread, "scan");
  *result = loop;
  return 0;
}

int scanloop_play(scanloop *loop, const scanloop_order *order) {
  if (order->count > SCANLOOP_MAX_STEPS) return -E2BIG;
  bool waits = false;
  for (size_t i = 0; i < order->count; i++) waits |= order->steps[i].wait_nanoseconds > 0;
  if (order->count == 0 || (order->repeats && !waits)) return -EINVAL;
  struct slot *slot = &loop->slots[loop->filling];
  slot->order = *order;
  slot->order.steps = slot->steps;
  memcpy(slot->steps, order->steps, order->count * sizeof *order->steps);
  for (size_t i = 0; i < order->count; i++) slot->usual_nanoseconds[i] = INT64_MAX;
  loop->filling = atomic_exchange_explicit(&loop->handover, loop->filling | fresh, memory_order_acq_rel) & ~fresh;
  sem_post(&loop->bell);
  return 0;
}

scanloop_news scanloop_get_news(scanloop *loop) {
  scanloop_news news = {.priority_error = loop->priority_error};
  unsigned version;
  do {
    version = atomic_load_explicit(&loop->news_version, memory_order_acquire);
    news.shown_at = atomic_load_explicit(&loop->shown_at, memory_order_relaxed);
    news.shown_number = atomic_load_explicit(&loop->shown_number, memory_order_relaxed);
    news.fault = atomic_load_explicit(&loop->fault, memory_order_relaxed);
    news.fault_number = atomic_load_explicit(&loop->fault_number, memory_order_relaxed);
    news.frames = atomic_load_explicit(&loop->frames, memory_order_relaxed);
    news.late_frames = atomic_load_explicit(&loop->late_frames, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
  } while (version % 2 != 0 || version != atomic_load_explicit(&loop->news_version, memory_order_relaxed));
  return news;
}

void scanloop_stop(scanloop *loop) {
  if (loop->has_ended) return;
  atomic_store_explicit(&loop->quits, true, memory_order_release);
  sem_post(&loop->bell);
  pthread_join(loop->thread, NULL);
  loop->has_ended = true;
}

void scanloop_free(scanloop *loop) {
  scanloop_stop(loop);
  sem_destroy(&loop->bell);
  free(loop);
}
