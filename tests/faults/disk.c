/* A disk that can fail, between a program and the real one: preloaded, it sees what is done below FAULTS_ROOT.

   With FAULTS_LOG it writes down every change in its order, and what goes into a pipe (what the program told).
   With FAULTS_CONTROL, a file of six 64-bit numbers that a test changes meanwhile, it fails:
     room     bytes by which files may still grow; then a write is cut short, and the next one gets ENOSPC
     fault    an errno that every change gets, and with EIO every reading too; 0 for none
     delay    microseconds that each write and each sync takes longer
     calls    writes that still succeed; then one is cut short, and all others get ENOSPC, those that let no file grow too
     part     of the one that is cut short: 0 nothing is written, 1 half of it, 2 all but the last byte, 3+N its first N
     count    counts the writes
   A record of the log: kind, lengths of path, of second path and of data, offset (all 8 bytes), then these three. */

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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

struct control { volatile int64_t room, fault, delay, calls, part, count; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct control *control;
static const char *root;
static int log_file = -1;

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("FAULTS_LOG");
    root = getenv("FAULTS_ROOT");
    if (root && file) log_file = REAL(open)(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (root && (file = getenv("FAULTS_CONTROL"))) {
        int handle = REAL(open)(file, O_RDWR | O_CLOEXEC);
        control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
        if (control == MAP_FAILED) abort();
        REAL(close)(handle);
    }
}

static int is_watched(const char *path) {
    size_t length = root ? strlen(root) : 0;
    if (!length || strncmp(path, root, length) || (path[length] && path[length] != '/')) return 0;
    length = strlen(path);
    return !(length > 4 && !strcmp(path + length - 4, "-shm"));  /* made anew by whoever opens the archive */
}

static int path_of(int folder, const char *name, char *path) {
    char link[64];
    if (name && name[0] == '/') { snprintf(path, PATH_MAX, "%s", name); return is_watched(path); }
    if (folder == AT_FDCWD) { if (!getcwd(path, PATH_MAX)) return 0; }
    else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, path, PATH_MAX - 1);
        if (length <= 0) return 0;
        path[length] = 0;
    }
    if (name) { size_t end = strlen(path); snprintf(path + end, PATH_MAX - end, "/%s", name); }
    return is_watched(path);
}

static void note(char kind, const char *path, const char *second, const void *data, size_t size, int64_t offset) {
    if (log_file < 0) return;
    int64_t head[5] = {kind, strlen(path), second ? strlen(second) : 0, size, offset};
    size_t whole = sizeof head + head[1] + head[2] + size;
    char *record = malloc(whole), *end = record;
    end = mempcpy(mempcpy(end, head, sizeof head), path, head[1]);
    end = mempcpy(end, second ? second : "", head[2]);
    if (size) memcpy(end, data, size);
    for (size_t done = 0; done < whole;) {
        ssize_t more = REAL(write)(log_file, record + done, whole - done);
        if (more < 0) abort();
        done += more;
    }
    free(record);
}

static int fails(void) {
    if (control && control->fault) { errno = control->fault; return 1; }
    return 0;
}

static void take_time(void) { if (control && control->delay) usleep(control->delay); }

/* How much of so many bytes at that place there is room for; -1 for none at all. */
static ssize_t room_for(int file, int64_t offset, size_t size) {
    struct stat status;
    if (!control || fstat(file, &status) || offset + (int64_t)size <= status.st_size) return size;
    int64_t free_part = offset < status.st_size ? status.st_size - offset : 0, growth = size - free_part;
    if (growth > control->room) {
        growth = control->room;
        if (free_part + growth == 0) { errno = ENOSPC; return -1; }
    }
    control->room -= growth;
    return free_part + growth;
}

/* How much of a write there is before the calls run out; -1 for nothing of it. */
static ssize_t part_for(size_t size) {
    if (!control) return size;
    control->count++;
    if (control->calls > 0) { control->calls--; return size; }
    int64_t part = control->part;
    control->part = 0;
    if (part >= 3) size = part - 3 < (int64_t)size ? part - 3 : size;
    else size = part == 1 ? size / 2 : part == 2 && size ? size - 1 : 0;
    if (!size) { errno = ENOSPC; return -1; }
    return size;
}

static int64_t place_of(int file) {
    struct stat status;
    if (fcntl(file, F_GETFL) & O_APPEND) return fstat(file, &status) ? -1 : status.st_size;
    return lseek(file, 0, SEEK_CUR);
}

