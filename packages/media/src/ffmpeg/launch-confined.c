/*
 * Runs a program that reads a stranger's bytes, in a jail that needs no privilege: no other descriptor, few files, no socket,
 * no other process, no other program. Where this account may create namespaces, the program gets its own as well.
 *
 *   launch-confined [--namespaces] [--user=ID] [--no-landlock] [--descriptors=N] [--prove=PID]
 *     [--as=N] [--cpu=N] [--fsize=N] [--nofile=N] [--core=N] PROGRAM ARGUMENT…
 *
 * --descriptors: how many descriptors from 3 on the program gets. It may open the files behind them again, for reading or for
 * writing as they are open. --prove: tries what the jail must refuse, instead of running PROGRAM, and ends by SIGSYS if each
 * attempt was refused; PID is a process that it must not see.
 * With --namespaces, PROGRAM is a path in the view that enter_view makes; the current directory is /program there.
 * PROGRAM is killed when this process or its parent ends. Ends with 126 when anything fails before PROGRAM starts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "launch-confined: %s: %s\n", what, strerror(errno));
  _exit(126);
}

static void check(int result, const char *what) {
  if (result < 0) fail(what);
}

static void make_directory(const char *path) {
  if (mkdir(path, 0755) < 0 && errno != EEXIST) fail(path);
}

/* Shows a directory, for reading only. One that this system does not have is left out. */
static void show(const char *from, const char *to) {
  struct stat seen;
  if (stat(from, &seen) < 0 && errno == ENOENT) return;
  make_directory(to);
  check(mount(from, to, NULL, MS_BIND, NULL), from);
  check(mount(NULL, to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL), to);
}

static void enter_view(void) {
  check(mount("none", "/mnt", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=755"), "tmpfs");
  show("/usr", "/mnt/usr");
  show("/lib", "/mnt/lib");
  show("/lib64", "/mnt/lib64");
  show("/bin", "/mnt/bin");
  make_directory("/mnt/etc");
  show("/etc/alternatives", "/mnt/etc/alternatives");
  show(".", "/mnt/program");
  make_directory("/mnt/proc");
  check(mount("none", "/mnt/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "proc");
  check(chroot("/mnt"), "chroot");
  check(chdir("/"), "chdir");
}

/* Gives up every right, and the way to get one again. */
static void drop_rights(long user) {
  /* A user without rights may not change this set. Then no_new_privs alone keeps the rights out of reach. */
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno != EPERM) fail("bounding set");
  if (user > 0) {
    check(setgroups(0, NULL), "setgroups");
    check(setresgid(user, user, user), "setresgid");
    check(setresuid(user, user, user), "setresuid");
  }
  check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "ambient rights");
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct nothing[2] = {{0, 0, 0}, {0, 0, 0}};
  check(syscall(SYS_capset, &head, nothing), "capset");
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
}

/* The headers of Debian 12 are older than these. */
enum {
  FS_BASIC = (1 << 13) - 1,
  FS_REFER = 1 << 13,
  FS_TRUNCATE = 1 << 14,
  FS_IOCTL_DEV = 1 << 15,
  NET_TCP = 3,
  SCOPE_SOCKETS_AND_SIGNALS = 3,
};
struct ruleset {
  __u64 files, network, scope;
};

static const struct {
  const char *path;
  __u64 access;
} readable[] = {
    {"/lib", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE},
    {"/lib64", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE},
    {"/usr/lib", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE},
    {"/usr/lib64", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE},
    {"/usr/local/lib", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE},
    {"/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/usr/share/tesseract-ocr", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/usr/share/tessdata", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE},
};

static void allow_below(int rules, int file, __u64 access, const char *what) {
  struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = file};
  check(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), what);
}

static void allow_path(int rules, const char *path, __u64 access) {
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return;
  check(file, path);
  allow_below(rules, file, access, path);
  close(file);
}

/* Leaves the program its libraries and the files that it was handed. /proc of other processes is behind this door. */
static void close_files(const char *program, int descriptors) {
  int abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  check(abi, "landlock");
  struct ruleset handled = {
      .files = FS_BASIC | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) | (abi >= 5 ? FS_IOCTL_DEV : 0),
      .network = abi >= 4 ? NET_TCP : 0,
      .scope = abi >= 6 ? SCOPE_SOCKETS_AND_SIGNALS : 0,
  };
  int rules = syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  check(rules, "landlock");
  for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) allow_path(rules, readable[i].path, readable[i].access);
  allow_path(rules, program, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE);
  for (int file = 3; file < 3 + descriptors; file++) {
    int mode = fcntl(file, F_GETFL);
    check(mode, "descriptor");
    __u64 writing = LANDLOCK_ACCESS_FS_WRITE_FILE | (handled.files & FS_TRUNCATE);
    allow_below(rules, file, (mode & O_ACCMODE) == O_RDONLY ? LANDLOCK_ACCESS_FS_READ_FILE : writing, "descriptor");
  }
  check(syscall(SYS_landlock_restrict_self, rules, 0), "landlock");
  close(rules);
}

