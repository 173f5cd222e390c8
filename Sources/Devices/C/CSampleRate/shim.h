// libsamplerate converts the sounds of apps to 44.1 kHz.
#pragma once

#include <samplerate.h>
