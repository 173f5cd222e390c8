// libebur128 measures how loud a sound is, as ITU-R BS.1770 defines it.
#ifndef CEBUR128_SHIM_H
#define CEBUR128_SHIM_H

#include <ebur128.h>

#endif
