// Functions of the C library for targets that do without Foundation. The C library's own Swift module has another name on each system.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
