/* Preloaded into a process: appends what it does to the files below POWER_CUT_ROOT to the file POWER_CUT_LOG.
 *
 * A record: kind (1 byte), then little-endian lengths and numbers of 8 bytes: length of the path, offset, length
 * of the data; then path and data. Kinds: w write, s sync of a file, d write that is a sync (O_DSYNC), t truncate
 * (offset: the new size), c a file made, m a folder made, u a name removed, f sync of a folder,
 * r a file renamed (data: its old path). A record is written after the call that it is about, under one lock, and
 * only if the call succeeded.
 *
 * A program may call what is in here: `record_below` chooses folder and log anew, `disk_fills` ends the room that
 * the files of a folder have, as a disk of that size would.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -2;
static const char *root;
static char chosen_root[PATH_MAX];
static char full_below[PATH_MAX];
static long room_left; /* writes that still succeed; -1: none, the one that was cut short is done too */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void put(const void *data, size_t left) {
    const char *at = data;
    while (left) {
        long done = syscall(SYS_write, log_fd, at, left);
        if (done < 0) {
            if (errno == EINTR) continue;
            abort(); /* a recording with a hole would prove nothing */
        }
        at += done;
        left -= done;
    }
}

static int is_ours(const char *path) {
    if (log_fd == -2) {
        root = getenv("POWER_CUT_ROOT");
        const char *log = getenv("POWER_CUT_LOG");
        log_fd = root && log ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    }
    return log_fd >= 0 && !strncmp(path, root, strlen(root));
}

