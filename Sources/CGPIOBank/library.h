// What differs between the two libraries, and what both share of a bank. Private to this target: gpiod.h itself is
// included by libgpiod1.c and libgpiod2.c alone.

#ifndef CGPIOBANK_LIBRARY_H
#define CGPIOBANK_LIBRARY_H

#include "CGPIOBank.h"

/// libgpiod's chip object; another one in each version.
struct gpiod_chip;

/// A request after its checks.
struct bank_request {
  const uint32_t *offsets;
  uint32_t count;
  uint32_t flags;
  uint64_t values;
  bool is_output;
};

/// The first member of a library's own `struct cgpiobank`.
struct bank_lines {
  uint32_t offsets[CGPIOBANK_MAX_LINES];
  uint32_t count;
  bool is_output;
  /// Readable while events wait; -1 where the bank has none.
  int event_fd;
};

const struct bank_lines *bank_lines(const cgpiobank *bank);

/// NULL with errno on failure.
struct gpiod_chip *library_open(const char *path);
void library_close(struct gpiod_chip *chip);

/// Fills in all but the path.
int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info);
int library_line_info(struct gpiod_chip *chip, uint32_t offset, cgpiobank_line_info *info);

/// Takes over `chip`: closes it on failure, keeps or closes it on success.
int library_request(struct gpiod_chip *chip, const struct bank_request *request, cgpiobank **bank);

/// The place of an offset in a bank; `count` where it is not there.
uint32_t bank_place(const struct bank_lines *lines, uint32_t offset);

/// The errno of a call that failed, as a negative number that is never 0.
int negative_errno(void);

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source);

#endif
