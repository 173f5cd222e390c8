// libqrencode computes the modules of a QR code.
#pragma once

#include <qrencode.h>
