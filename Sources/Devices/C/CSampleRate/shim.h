// libsamplerate converts the sounds of apps to 44.1 kHz.
#ifndef CSAMPLERATE_SHIM_H
#define CSAMPLERATE_SHIM_H

#include <samplerate.h>

#endif