static void record(char kind, const char *path, uint64_t offset, const struct iovec *parts, int count, uint64_t length) {
    uint64_t head[3] = {strlen(path), offset, length};
    put(&kind, 1);
    put(head, sizeof head);
    put(path, head[0]);
    for (int at = 0; at < count && length; at++) {
        uint64_t here = parts[at].iov_len < length ? parts[at].iov_len : length;
        put(parts[at].iov_base, here);
        length -= here;
    }
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

/* From here on records what is done below `below`, in `log`; with an empty path nothing. */
void record_below(const char *below, const char *log) {
    pthread_mutex_lock(&lock);
    if (log_fd >= 0) syscall(SYS_close, log_fd);
    snprintf(chosen_root, sizeof chosen_root, "%s", below);
    root = chosen_root;
    log_fd = *below ? syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    pthread_mutex_unlock(&lock);
}

/* After so many more writes below `below` there is no room: the next is cut short, those after it fail, and no
 * file is made. With an empty path there is room again. */
void disk_fills(const char *below, long writes) {
    pthread_mutex_lock(&lock);
    snprintf(full_below, sizeof full_below, "%s", below);
    room_left = writes;
    pthread_mutex_unlock(&lock);
}

/* Whether any write was refused for want of room. */
int disk_is_full(void) { return *full_below && room_left < 0; }

static int is_on_full_disk(const char *path) { return *full_below && !strncmp(path, full_below, strlen(full_below)); }

/* How much of `length` there is room for; 0 with errno where there is none. A write at a place of its own is cut at
 * the bound of a sector. */
static size_t room(int fd, size_t length, long long offset) {
    char link[64], path[PATH_MAX];
    if (!*full_below || !length) return length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    if (size < 0) return length;
    path[size] = 0;
    if (!is_on_full_disk(path)) return length;
    if (room_left > 0) {
        room_left--;
        return length;
    }
    size_t some = room_left ? 0 : length / 2;
    if (offset >= 0) some = (offset + some) / 512 * 512 > offset ? (offset + some) / 512 * 512 - offset : 0;
    room_left = -1;
    if (!some) errno = ENOSPC;
    return some;
}

/* Whether a file or folder may be made; else errno says why not. */
static int may_make(const char *path) {
    if (!disk_is_full() || !is_on_full_disk(path)) return 1;
    errno = ENOSPC;
    return 0;
}

static char written(int fd) { return fcntl(fd, F_GETFL) & O_DSYNC ? 'd' : 'w'; }

#define AROUND(call, ok, action)                     \
    __attribute__((unused)) char path[PATH_MAX];     \
    int saved;                                       \
    pthread_mutex_lock(&lock);                       \
    __typeof__(call) done = (call);                  \
    saved = errno;                                   \
    if (ok) action;                                  \
    pthread_mutex_unlock(&lock);                     \
    errno = saved;                                   \
    return done

#define PWRITE(name)                                                                          \
    ssize_t name(int fd, const void *data, size_t length, off_t offset) {                     \
        struct iovec part = {(void *)data, length};                                           \
        size_t some = room(fd, length, offset);                                               \
        if (length && !some) return -1;                                                       \
        AROUND(REAL(name)(fd, data, some, offset), done > 0 && path_of(fd, path),             \
               record(written(fd), path, offset, &part, 1, done));                            \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PWRITEV(name)                                                                         \
    ssize_t name(int fd, const struct iovec *parts, int count, off_t offset) {                \
        int some = room(fd, count, -1);                                                       \
        if (count && !some) return -1;                                                        \
        AROUND(REAL(name)(fd, parts, some, offset), done > 0 && path_of(fd, path),            \
               record(written(fd), path, offset, parts, some, done));                        \
    }
PWRITEV(pwritev)
PWRITEV(pwritev64)

ssize_t writev(int fd, const struct iovec *parts, int count) {
    int some = room(fd, count, -1);
    if (count && !some) return -1;
    AROUND(REAL(writev)(fd, parts, some), done > 0 && path_of(fd, path),
           record(written(fd), path, lseek(fd, 0, SEEK_CUR) - done, parts, some, done));
}

ssize_t write(int fd, const void *data, size_t length) {
    struct iovec part = {(void *)data, length};
    size_t some = room(fd, length, -1);
    if (length && !some) return -1;
    AROUND(REAL(write)(fd, data, some), done > 0 && path_of(fd, path),
           record(written(fd), path, lseek(fd, 0, SEEK_CUR) - done, &part, 1, done));
}

static char synced(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) ? 'f' : 's';
}

int fsync(int fd) { AROUND(REAL(fsync)(fd), !done && path_of(fd, path), record(synced(fd), path, 0, 0, 0, 0)); }

int fdatasync(int fd) {
    AROUND(REAL(fdatasync)(fd), !done && path_of(fd, path), record(synced(fd), path, 0, 0, 0, 0));
}

#define TRUNCATE(name)                                                                        \
    int name(int fd, off_t size) {                                                            \
        AROUND(REAL(name)(fd, size), !done && path_of(fd, path), record('t', path, size, 0, 0, 0)); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

static int full(int folder, const char *name, char *path) {
    if (name[0] == '/' || folder == AT_FDCWD) {
        if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
        else if (!getcwd(path, PATH_MAX - 2)) return 0;
        else {
            strncat(path, "/", 2);
            strncat(path, name, PATH_MAX - strlen(path) - 1);
        }
        return is_ours(path);
    }
    if (!path_of(folder, path)) return 0;
    strncat(path, "/", 2);
    strncat(path, name, PATH_MAX - strlen(path) - 1);
    return 1;
}

#define OPEN(folder, called)                                                      \
    {                                                                                         \
        mode_t mode = 0;                                                                      \
        if (flags & O_CREAT) {                                                                \
            va_list more;                                                                     \
            va_start(more, flags);                                                            \
            mode = va_arg(more, mode_t);                                                      \
            va_end(more);                                                                     \
        }                                                                                     \
        char made[PATH_MAX];                                                                  \
        int is_new = flags & O_CREAT && full(folder, file, made) && faccessat(folder, file, F_OK, 0); \
        if (is_new && !may_make(made)) return -1;                                             \
        AROUND(called, done >= 0 && is_new, record('c', made, 0, 0, 0, 0));       \
    }
int open(const char *file, int flags, ...) OPEN(AT_FDCWD, REAL(open)(file, flags, mode))
int open64(const char *file, int flags, ...) OPEN(AT_FDCWD, REAL(open64)(file, flags, mode))
int openat(int folder, const char *file, int flags, ...) OPEN(folder, REAL(openat)(folder, file, flags, mode))
int openat64(int folder, const char *file, int flags, ...)
    OPEN(folder, REAL(openat64)(folder, file, flags, mode))

int mkdir(const char *name, mode_t mode) {
    char made[PATH_MAX];
    if (full(AT_FDCWD, name, made) && !may_make(made)) return -1;
    AROUND(REAL(mkdir)(name, mode), !done && full(AT_FDCWD, name, path), record('m', path, 0, 0, 0, 0));
}

int unlink(const char *name) {
    AROUND(REAL(unlink)(name), !done && full(AT_FDCWD, name, path), record('u', path, 0, 0, 0, 0));
}

int unlinkat(int folder, const char *name, int flags) {
    AROUND(REAL(unlinkat)(folder, name, flags), !done && full(folder, name, path), record('u', path, 0, 0, 0, 0));
}

int rename(const char *from, const char *to) {
    char before[PATH_MAX];
    int ours = full(AT_FDCWD, from, before);
    struct iovec part = {before, ours ? strlen(before) : 0};
    AROUND(REAL(rename)(from, to), !done && ours && full(AT_FDCWD, to, path),
           record('r', path, 0, &part, 1, part.iov_len));
}
