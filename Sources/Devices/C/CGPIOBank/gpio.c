// Chips and banks by the kernel's own interface, version 2 of its GPIO devices (Linux 5.10). Chips are found by the names
// that users write: an ambiguous label and a missing permission are reported.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/gpio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "CGPIOBank.h"

struct cgpiobank_chip {
  int descriptor;
  cgpiobank_chip_info info;
};

struct cgpiobank {
  /// The kernel's object of the request. Closing it releases the lines.
  int descriptor;
  /// The bits of all lines.
  uint64_t mask;
  /// The flags of the request.
  uint32_t flags;
};

static const char device_folder[] = "/dev";
static const char device_prefix[] = "gpiochip";

/// Returns the errno of a failed call, as a negative number that is never 0.
static int negative_errno(void) { return errno > 0 ? -errno : -EIO; }

/// Copies a name of the kernel's, whose NUL may be missing.
static void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char source[GPIO_MAX_NAME_SIZE]) {
  snprintf(destination, CGPIOBANK_NAME_SIZE, "%.*s", GPIO_MAX_NAME_SIZE, source);
}

// MARK: Chips

static int compare_numbers(const void *left, const void *right) {
  unsigned a = *(const unsigned *)left;
  unsigned b = *(const unsigned *)right;
  return (a > b) - (a < b);
}

/// Lists the numbers of the chips in /dev, ascending.
static int chip_numbers(unsigned numbers[CGPIOBANK_MAX_CHIPS], size_t *count) {
  *count = 0;
  DIR *folder = opendir(device_folder);
  if (!folder) return errno == ENOENT ? 0 : negative_errno();
  const struct dirent *entry;
  while (*count < CGPIOBANK_MAX_CHIPS && (entry = readdir(folder))) {
    if (strncmp(entry->d_name, device_prefix, strlen(device_prefix)) != 0) continue;
    const char *digits = entry->d_name + strlen(device_prefix);
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 6 || digits[length] != '\0') continue;
    numbers[(*count)++] = (unsigned)strtoul(digits, NULL, 10);
  }
  closedir(folder);
  qsort(numbers, *count, sizeof numbers[0], compare_numbers);
  return 0;
}

/// Returns true for the device of a GPIO chip. Opening any other device could have effects.
static bool is_chip(dev_t device) {
  char link[64], target[PATH_MAX];
  snprintf(link, sizeof link, "/sys/dev/char/%u:%u/subsystem", major(device), minor(device));
  ssize_t length = readlink(link, target, sizeof target);
  static const char bus[] = "/bus/gpio";
  size_t last = sizeof bus - 1;
  return length > (ssize_t)last && memcmp(target + length - last, bus, last) == 0;
}

static int open_path(const char *path, cgpiobank_chip **result) {
  if (strlen(path) >= CGPIOBANK_NAME_SIZE) return -ENAMETOOLONG;
  struct stat status;
  if (stat(path, &status) != 0) return negative_errno();
  if (!S_ISCHR(status.st_mode) || !is_chip(status.st_rdev)) return -ENODEV;
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return negative_errno();
  struct gpiochip_info known;
  cgpiobank_chip *chip = NULL;
  int error = ioctl(descriptor, GPIO_GET_CHIPINFO_IOCTL, &known) == 0 ? 0 : negative_errno();
  if (!error && !(chip = calloc(1, sizeof *chip))) error = -ENOMEM;
  if (error) {
    close(descriptor);
    return error;
  }
  chip->descriptor = descriptor;
  strcpy(chip->info.path, path);
  copy_name(chip->info.name, known.name);
  copy_name(chip->info.label, known.label);
  chip->info.line_count = known.lines;
  *result = chip;
  return 0;
}

static int open_number(unsigned number, cgpiobank_chip **result) {
  char path[CGPIOBANK_NAME_SIZE];
  snprintf(path, sizeof path, "%s/%s%u", device_folder, device_prefix, number);
  return open_path(path, result);
}

/// Lists the chips that can be opened. `denied` is the error of one that may not be, else 0.
static int list(cgpiobank_chip_info *chips, size_t capacity, int *denied) {
  unsigned numbers[CGPIOBANK_MAX_CHIPS];
  size_t count;
  *denied = 0;
  int error = chip_numbers(numbers, &count);
  if (error) return error;
  int listed = 0;
  for (size_t i = 0; i < count && (size_t)listed < capacity; i++) {
    cgpiobank_chip *chip;
    error = open_number(numbers[i], &chip);
    if (error == 0) {
      chips[listed++] = chip->info;
      cgpiobank_chip_close(chip);
    } else if (error == -EACCES || error == -EPERM) {
      *denied = error;
    }
  }
  return listed;
}

