// libsndfile decodes the sounds of apps.
#pragma once

#include <sndfile.h>