/* What ffmpeg, ffprobe, tesseract and the C library call. None of these calls reaches another process. */
static const int allowed_calls[] = {
    SYS_futex, SYS_read, SYS_write, SYS_lseek, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk,
    SYS_openat, SYS_close, SYS_dup, SYS_newfstatat, SYS_fstat, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_ftruncate,
    SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_ppoll, SYS_pselect6,
    SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_getpid, SYS_gettid, SYS_getrandom, SYS_getrusage, SYS_sysinfo, SYS_exit, SYS_exit_group,
#ifdef __x86_64__
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll, SYS_select, SYS_time, SYS_arch_prctl,
#endif
};

/* Only an attacker calls these, so the attempt is the end. */
static const int deadly_calls[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open, SYS_pidfd_getfd, SYS_kcmp,
    SYS_execveat, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl,
    SYS_mount, SYS_umount2, SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_pivot_root, SYS_chroot,
    SYS_unshare, SYS_setns, SYS_open_by_handle_at, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_init_module, SYS_finit_module, SYS_kexec_load,
};

#ifdef __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define LENGTH(list) (sizeof(list) / sizeof *(list))

static struct sock_filter filter[2 * (LENGTH(allowed_calls) + LENGTH(deadly_calls)) + 64];
static unsigned short filter_length = 0;

static void step(unsigned short code, unsigned char yes, unsigned char no, __u32 value) {
  filter[filter_length++] = (struct sock_filter){code, yes, no, value};
}

static void on_call(int call, __u32 outcome) {
  step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call);
  step(BPF_RET | BPF_K, 0, 0, outcome);
}

/* Allows a call only if these bits of one of its arguments have this value. */
static void on_argument(int call, int argument, __u64 bits, __u64 value, __u32 otherwise) {
  __u32 low = offsetof(struct seccomp_data, args) + 8 * argument;
  step(BPF_JMP | BPF_JEQ | BPF_K, 0, 8, call);
  step(BPF_LD | BPF_W | BPF_ABS, 0, 0, low);
  step(BPF_ALU | BPF_AND | BPF_K, 0, 0, (__u32)bits);
  step(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (__u32)value);
  step(BPF_LD | BPF_W | BPF_ABS, 0, 0, low + 4);
  step(BPF_ALU | BPF_AND | BPF_K, 0, 0, bits >> 32);
  step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value >> 32);
  step(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
  step(BPF_RET | BPF_K, 0, 0, otherwise);
}

static void close_calls(const char *program) {
  const __u64 whole = ~0ULL, half = 0xffffffff;
  step(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, arch));
  step(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, OWN_ARCHITECTURE);
  step(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
  step(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < LENGTH(allowed_calls); i++) on_call(allowed_calls[i], SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < LENGTH(deadly_calls); i++) on_call(deadly_calls[i], SECCOMP_RET_KILL_PROCESS);
  on_argument(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD, REFUSE);
  /* Its flags are out of a filter's sight. Without it, the C library uses clone. */
  on_call(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  on_argument(SYS_execve, 0, whole, (__u64)program, SECCOMP_RET_KILL_PROCESS);
  on_argument(SYS_tgkill, 0, half, getpid(), REFUSE);
  on_argument(SYS_prlimit64, 0, half, 0, REFUSE);
  on_argument(SYS_prctl, 0, half, PR_SET_NAME, REFUSE);
  /* The commands 0 to 3 change nothing but the descriptor. Others can send signals. */
  on_argument(SYS_fcntl, 1, half - 3, 0, REFUSE);
  step(BPF_RET | BPF_K, 0, 0, REFUSE);
  struct sock_fprog whole_filter = {filter_length, filter};
  check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole_filter, 0, 0), "seccomp");
}

/*
 * The filter stays when the program starts, so it has to allow this one start. It knows the start by the address of the
 * program's name. The program cannot guess that address: the first wrong guess is deadly.
 */
