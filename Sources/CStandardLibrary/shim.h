// Functions of the C library for targets that do without Foundation. The C library's own Swift module has another name on each system.
#include <dirent.h>
#include <errno.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
