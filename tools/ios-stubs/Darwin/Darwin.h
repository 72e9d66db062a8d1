// The part of Apple's C library that the Swift library uses, as Apple's headers declare it.
double sin(double);
double cos(double);
double asin(double);
double atan2(double, double);

typedef enum { _CLOCK_REALTIME = 0 } clockid_t;
static const clockid_t CLOCK_REALTIME = _CLOCK_REALTIME;
struct timespec {
    long tv_sec;
    long tv_nsec;
};
int clock_gettime(clockid_t, struct timespec *);
