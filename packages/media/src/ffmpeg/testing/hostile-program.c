/*
 * Stands in for an ffmpeg that a stranger's video has taken over. Its input, descriptor 3, names one attempt and its target.
 * Prints "succeeded", or the error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_file(const char *path) {
  char byte;
  int file = open(path, O_RDONLY);
  return file < 0 ? file : read(file, &byte, 1) - 1;
}

static int write_file(const char *path) {
  int file = open(path, O_WRONLY | O_APPEND);
  return file < 0 ? file : write(file, "changed", 7);
}

static int make_file(const char *path) { return open(path, O_WRONLY | O_CREAT | O_EXCL, 0600); }
static int list(const char *path) { return open(path, O_RDONLY | O_DIRECTORY); }
static int change_mode(const char *path) { return chmod(path, 0666); }

static int copy(const char *text) {
  if (read_file("/proc/self/fd/3") < 0) return -1;
  int file = open("/proc/self/fd/4", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  return file < 0 ? file : write(file, text, strlen(text));
}

static int tcp(const char *_) { return (void)_, socket(AF_INET, SOCK_STREAM, 0); }
static int udp(const char *_) { return (void)_, socket(AF_INET, SOCK_DGRAM, 0); }
static int unix_socket(const char *_) { return (void)_, socket(AF_UNIX, SOCK_STREAM, 0); }

static int pair(const char *_) {
  int two[2];
  return (void)_, socketpair(AF_UNIX, SOCK_STREAM, 0, two);
}

/* The standard output of a program that Node starts is a socket. */
static int send_out(const char *_) { return (void)_, send(1, "", 0, 0); }

static int one_fork(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return child < 0 ? -1 : waitpid(child, NULL, 0);
}

static int fork_often(const char *_) {
  (void)_;
  for (int i = 0; i < 10000; i++)
    if (one_fork() >= 0) return 0;
  return -1;
}

static int raw_clone(const char *_) {
  (void)_;
  long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}

static int raw_clone3(const char *_) {
  (void)_;
  struct {
    unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } how = {.exit_signal = SIGCHLD};
  long child = syscall(SYS_clone3, &how, sizeof how);
  if (child == 0) _exit(0);
  return child;
}

static void *nothing(void *given) { return given; }

static int start_thread(const char *_) {
  (void)_;
  pthread_t thread;
  errno = pthread_create(&thread, NULL, nothing, NULL);
  return errno == 0 ? pthread_join(thread, NULL) : -1;
}

/* A program that starts prints nothing of its own, so the new one has to print that it runs. */
static int start_program(const char *_) { return (void)_, execl("/bin/echo", "echo", "succeeded", NULL); }

static int start_itself(const char *_) {
  char *arguments[] = {"itself", "-version", NULL};
  return (void)_, execv("/proc/self/exe", arguments);
}

static int trace(const char *process) { return ptrace(PTRACE_SEIZE, atoi(process), NULL, NULL); }
static int kill_other(const char *process) { return kill(atoi(process), SIGKILL); }
static int slow_down(const char *process) { return setpriority(PRIO_PROCESS, atoi(process), 19); }

static int limit_other(const char *process) {
  struct rlimit few = {256, 256};
  return prlimit(atoi(process), RLIMIT_NOFILE, &few, NULL);
}

/* Whatever the address holds, only a refusal is EPERM or deadly. */
static int read_memory(const char *process) {
  char byte;
  struct iovec own = {&byte, 1}, other = {NULL, 1};
  return process_vm_readv(atoi(process), &own, 1, &other, 1, 0) < 0 && errno != EFAULT ? -1 : 0;
}

static int find_descriptor(const char *_) {
  (void)_;
  for (int file = 5; file < 1024; file++)
    if (fcntl(file, F_GETFD) >= 0) return 0;
  return -1;
}

static int mount_disk(const char *path) { return mount("none", path, "tmpfs", 0, NULL) < 0 ? -1 : umount(path); }
static int new_user(const char *_) { return (void)_, unshare(CLONE_NEWUSER); }
static int keys(const char *_) { return (void)_, syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1); }

static int kernel_program(const char *_) {
  union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  return (void)_, syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
}

static int count_events(const char *_) {
  struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE, .size = sizeof clock, .config = PERF_COUNT_SW_TASK_CLOCK};
  return (void)_, syscall(SYS_perf_event_open, &clock, 0, -1, -1, 0);
}

static int handle_faults(const char *_) { return (void)_, syscall(SYS_userfaultfd, 0); }

static int ring(const char *_) {
  char parameters[120] = {0};
  return (void)_, syscall(SYS_io_uring_setup, 1, parameters);
}

static const struct {
  const char *name;
  int (*attempt)(const char *target);
} attempts[] = {
    {"read", read_file},        {"write", write_file},       {"make", make_file},          {"list", list},
    {"mode", change_mode},      {"copy", copy},              {"tcp", tcp},                 {"udp", udp},
    {"unix", unix_socket},      {"pair", pair},              {"send", send_out},           {"fork", fork_often},
    {"clone", raw_clone},       {"clone3", raw_clone3},      {"thread", start_thread},     {"program", start_program},
    {"itself", start_itself},   {"trace", trace},            {"memory", read_memory},      {"kill", kill_other},
    {"priority", slow_down},    {"limit", limit_other},      {"descriptor", find_descriptor}, {"mount", mount_disk},
    {"user", new_user},         {"keys", keys},              {"bpf", kernel_program},      {"events", count_events},
    {"faults", handle_faults},  {"ring", ring},
};

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "-version") == 0) return puts("succeeded") < 0;
  char order[4096] = {0};
  if (read(3, order, sizeof order - 1) <= 0) return 1;
  char *name = strtok(order, " "), *target = strtok(NULL, "");
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    if (strcmp(attempts[i].name, name) != 0) continue;
    int result = attempts[i].attempt(target ? target : "");
    puts(result < 0 ? strerror(errno) : "succeeded");
    return 0;
  }
  return 1;
}
