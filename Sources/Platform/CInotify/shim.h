// The library's own header only declares the event's structure; the masks are the kernel's.
#include <sys/inotify.h>
#include <inotifytools/inotifytools.h>
