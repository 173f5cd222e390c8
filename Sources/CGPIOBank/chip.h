// A chip object, as chip.c makes it and bank.c reads it.

#ifndef CGPIOBANK_CHIP_H
#define CGPIOBANK_CHIP_H

#include "CGPIOBank.h"

struct gpiod_chip;

struct cgpiobank_chip {
  struct gpiod_chip *handle;
  cgpiobank_chip_info info;
};

#endif
