// libebur128 measures the loudness of a sound as defined by ITU-R BS.1770.
#ifndef CEBUR128_SHIM_H
#define CEBUR128_SHIM_H

#include <ebur128.h>

#endif
