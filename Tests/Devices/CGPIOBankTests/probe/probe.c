// A chip that is missing answers the same with libgpiod 1 and 2. scripts/check-libgpiod2.sh builds this against both
// and runs it; the argument is the major version that the library has to say it is.
//
//   probe MAJOR            the errors where there is no chip
//   probe MAJOR CHIP A B   the lines A (an output) and B (an input) of a real or simulated chip, by offset; A is set,
//                          read, taken twice and released. For a machine with gpio-sim or a bench.

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
  cgpiobank *bank;
  cgpiobank_line_info culprit;
  const uint32_t offset = 0;
  uint32_t many[CGPIOBANK_MAX_LINES + 1] = {0};

  const char *missing[] = {"pinctrl-of-nobody", "gpiochip9999", "/dev/gpiochip9999"};
  for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
    int answer = cgpiobank_chip_open(missing[i], &chip);
    expect(missing[i], answer, -ENOENT);
    expect("a chip that is missing is NULL", chip == NULL, 1);
    printf("probe: %s: %s\n", missing[i], strerror(-answer));
  }
  expect("a device that is no chip", cgpiobank_chip_open("/dev/null", &chip), -ENODEV);
  expect("no name", cgpiobank_chip_open("", &chip), -EINVAL);
  expect("a request without a chip",
         cgpiobank_request(NULL, &offset, 1, CGPIOBANK_OUTPUTS, 0, &bank, &culprit), -EINVAL);
  expect("65 lines",
         cgpiobank_request(NULL, many, CGPIOBANK_MAX_LINES + 1, CGPIOBANK_OUTPUTS, 0, &bank, &culprit), -E2BIG);
  expect("65 lines blame none", culprit.offset, UINT32_MAX);
  expect("65 inputs", cgpiobank_request(NULL, many, CGPIOBANK_MAX_LINES + 1, 0, 0, &bank, &culprit), -E2BIG);
}

static void probe_lines(const char *which, uint32_t output, uint32_t input) {
  cgpiobank_chip *chip;
  cgpiobank *bank, *inputs, *second;
  cgpiobank_line_info culprit;
  cgpiobank_event event;
  uint64_t values = 0;
  const uint32_t twice[] = {output, output};

  int answer = cgpiobank_chip_open(which, &chip);
  expect("the chip", answer, 0);
  if (answer) return;
  const uint32_t past = cgpiobank_chip_describe(chip)->line_count;
  printf("probe: %s: %s, %u lines\n", which, cgpiobank_chip_describe(chip)->label, past);
  expect("a line past the last", cgpiobank_request(chip, &past, 1, CGPIOBANK_OUTPUTS, 0, &bank, &culprit), -ERANGE);
  expect("its offset", culprit.offset, past);
  expect("a line twice", cgpiobank_request(chip, twice, 2, CGPIOBANK_OUTPUTS, 0, &bank, &culprit), -EEXIST);
  expect("two biases",
         cgpiobank_request(chip, &output, 1, CGPIOBANK_OUTPUTS | CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN, 0, &bank,
                           &culprit), -EINVAL);
  expect("edges of outputs",
         cgpiobank_request(chip, &output, 1, CGPIOBANK_OUTPUTS | CGPIOBANK_EDGES, 0, &bank, &culprit), -EINVAL);

  expect("the output", cgpiobank_request(chip, &output, 1, CGPIOBANK_OUTPUTS, 1, &bank, &culprit), 0);
  expect("the inputs", cgpiobank_request(chip, &input, 1, CGPIOBANK_EDGES, 0, &inputs, &culprit), 0);
  if (!bank || !inputs) return;
  expect("the same again", cgpiobank_request(chip, &output, 1, CGPIOBANK_OUTPUTS, 0, &second, &culprit), -EBUSY);
  expect("the busy line", culprit.offset, output);
  expect("its consumer", strcmp(culprit.consumer, CGPIOBANK_CONSUMER), 0);
  cgpiobank_chip_close(chip);  // Banks live on.

  expect("its first value", cgpiobank_get(bank, &values), 0);
  expect("which is 1", (long)values, 1);
  expect("setting it", cgpiobank_set(bank, 0), 0);
  expect("reading it", cgpiobank_get(bank, &values), 0);
  expect("which is 0", (long)values, 0);
  expect("setting inputs", cgpiobank_set(inputs, 0), -EPERM);
  expect("events of outputs", cgpiobank_event_fd(bank), -EPERM);
  struct pollfd waited = {.fd = cgpiobank_event_fd(inputs), .events = POLLIN};
  expect("waiting 1 ms", poll(&waited, 1, 1), 0);
  expect("reading without events", cgpiobank_read_events(inputs, &event, 1), 0);
  cgpiobank_release(inputs);
  cgpiobank_release(bank);

  expect("the chip again", cgpiobank_chip_open(which, &chip), 0);
  expect("a line that was released",
         cgpiobank_request(chip, &output, 1, CGPIOBANK_OUTPUTS | CGPIOBANK_OPEN_DRAIN, 0, &bank, &culprit), 0);
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
