// A chip that is missing answers the same with libgpiod 1 and 2. scripts/check-libgpiod2.sh builds this against both
// and runs it; the argument is the major version that the library has to say it is.
//
//   probe MAJOR            the errors where there is no chip
//   probe MAJOR CHIP A B   the lines A (an output) and B (an input) of a real or simulated chip, by its path and their
//                          offsets; A is set, read, taken twice and released. For a machine with gpio-sim or a bench.

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CGPIOBank.h"

static int failures;

static void expect(const char *what, long answer, long expected) {
  if (answer == expected) return;
  printf("probe: error: %s: %ld (%s), expected %ld (%s)\n", what, answer, strerror(answer < 0 ? (int)-answer : 0),
         expected, strerror(expected < 0 ? (int)-expected : 0));
  failures++;
}

static void probe_missing_chips(void) {
  cgpiobank_chip *chip;
  cgpiobank_chip_info info;
  cgpiobank *bank;
  uint32_t many[CGPIOBANK_MAX_LINES + 1] = {0};

  int answer = cgpiobank_chip_open("/dev/gpiochip9999", &chip, &info);
  expect("a chip that is missing", answer, -ENOENT);
  expect("a chip that is missing is NULL", chip == NULL, 1);
  expect("a device that is no chip", cgpiobank_chip_open("/dev/null", &chip, &info), -ENODEV);
  expect("65 lines", cgpiobank_request(NULL, many, CGPIOBANK_MAX_LINES + 1, 0, 0, &bank), -E2BIG);
}

static void probe_lines(const char *path, uint32_t output, uint32_t input) {
  cgpiobank_chip *chip, *other;
  cgpiobank_chip_info info;
  cgpiobank_line_info line;
  cgpiobank *bank, *inputs, *second;
  cgpiobank_event event;
  uint64_t values = 0;

  int answer = cgpiobank_chip_open(path, &chip, &info);
  expect("the chip", answer, 0);
  expect("the chip a second time", cgpiobank_chip_open(path, &other, &info), 0);
  if (answer) return;
  printf("probe: %s: %s, %u lines\n", path, info.label, info.line_count);

  expect("the output", cgpiobank_request(chip, &output, 1, 0, 1, &bank), 0);
  expect("the inputs", cgpiobank_request(other, &input, 1, CGPIOBANK_EDGES, 0, &inputs), 0);
  if (!bank || !inputs) return;
  expect("the same again", cgpiobank_request(other, &output, 1, 0, 0, &second), -EBUSY);
  expect("the busy line", cgpiobank_chip_line_info(other, output, &line), 0);
  expect("which is used", line.is_used, 1);
  expect("its consumer", strcmp(line.consumer, CGPIOBANK_CONSUMER), 0);

  expect("its first value", cgpiobank_get(bank, &values), 0);
  expect("which is 1", (long)values, 1);
  expect("setting it", cgpiobank_set(bank, 0), 0);
  expect("reading it", cgpiobank_get(bank, &values), 0);
  expect("which is 0", (long)values, 0);
  expect("events of outputs", cgpiobank_event_fd(bank), -1);
  struct pollfd waited = {.fd = cgpiobank_event_fd(inputs), .events = POLLIN};
  expect("waiting 1 ms", poll(&waited, 1, 1), 0);
  expect("reading without events", cgpiobank_read_events(inputs, &event, 1), 0);
  cgpiobank_release(inputs);
  cgpiobank_chip_close(other);
  cgpiobank_release(bank);
  cgpiobank_chip_close(chip);

  expect("the chip again", cgpiobank_chip_open(path, &chip, &info), 0);
  expect("a line that was released",
         cgpiobank_request(chip, &output, 1, CGPIOBANK_OPEN_DRAIN, 0, &bank), 0);
  cgpiobank_release(bank);
  cgpiobank_chip_close(chip);
}

int main(int count, char **arguments) {
  if (count != 2 && count != 5) {
    fprintf(stderr, "usage: probe MAJOR [CHIP OUTPUT INPUT]\n");
    return 2;
  }
  const char *version = cgpiobank_library_version();
  printf("probe: libgpiod %s\n", version);
  expect("the library's major version", strtol(version, NULL, 10), strtol(arguments[1], NULL, 10));
  probe_missing_chips();
  if (count == 5) {
    probe_lines(arguments[2], (uint32_t)strtoul(arguments[3], NULL, 10), (uint32_t)strtoul(arguments[4], NULL, 10));
  }
  return failures ? 1 : 0;
}