static char *at_secret_address(const char *text) {
  __u64 random;
  if (getrandom(&random, sizeof random, 0) != sizeof random) fail("getrandom");
  size_t length = strlen(text) + 1;
  void *wanted = (void *)(((random & 0x1ffffff) | 0x2000000) << 12);
  char *copy = mmap(wanted, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (copy == MAP_FAILED) fail("address of the name");
  return memcpy(copy, text, length);
}

static void broken(const char *what) {
  fprintf(stderr, "launch-confined: the jail does not hold: %s\n", what);
  _exit(126);
}

static struct {
  const char *name;
  int resource;
  const char *value;
} limits[] = {
    {"--as=", RLIMIT_AS, NULL},         {"--cpu=", RLIMIT_CPU, NULL},   {"--fsize=", RLIMIT_FSIZE, NULL},
    {"--nofile=", RLIMIT_NOFILE, NULL}, {"--core=", RLIMIT_CORE, NULL},
};
static const int limit_count = sizeof limits / sizeof *limits;

static void set_limits(void) {
  for (int i = 0; i < limit_count; i++) {
    if (limits[i].value == NULL) continue;
    char *end;
    errno = 0;
    rlim_t value = strtoull(limits[i].value, &end, 10);
    if (errno != 0 || end == limits[i].value || *end != '\0') errno = EINVAL, fail(limits[i].name);
    struct rlimit both = {value, value};
    check(setrlimit(limits[i].resource, &both), limits[i].name);
  }
}

static struct {
  int namespaces, without_landlock;
  long user, descriptors;
  const char *unseen;
} wanted;

static long number(const char *text, const char *name, long least) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < least) errno = EINVAL, fail(name);
  return value;
}

static int is_option(const char *argument) {
  if (strcmp(argument, "--namespaces") == 0) return wanted.namespaces = 1;
  if (strcmp(argument, "--no-landlock") == 0) return wanted.without_landlock = 1;
  if (strncmp(argument, "--user=", 7) == 0) return wanted.user = number(argument + 7, "--user", 1), 1;
  if (strncmp(argument, "--descriptors=", 14) == 0)
    return wanted.descriptors = number(argument + 14, "--descriptors", 0), 1;
  if (strncmp(argument, "--prove=", 8) == 0) return wanted.unseen = argument + 8, 1;
  for (int i = 0; i < limit_count; i++) {
    size_t length = strlen(limits[i].name);
    if (strncmp(argument, limits[i].name, length) != 0) continue;
    limits[i].value = argument + length;
    return 1;
  }
  return 0;
}

/* Tries what the jail must refuse. */
static void prove(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/environ", wanted.unseen);
  int hides_processes = wanted.namespaces || !wanted.without_landlock;
  if (hides_processes && open(path, O_RDONLY) >= 0) broken("it reads the environment of another process");
  if (!wanted.without_landlock && open("/", O_RDONLY | O_DIRECTORY) >= 0) broken("it lists directories");
  if (fcntl(3 + wanted.descriptors, F_GETFD) >= 0) broken("it has other descriptors");
  if (fork() >= 0) broken("it starts processes");
  socket(AF_INET, SOCK_STREAM, 0);
  broken("it opens sockets");
}

static void run(char **command) {
  if (wanted.namespaces) enter_view();
  drop_rights(wanted.user);
  /* A change of the user resets this signal. */
  check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "signal of the parent's death");
  set_limits();
  char *program = at_secret_address(command[0]);
  if (!wanted.without_landlock) close_files(program, wanted.descriptors);
  close_calls(program);
  if (wanted.unseen) prove();
  execv(program, command);
  fail(command[0]);
}

/* Runs the program as the first process of its namespaces. Returns how it ended. */
static int run_in_namespaces(char **command) {
  check(unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS | CLONE_NEWPID), "unshare");
  check(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
  int alive[2];
  check(pipe(alive), "pipe");
  pid_t child = fork();
  check(child, "fork");
  if (child == 0) {
    check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "signal of the parent's death");
    /* Its parent may have ended before the signal was set: then nobody holds the other end of the pipe. */
    close(alive[1]);
    struct pollfd other = {alive[0], 0, 0};
    check(poll(&other, 1, 0), "poll");
    if (other.revents & POLLHUP) _exit(126);
    close(alive[0]);
    run(command);
  }
  close(alive[0]);
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  return status;
}

int main(int count, char **arguments) {
  int next = 1;
  while (next < count && is_option(arguments[next])) next++;
  if (next >= count) errno = EINVAL, fail("no program");
  check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "signal of the parent's death");
  /* A descriptor that `prove` must not find. */
  if (wanted.unseen) check(dup2(STDERR_FILENO, 3 + wanted.descriptors), "dup2");
  check(syscall(SYS_close_range, 3 + wanted.descriptors, ~0U, 0), "close_range");
  if (!wanted.namespaces) run(arguments + next);
  int status = run_in_namespaces(arguments + next);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  kill(getpid(), WTERMSIG(status));
  return 126;
}
