/* Preloaded into a process: appends what it does to the files below POWER_CUT_ROOT to the file POWER_CUT_LOG.
 *
 * A record: kind (1 byte), then little-endian lengths and numbers of 8 bytes: length of the path, offset, length
 * of the data; then path and data. Kinds: w write, s sync of a file, d write that is a sync (O_DSYNC), t truncate
 * (offset: the new size), c a file made, m a folder made, u a name removed, f sync of a folder,
 * r a file renamed (data: its old path). A record is written after the call that it is about, under one lock, and
 * only if the call succeeded.
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
        AROUND(REAL(name)(fd, data, length, offset), done > 0 && path_of(fd, path),           \
               record(written(fd), path, offset, &part, 1, done));                            \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PWRITEV(name)                                                                         \
    ssize_t name(int fd, const struct iovec *parts, int count, off_t offset) {                \
        AROUND(REAL(name)(fd, parts, count, offset), done > 0 && path_of(fd, path),           \
               record(written(fd), path, offset, parts, count, done));                        \
    }
PWRITEV(pwritev)
PWRITEV(pwritev64)

ssize_t writev(int fd, const struct iovec *parts, int count) {
    AROUND(REAL(writev)(fd, parts, count), done > 0 && path_of(fd, path),
           record(written(fd), path, lseek(fd, 0, SEEK_CUR) - done, parts, count, done));
}

ssize_t write(int fd, const void *data, size_t length) {
    struct iovec part = {(void *)data, length};
    AROUND(REAL(write)(fd, data, length), done > 0 && path_of(fd, path),
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
        AROUND(called, done >= 0 && is_new, record('c', made, 0, 0, 0, 0));       \
    }
int open(const char *file, int flags, ...) OPEN(AT_FDCWD, REAL(open)(file, flags, mode))
int open64(const char *file, int flags, ...) OPEN(AT_FDCWD, REAL(open64)(file, flags, mode))
int openat(int folder, const char *file, int flags, ...) OPEN(folder, REAL(openat)(folder, file, flags, mode))
int openat64(int folder, const char *file, int flags, ...)
    OPEN(folder, REAL(openat64)(folder, file, flags, mode))

int mkdir(const char *name, mode_t mode) {
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
