// What scanning a display costs where nothing but the scanning is done: one thread that sets the lines of a bare
// display as the daemon's file for that display asks for, through the same ioctl, at the same times, and reports the
// CPU time that it took. What the daemon needs beyond this is its own.
//
//   scan-reference CHIP spin|sleep FRAMES-PER-SECOND FRAMES SEGMENTS DIGITS
//
// 8 segment lines and 4 digit lines, by offset, separated by commas; all active low. Between two digits it spins, which
// is exact, or sleeps.

#include <fcntl.h>
#include <linux/gpio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { SEGMENTS = 8, DIGITS = 4, BLANK_NANOSECONDS = 20000 };

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void wait_until(int64_t time) {
  struct timespec deadline = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) != 0) {
  }
}

static int offsets(const char *list, uint32_t *result, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    result[i] = (uint32_t)strtoul(list, &end, 10);
    if (end == list || *end != (i < count - 1 ? ',' : '\0')) return 0;
    list = end + 1;
  }
  return 1;
}

static void set(int lines, const struct gpiohandle_data *levels) {
  if (ioctl(lines, GPIOHANDLE_SET_LINE_VALUES_IOCTL, levels) == 0) return;
  perror("scan-reference: set");
  exit(1);
}

int main(int count, char **arguments) {
  struct gpiohandle_request request = {.lines = SEGMENTS + DIGITS, .flags = GPIOHANDLE_REQUEST_OUTPUT};
  if (count != 7 || !offsets(arguments[5], request.lineoffsets, SEGMENTS) ||
      !offsets(arguments[6], request.lineoffsets + SEGMENTS, DIGITS)) {
    fprintf(stderr, "usage: scan-reference CHIP spin|sleep FRAMES-PER-SECOND FRAMES SEGMENTS DIGITS\n");
    return 2;
  }
  const int spins = strcmp(arguments[2], "spin") == 0;
  const int64_t turn = 1000000000LL / atoi(arguments[3]) / DIGITS;
  const long frames = atol(arguments[4]);
  memset(request.default_values, 1, SEGMENTS + DIGITS);
  strcpy(request.consumer_label, "scan-reference");
  int chip = open(arguments[1], O_RDWR);
  if (chip < 0 || ioctl(chip, GPIO_GET_LINEHANDLE_IOCTL, &request) != 0) {
    perror(arguments[1]);
    return 1;
  }

  static const uint8_t glyphs[DIGITS] = {0x06, 0x5B, 0x4F, 0x66};  // 1234
  struct gpiohandle_data levels;
  memset(levels.values, 1, sizeof levels.values);
  int64_t start = now(CLOCK_MONOTONIC), due = start, used = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long frame = 0; frame < frames; frame++) {
    for (int digit = 0; digit < DIGITS; digit++) {
      memset(levels.values + SEGMENTS, 1, DIGITS);
      set(request.fd, &levels);
      int64_t end = now(CLOCK_MONOTONIC) + BLANK_NANOSECONDS;
      if (!spins) wait_until(end);
      while (now(CLOCK_MONOTONIC) < end) {
      }
      for (int segment = 0; segment < SEGMENTS; segment++) levels.values[segment] = !(glyphs[digit] >> segment & 1);
      set(request.fd, &levels);
      levels.values[SEGMENTS + digit] = 0;
      set(request.fd, &levels);
      due += turn;
      wait_until(due);
    }
  }
  printf("%lld %lld\n", (long long)(now(CLOCK_PROCESS_CPUTIME_ID) - used), (long long)(now(CLOCK_MONOTONIC) - start));
  return 0;
}
