// Finds chips and lines by the names that users write. Chips are looked up here rather than by the library: the two
// versions differ in the order, and neither reports an ambiguous label or a missing permission.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "library.h"

static const char device_folder[] = "/dev";
static const char device_prefix[] = "gpiochip";

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

static int open_path(const char *path, cgpiobank_chip **result) {
  if (strlen(path) >= CGPIOBANK_NAME_SIZE) return -ENAMETOOLONG;
  struct stat status;
  if (stat(path, &status) != 0) return negative_errno();
  if (!S_ISCHR(status.st_mode)) return -ENODEV;
  cgpiobank_chip *chip = calloc(1, sizeof *chip);
  if (!chip) return -ENOMEM;
  chip->handle = gpiod_chip_open(path);
  if (!chip->handle) {
    int error = negative_errno();
    free(chip);
    // The errors of a device that is no GPIO chip, in both versions.
    return error == -ENOTTY || error == -EINVAL || error == -ENXIO ? -ENODEV : error;
  }
  int error = library_describe(chip->handle, &chip->info);
  if (error) {
    cgpiobank_chip_close(chip);
    return error;
  }
  copy_name(chip->info.path, path);
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
  gpiod_chip_close(chip->handle);
  free(chip);
}

const cgpiobank_chip_info *cgpiobank_chip_describe(const cgpiobank_chip *chip) { return &chip->info; }

int cgpiobank_chip_line_info(cgpiobank_chip *chip, uint32_t offset, cgpiobank_line_info *info) {
  if (!chip || !info) return -EINVAL;
  memset(info, 0, sizeof *info);
  info->offset = offset;
  if (offset >= chip->info.line_count) return -ERANGE;
  return library_line_info(chip->handle, offset, info);
}

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source) {
  snprintf(destination, CGPIOBANK_NAME_SIZE, "%s", source ? source : "");
}

int negative_errno(void) { return errno > 0 ? -errno : -EIO; }