static ssize_t change(int file, const void *data, size_t size, int64_t offset, int is_positioned) {
    char path[PATH_MAX];
    struct stat status;
    if (!root || fstat(file, &status)) return is_positioned ? REAL(pwrite)(file, data, size, offset) : REAL(write)(file, data, size);
    if (S_ISFIFO(status.st_mode) && file != 2 && log_file >= 0) {
        pthread_mutex_lock(&lock);
        note('A', "", NULL, data, size, 0);  /* before it is told: what the log has so far is what it may rely on */
        pthread_mutex_unlock(&lock);
        return REAL(write)(file, data, size);
    }
    if (!S_ISREG(status.st_mode) || !path_of(file, NULL, path))
        return is_positioned ? REAL(pwrite)(file, data, size, offset) : REAL(write)(file, data, size);
    take_time();
    pthread_mutex_lock(&lock);
    ssize_t done = -1;
    int64_t at = is_positioned ? offset : place_of(file);
    if (!fails() && (done = part_for(size)) >= 0 && (done = room_for(file, at, done)) >= 0) {
        done = is_positioned ? REAL(pwrite)(file, data, done, offset) : REAL(write)(file, data, done);
        if (done > 0) note('W', path, NULL, data, done, at);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return done;
}

ssize_t write(int file, const void *data, size_t size) { return change(file, data, size, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) { return change(file, data, size, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) { return change(file, data, size, offset, 1); }

/* Copying inside the kernel: said to be impossible, so that the caller reads and writes. */
ssize_t sendfile(int to, int from, off_t *offset, size_t size) { errno = EINVAL; return -1; }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) { errno = EINVAL; return -1; }
ssize_t copy_file_range(int from, off64_t *a, int to, off64_t *b, size_t size, unsigned flags) { errno = EXDEV; return -1; }

static int is_unreadable(int file) {
    char path[PATH_MAX];
    if (!control || control->fault != EIO || !path_of(file, NULL, path)) return 0;
    errno = EIO;
    return 1;
}

ssize_t read(int file, void *data, size_t size) { return is_unreadable(file) ? -1 : REAL(read)(file, data, size); }
ssize_t pread(int file, void *data, size_t size, off_t at) { return is_unreadable(file) ? -1 : REAL(pread)(file, data, size, at); }
ssize_t pread64(int file, void *data, size_t size, off64_t at) { return is_unreadable(file) ? -1 : REAL(pread64)(file, data, size, at); }

static int opened(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int is_writing = flags & (O_WRONLY | O_RDWR | O_CREAT);
    if (!root || !path_of(folder, name, path)) return REAL(openat)(folder, name, flags, mode);
    if (control && (control->fault == EIO || (is_writing && control->fault))) { errno = control->fault; return -1; }
    pthread_mutex_lock(&lock);
    struct stat status;
    int is_new = fstatat(folder, name, &status, 0) != 0;
    int file = REAL(openat)(folder, name, flags, mode);
    int error = errno;
    if (file >= 0 && (flags & O_CREAT) && is_new) note('C', path, NULL, NULL, 0, 0);
    else if (file >= 0 && (flags & O_TRUNC) && status.st_size) note('T', path, NULL, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return file;
}

#define WITH_MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int open(const char *name, int flags, ...) { WITH_MODE return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { WITH_MODE return opened(AT_FDCWD, name, flags, mode); }
int openat(int folder, const char *name, int flags, ...) { WITH_MODE return opened(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) { WITH_MODE return opened(folder, name, flags, mode); }

/* A change of a file or of names: done, then written down. */
#define CHANGED(is_ours, call, kind, path, second, offset) ({ \
    int result; \
    if (!root || !(is_ours)) result = (call); \
    else { \
        take_time(); \
        pthread_mutex_lock(&lock); \
        result = fails() ? -1 : (call); \
        int error = errno; \
        if (!result) note(kind, path, second, NULL, 0, offset); \
        pthread_mutex_unlock(&lock); \
        errno = error; \
    } \
    result; })

/* Not locked as a whole: who changes something else does not wait while a slow disk takes its time. */
#define WITH_PATHS(expression) ({ char path[PATH_MAX], second[PATH_MAX]; (void)second; (expression); })

int ftruncate(int file, off_t size) { return WITH_PATHS(CHANGED(path_of(file, NULL, path), REAL(ftruncate)(file, size), 'T', path, NULL, size)); }
int ftruncate64(int file, off64_t size) { return WITH_PATHS(CHANGED(path_of(file, NULL, path), REAL(ftruncate64)(file, size), 'T', path, NULL, size)); }
int fsync(int file) { return WITH_PATHS(CHANGED(path_of(file, NULL, path), REAL(fsync)(file), 'S', path, NULL, 0)); }
int fdatasync(int file) { return WITH_PATHS(CHANGED(path_of(file, NULL, path), REAL(fdatasync)(file), 'S', path, NULL, 0)); }
int unlink(const char *name) { return WITH_PATHS(CHANGED(path_of(AT_FDCWD, name, path), REAL(unlink)(name), 'U', path, NULL, 0)); }
int unlinkat(int folder, const char *name, int flags) { return WITH_PATHS(CHANGED(path_of(folder, name, path), REAL(unlinkat)(folder, name, flags), 'U', path, NULL, 0)); }
int mkdir(const char *name, mode_t mode) { return WITH_PATHS(CHANGED(path_of(AT_FDCWD, name, path), REAL(mkdir)(name, mode), 'M', path, NULL, 0)); }
int mkdirat(int folder, const char *name, mode_t mode) { return WITH_PATHS(CHANGED(path_of(folder, name, path), REAL(mkdirat)(folder, name, mode), 'M', path, NULL, 0)); }
int rename(const char *old, const char *new) { return WITH_PATHS(CHANGED(path_of(AT_FDCWD, old, path) | path_of(AT_FDCWD, new, second), REAL(rename)(old, new), 'R', path, second, 0)); }
int renameat(int a, const char *old, int b, const char *new) { return WITH_PATHS(CHANGED(path_of(a, old, path) | path_of(b, new, second), REAL(renameat)(a, old, b, new), 'R', path, second, 0)); }
int link(const char *old, const char *new) { return WITH_PATHS(CHANGED(path_of(AT_FDCWD, old, path) | path_of(AT_FDCWD, new, second), REAL(link)(old, new), 'L', path, second, 0)); }
int linkat(int a, const char *old, int b, const char *new, int flags) { return WITH_PATHS(CHANGED(path_of(a, old, path) | path_of(b, new, second), REAL(linkat)(a, old, b, new, flags), 'L', path, second, 0)); }