int cgpiobank_list_chips(cgpiobank_chip_info *chips, size_t capacity) {
  int denied;
  int listed = list(chips, capacity, &denied);
  return listed == 0 && denied ? denied : listed;
}

int cgpiobank_chip_open(const char *which, cgpiobank_chip **result) {
  if (!result) return -EINVAL;
  *result = NULL;
  if (!which || !*which) return -EINVAL;
  if (strchr(which, '/')) return open_path(which, result);

  cgpiobank_chip_info chips[CGPIOBANK_MAX_CHIPS];
  int denied;
  int count = list(chips, CGPIOBANK_MAX_CHIPS, &denied);
  if (count < 0) return count;
  const cgpiobank_chip_info *labelled = NULL;
  const cgpiobank_chip_info *named = NULL;
  for (int i = 0; i < count; i++) {
    if (strcmp(chips[i].label, which) == 0) {
      if (labelled) return -ENOTUNIQ;
      labelled = &chips[i];
    } else if (!named && strcmp(chips[i].name, which) == 0) {
      named = &chips[i];
    }
  }
  if (labelled || named) return open_path(labelled ? labelled->path : named->path, result);
  return denied ? denied : -ENOENT;
}

void cgpiobank_chip_close(cgpiobank_chip *chip) {
  if (!chip) return;
  close(chip->descriptor);
  free(chip);
}

const cgpiobank_chip_info *cgpiobank_chip_describe(const cgpiobank_chip *chip) { return &chip->info; }

int cgpiobank_chip_line_info(cgpiobank_chip *chip, uint32_t offset, cgpiobank_line_info *info) {
  if (!chip || !info) return -EINVAL;
  memset(info, 0, sizeof *info);
  info->offset = offset;
  if (offset >= chip->info.line_count) return -ERANGE;
  struct gpio_v2_line_info known = {.offset = offset};
  if (ioctl(chip->descriptor, GPIO_V2_GET_LINEINFO_IOCTL, &known) != 0) return negative_errno();
  copy_name(info->name, known.name);
  copy_name(info->consumer, known.consumer);
  info->is_used = known.flags & GPIO_V2_LINE_FLAG_USED;
  return 0;
}

// MARK: Banks

static int check_flags(uint32_t flags, size_t count) {
  uint32_t valid =
      CGPIOBANK_OUTPUTS | CGPIOBANK_ACTIVE_LOW | CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED;
  valid |= flags & CGPIOBANK_OUTPUTS ? CGPIOBANK_OPEN_DRAIN : CGPIOBANK_EDGES;
  if (flags & ~valid || (flags & CGPIOBANK_EDGES && count > 1)) return -EINVAL;
  uint32_t bias = flags & (CGPIOBANK_PULL_UP | CGPIOBANK_PULL_DOWN | CGPIOBANK_BIAS_DISABLED);
  return (bias & (bias - 1)) == 0 ? 0 : -EINVAL;
}

static int check_offsets(cgpiobank_chip *chip, const uint32_t *offsets, size_t count, cgpiobank_line_info *culprit) {
  for (size_t i = 0; i < count; i++) {
    int error = cgpiobank_chip_line_info(chip, offsets[i], culprit);
    if (error) return error;
    for (size_t j = 0; j < i; j++) {
      if (offsets[j] == offsets[i]) return -EEXIST;
    }
  }
  return 0;
}

static void blame_none(cgpiobank_line_info *culprit) {
  memset(culprit, 0, sizeof *culprit);
  culprit->offset = UINT32_MAX;
}

/// Finds the line that is in use. The request failed a moment ago, so the line may be free again by now.
static void find_busy_line(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, cgpiobank_line_info *culprit) {
  for (size_t i = 0; i < count; i++) {
    if (cgpiobank_chip_line_info(chip, offsets[i], culprit) == 0 && culprit->is_used) return;
  }
  blame_none(culprit);
}

