import { type ChildProcess, spawn } from "node:child_process";
import type { GroupLeader } from "./process-group.ts";

/** What is to be cleaned away when the process that started it dies, however it dies. */
export type Leavings = GroupLeader & { signal: NodeJS.Signals; directory?: string };

// It lives on a pipe from us: the pipe ends when we do, even by SIGKILL, and then it does what we no longer can.
const script = `
pid=$1 signal=$2 directory=$3 startTime=$4
startTimeNow() {
  if [ -r /proc/self/stat ]; then
    stat=$(cat "/proc/$pid/stat") && set -- \${stat##*)} && echo "\${20}"
  else
    ps -o lstart= -p "$pid" | sed 's/^ *//; s/ *$//'
  fi 2>/dev/null
}
isAnothers() {
  now=$(startTimeNow)
  [ -n "$now" ] && [ "$now" != "$startTime" ]
}
cat >/dev/null
if ! isAnothers; then
  kill -s "$signal" -- "$pid" 2>/dev/null
  i=0
  while [ $i -lt 50 ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; i=$((i+1)); done
  isAnothers || kill -s KILL -- "-$pid" "$pid" 2>/dev/null
fi
[ -z "$directory" ] || rm -rf -- "$directory"
`;

/** Starts a shell that ends `leavings` as soon as this process is gone. Gives the function that calls it off. */
export function watchOver(leavings: Leavings): () => void {
  const signal = leavings.signal.replace(/^SIG/, "");
  return watch(script, [String(leavings.pid), signal, leavings.directory ?? "", leavings.startTime ?? ""]);
}

/**
 * Starts a shell that runs a command as soon as this process is gone, and once more for what was only then coming into
 * being. Gives the function that calls it off.
 */
export function afterDeath(command: readonly string[]): () => void {
  return watch('cat >/dev/null; "$@" >/dev/null 2>&1; sleep 3; "$@" >/dev/null 2>&1', command);
}

/** Sees to it that directories are gone once this process is, however it ends. */
export function removedWithUs(directories: readonly string[]): () => void {
  return afterDeath(["rm", "-rf", "--", ...directories]);
}

function watch(text: string, args: readonly string[]): () => void {
  // A group of its own, so that Ctrl-C in the terminal reaches us and not it.
  const watchdog: ChildProcess = spawn("sh", ["-c", text, "watchdog", ...args], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });
  watchdog.on("error", () => {});
  watchdog.unref();
  const pipe = watchdog.stdin;
  if (pipe && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
  return () => {
    const { pid } = watchdog;
    if (pid === undefined || watchdog.exitCode !== null || watchdog.signalCode !== null) return;
    process.kill(-pid, "SIGKILL");
  };
}
