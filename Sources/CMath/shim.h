// The mathematical functions of the C library. A module of their own, so that pure targets need neither Foundation nor the C library's
// name, which differs between systems.
#include <math.h>
