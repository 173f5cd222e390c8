// libebur128 measures the loudness of a sound as defined by ITU-R BS.1770.
#pragma once

#include <ebur128.h>
