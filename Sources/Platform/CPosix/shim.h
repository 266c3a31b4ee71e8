// Linux calls that the Glibc module doesn't list.
#include <sys/signalfd.h>

// In <stdio.h>, but only for _GNU_SOURCE.
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
#define CPOSIX_RENAME_NOREPLACE 1u

// In <poll.h>, but only for _GNU_SOURCE.
#define CPOSIX_POLLRDHUP 0x2000

// In <fcntl.h>, but only for _GNU_SOURCE.
#define CPOSIX_O_PATH 010000000

// Privileges: the C library has no functions for these calls, and Swift can't make variadic ones.
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// From Linux 6.2 and 6.10, newer than the header of Debian 12.
#define CPOSIX_LANDLOCK_TRUNCATE (1ull << 14)
#define CPOSIX_LANDLOCK_IOCTL_DEV (1ull << 15)

static inline int cposix_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

static inline int cposix_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return (int)syscall(SYS_capset, &header, none);
}

static inline int cposix_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static inline int cposix_landlock_create(unsigned long long handled) {
    struct landlock_ruleset_attr ruleset = {.handled_access_fs = handled};
    return (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
}

static inline int cposix_landlock_allow(int ruleset, int place, unsigned long long rights) {
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = place};
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static inline int cposix_landlock_restrict(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}
