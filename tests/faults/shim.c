/* Fails one system call of a process on purpose: the n-th of its kind below a folder. For LD_PRELOAD; see server.py.

   A full disk (ENOSPC) takes half of that write, and refuses every later write and new file. An I/O error (any other
   number) hits one call. No number at all kills: in the middle of a write, before any other call. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE, SYNC, NAME, OPEN, KINDS };

static char below[PATH_MAX];
static int kind = -1, number, how, full;
static int *counts; /* shared with the process that forked this one */

int *fault_counts(void) {
    if (!counts)
        counts = mmap(NULL, KINDS * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(counts, 0, KINDS * sizeof(int));
    return counts;
}

void fault_arm(const char *folder, int the_kind, int the_number, int error) {
    snprintf(below, sizeof below, "%s/", folder);
    kind = the_kind, number = the_number, how = error, full = 0;
}

static int concerns(const char *path) { return below[0] && !strncmp(path, below, strlen(below)); }

static int concerns_fd(int fd) {
    char link[64], path[PATH_MAX];
    if (!below[0])
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0)
        return 0;
    path[size] = 0;
    return concerns(path);
}

/* Says whether this call fails; kills where that was asked for and nothing is to be done first. */
static int fails(int the_kind, int needs_space) {
    if (full)
        return needs_space;
    int hit = ++counts[the_kind] == number && the_kind == kind;
    if (hit && how == ENOSPC && !needs_space)
        return 0;
    if (hit && how == ENOSPC)
        full = 1;
    if (hit && !how && !(the_kind == WRITE && needs_space))
        kill(getpid(), SIGKILL);
    return hit;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t half(int was_full, ssize_t done) {
    if (!how)
        kill(getpid(), SIGKILL);
    if (how == ENOSPC && !was_full && done > 0)
        return done;
    errno = how;
    return -1;
}

ssize_t write(int fd, const void *data, size_t size) {
    int was_full = full;
    if (!concerns_fd(fd) || !fails(WRITE, 1))
        return REAL(write)(fd, data, size);
    return half(was_full, how == EIO || was_full ? -1 : REAL(write)(fd, data, size / 2));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    int was_full = full;
    if (!concerns_fd(fd) || !fails(WRITE, 1))
        return REAL(pwrite64)(fd, data, size, at);
    return half(was_full, how == EIO || was_full ? -1 : REAL(pwrite64)(fd, data, size / 2, at));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

#define GUARDED(the_kind, needs_space, when, call) \
    do { \
        if ((when) && fails(the_kind, needs_space)) { \
            errno = how; \
            return -1; \
        } \
        return call; \
    } while (0)

int ftruncate64(int fd, off64_t size) { GUARDED(WRITE, 0, concerns_fd(fd), REAL(ftruncate64)(fd, size)); }
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
int fsync(int fd) { GUARDED(SYNC, 1, concerns_fd(fd), REAL(fsync)(fd)); }
int fdatasync(int fd) { GUARDED(SYNC, 1, concerns_fd(fd), REAL(fdatasync)(fd)); }

int rename(const char *from, const char *to) { GUARDED(NAME, 1, concerns(to), REAL(rename)(from, to)); }
int link(const char *from, const char *to) { GUARDED(NAME, 1, concerns(to), REAL(link)(from, to)); }
int renameat(int a, const char *from, int b, const char *to) {
    GUARDED(NAME, 1, concerns(to), REAL(renameat)(a, from, b, to));
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    GUARDED(NAME, 1, concerns(to), REAL(renameat2)(a, from, b, to, flags));
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
    GUARDED(NAME, 1, concerns(to), REAL(linkat)(a, from, b, to, flags));
}

#define OPENS(name, parameters, arguments) \
    int name parameters { \
        mode_t mode = 0; \
        if (flags & O_CREAT) { \
            va_list more; \
            va_start(more, flags); \
            mode = va_arg(more, mode_t); \
            va_end(more); \
        } \
        GUARDED(OPEN, flags & O_CREAT, concerns(path), REAL(name) arguments); \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))
