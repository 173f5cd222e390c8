// Another program that uses a line: takes it and keeps it until it is ended.
//
//   hold-line CHIP OFFSET NAME

#include <fcntl.h>
#include <linux/gpio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: hold-line CHIP OFFSET NAME\n");
    return 2;
  }
  struct gpiohandle_request request = {.lines = 1, .flags = GPIOHANDLE_REQUEST_OUTPUT};
  request.lineoffsets[0] = (uint32_t)strtoul(arguments[2], NULL, 10);
  snprintf(request.consumer_label, sizeof request.consumer_label, "%s", arguments[3]);
  int chip = open(arguments[1], O_RDWR);
  if (chip < 0 || ioctl(chip, GPIO_GET_LINEHANDLE_IOCTL, &request) != 0) {
    perror(arguments[1]);
    return 1;
  }
  puts("held");
  fflush(stdout);
  pause();
  return 0;
}
