// Linux calls that the Glibc module doesn't list.
#include <sys/signalfd.h>
