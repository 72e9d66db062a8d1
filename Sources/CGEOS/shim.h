// Only the reentrant functions (those ending in _r): a context belongs to one thread at a time.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>