/// Returns the kernel's flags for those of a bank.
static uint64_t line_flags(uint32_t flags) {
  uint64_t result = flags & CGPIOBANK_OUTPUTS ? GPIO_V2_LINE_FLAG_OUTPUT : GPIO_V2_LINE_FLAG_INPUT;
  if (flags & CGPIOBANK_ACTIVE_LOW) result |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  if (flags & CGPIOBANK_OPEN_DRAIN) result |= GPIO_V2_LINE_FLAG_OPEN_DRAIN;
  if (flags & CGPIOBANK_PULL_UP) result |= GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
  if (flags & CGPIOBANK_PULL_DOWN) result |= GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
  if (flags & CGPIOBANK_BIAS_DISABLED) result |= GPIO_V2_LINE_FLAG_BIAS_DISABLED;
  if (flags & CGPIOBANK_EDGES) result |= GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
  return result;
}

int cgpiobank_request(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, uint64_t values, cgpiobank **result,
    cgpiobank_line_info *culprit) {
  blame_none(culprit);
  *result = NULL;
  if (count > CGPIOBANK_MAX_LINES) return -E2BIG;
  if (!chip || !offsets || count == 0) return -EINVAL;
  int error = check_flags(flags, count);
  if (!error) error = check_offsets(chip, offsets, count, culprit);
  if (error) return error;

  blame_none(culprit);
  cgpiobank *bank = calloc(1, sizeof *bank);
  if (!bank) return -ENOMEM;
  bank->mask = UINT64_MAX >> (CGPIOBANK_MAX_LINES - count);
  bank->flags = flags;
  struct gpio_v2_line_request request = {
      .consumer = CGPIOBANK_CONSUMER,
      .config = {.flags = line_flags(flags)},
      .num_lines = (uint32_t)count,
  };
  memcpy(request.offsets, offsets, count * sizeof *offsets);
  if (flags & CGPIOBANK_OUTPUTS) {
    request.config.num_attrs = 1;
    request.config.attrs[0] = (struct gpio_v2_line_config_attribute){
        .attr = {.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES, .values = values & bank->mask},
        .mask = bank->mask,
    };
  }
  if (ioctl(chip->descriptor, GPIO_V2_GET_LINE_IOCTL, &request) != 0) {
    error = negative_errno();
    free(bank);
    if (error == -EBUSY) find_busy_line(chip, offsets, count, culprit);
    return error;
  }
  bank->descriptor = request.fd;
  *result = bank;
  return 0;
}

void cgpiobank_release(cgpiobank *bank) {
  if (!bank) return;
  close(bank->descriptor);
  free(bank);
}

int cgpiobank_set(cgpiobank *bank, uint64_t values) {
  if (!(bank->flags & CGPIOBANK_OUTPUTS)) return -EPERM;
  struct gpio_v2_line_values wanted = {.bits = values, .mask = bank->mask};
  return ioctl(bank->descriptor, GPIO_V2_LINE_SET_VALUES_IOCTL, &wanted) == 0 ? 0 : negative_errno();
}

int cgpiobank_get(cgpiobank *bank, uint64_t *values) {
  struct gpio_v2_line_values found = {.mask = bank->mask};
  if (ioctl(bank->descriptor, GPIO_V2_LINE_GET_VALUES_IOCTL, &found) != 0) return negative_errno();
  *values = found.bits & bank->mask;
  return 0;
}

// MARK: Edge events

int cgpiobank_event_fd(const cgpiobank *bank) { return bank->flags & CGPIOBANK_EDGES ? bank->descriptor : -EPERM; }

int cgpiobank_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  if (!(bank->flags & CGPIOBANK_EDGES)) return -EPERM;
  if (capacity == 0) return 0;
  // Reading blocks if there is nothing to read.
  struct pollfd waited = {.fd = bank->descriptor, .events = POLLIN};
  int ready = poll(&waited, 1, 0);
  if (ready < 0) return errno == EINTR ? 0 : negative_errno();
  if (ready == 0) return 0;
  // A line that hangs up without events to read has lost its chip.
  if (!(waited.revents & POLLIN)) return -ENODEV;
  struct gpio_v2_line_event buffer[CGPIOBANK_KEPT_EVENTS];
  size_t wanted = capacity < CGPIOBANK_KEPT_EVENTS ? capacity : CGPIOBANK_KEPT_EVENTS;
  ssize_t size = read(bank->descriptor, buffer, wanted * sizeof buffer[0]);
  if (size < 0) return negative_errno();
  int count = (int)((size_t)size / sizeof buffer[0]);
  for (int i = 0; i < count; i++) {
    events[i] = (cgpiobank_event){
        .timestamp_nanoseconds = (int64_t)buffer[i].timestamp_ns,
        .is_rising = buffer[i].id == GPIO_V2_LINE_EVENT_RISING_EDGE,
    };
  }
  return count;
}
