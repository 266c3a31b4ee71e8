#include "clibc.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

// glibc passes constructors what main gets.
static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

int clibc_argument_count(void) { return argument_count; }

const char *clibc_argument(int index) { return arguments[index]; }

int clibc_errno(void) { return errno; }

int clibc_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags | O_CLOEXEC, mode);
}

static void drop_timers_and_limits(void) {
    prctl(PR_SET_PDEATHSIG, 0);
    struct itimerval off = {0};
    setitimer(ITIMER_REAL, &off, NULL);
    setitimer(ITIMER_VIRTUAL, &off, NULL);
    setitimer(ITIMER_PROF, &off, NULL);
    static const int limits[] = {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA};
    for (size_t index = 0; index < sizeof limits / sizeof *limits; index++) {
        struct rlimit limit;
        if (getrlimit(limits[index], &limit)) continue;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(limits[index], &limit);
    }
}

static volatile sig_atomic_t alarm_status;
static const char *volatile alarm_line;

// Only async-signal-safe calls, and no cleaning up: whatever was under way may be half done. The timer ticks on, and
// the second tick ends what the line may wait for.
static void end_at_alarm(int number) {
    (void)number;
    static volatile sig_atomic_t is_second;
    if (!is_second) {
        is_second = 1;
        clibc_say(alarm_line);
    }
    _exit(alarm_status);
}

void clibc_settle(unsigned seconds, int status, const char *line) {
    drop_timers_and_limits();
    for (int number = 1; number <= SIGRTMAX; number++) {
        // What is pending survives execve(2) and would kill as soon as it is unblocked; ignoring discards it.
        signal(number, SIG_IGN);
        signal(number, SIG_DFL);
    }
    static const int ignored[] = {SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU};
    for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) signal(ignored[index], SIG_IGN);
    alarm_status = status;
    alarm_line = line;
    struct sigaction at_alarm = {.sa_handler = end_at_alarm, .sa_flags = SA_NODEFER};
    sigaction(SIGALRM, &at_alarm, NULL);
    struct itimerval timer = {.it_value = {.tv_sec = seconds}, .it_interval = {.tv_usec = 100000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

bool clibc_standard_error_is_log(void) {
    struct stat status;
    if (fstat(STDERR_FILENO, &status)) return false;
    return S_ISREG(status.st_mode) || isatty(STDERR_FILENO);
}

static bool writes_to_standard_error(const char *line, size_t length) {
    // A terminal may be stopped.
    struct pollfd log = {.fd = STDERR_FILENO, .events = POLLOUT};
    return poll(&log, 1, 0) == 1 && log.revents == POLLOUT && write(log.fd, line, length) == (ssize_t)length;
}

void clibc_say(const char *line) {
    size_t length = strlen(line);
    if (clibc_standard_error_is_log() && writes_to_standard_error(line, length)) return;
    // Not syslog(3), which waits for a reader that is stuck, and isn't for signal handlers.
    int log = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (log == -1) return;
    static char priority[] = "<19>";
    struct sockaddr_un reader = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    struct iovec parts[] = {{priority, strlen(priority)}, {(char *)line, length - 1}};
    struct msghdr message = {
        .msg_name = &reader, .msg_namelen = sizeof reader, .msg_iov = parts, .msg_iovlen = 2};
    sendmsg(log, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(log);
}
