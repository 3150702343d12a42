/*
 * Runs a program in namespaces of its own, without rights and under limits. It does in one start what unshare, sh, mount,
 * chroot, setpriv and prlimit do in six (isolation.ts), which would take longer than the program itself.
 *
 *   launch-confined [--user=ID] [--as=N] [--cpu=N] [--fsize=N] [--nofile=N] [--core=N] PROGRAM ARGUMENT…
 *
 * PROGRAM is a path in the view that view.fstab describes; the current directory is /program there. It is killed when this
 * process or its parent ends. Ends with 126 when anything fails before PROGRAM starts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    check(prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "bounding set");
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

static int is_option(const char *argument, long *user) {
  if (strncmp(argument, "--user=", 7) == 0) {
    *user = atol(argument + 7);
    if (*user <= 0) errno = EINVAL, fail("--user");
    return 1;
  }
  for (int i = 0; i < limit_count; i++) {
    size_t length = strlen(limits[i].name);
    if (strncmp(argument, limits[i].name, length) != 0) continue;
    limits[i].value = argument + length;
    return 1;
  }
  return 0;
}

static void run(char **command, long user) {
  enter_view();
  drop_rights(user);
  /* A change of the user resets this signal. */
  check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "signal of the parent's death");
  set_limits();
  execv(command[0], command);
  fail(command[0]);
}

int main(int count, char **arguments) {
  long user = 0;
  int next = 1;
  while (next < count && is_option(arguments[next], &user)) next++;
  if (next >= count) errno = EINVAL, fail("no program");

  check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "signal of the parent's death");
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
    run(arguments + next, user);
  }
  close(alive[0]);
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  kill(getpid(), WTERMSIG(status));
  return 126;
}
