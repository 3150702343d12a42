import { type ChildProcess, spawn } from "node:child_process";
import type { GroupLeader } from "./process-group.ts";

/** A process to stop, and a directory to remove, when this process ends. */
export type WatchedProcess = GroupLeader & { signal: NodeJS.Signals; directory?: string | undefined };

// The shell reads a pipe from this process. The pipe closes when this process ends, also after SIGKILL.
const script = `
pid=$1 signal=$2 directory=$3 startTime=$4
startTimeNow() {
  if [ -r /proc/self/stat ]; then
    stat=$(cat "/proc/$pid/stat") && set -- \${stat##*)} && echo "\${20}"
  else
    ps -o lstart= -p "$pid" | sed 's/^ *//; s/ *$//'
  fi 2>/dev/null
}
isReused() {
  now=$(startTimeNow)
  [ -n "$now" ] && [ "$now" != "$startTime" ]
}
cat >/dev/null
if ! isReused; then
  kill -s "$signal" -- "$pid" 2>/dev/null
  i=0
  while [ $i -lt 50 ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; i=$((i+1)); done
  isReused || kill -s KILL -- "-$pid" "$pid" 2>/dev/null
fi
[ -z "$directory" ] || rm -rf -- "$directory"
`;

/** Starts a shell that stops a process as soon as this one has ended. Returns the function that cancels this. */
export function stopOnExit(process_: WatchedProcess): () => void {
  const signal = process_.signal.replace(/^SIG/, "");
  return watch(script, [String(process_.pid), signal, process_.directory ?? "", process_.startTime ?? ""]);
}

/** Starts a shell that runs a command when this process has ended, and again 3 s later. Returns how to cancel it. */
export function runOnExit(command: readonly string[]): () => void {
  return watch('cat >/dev/null; "$@" >/dev/null 2>&1; sleep 3; "$@" >/dev/null 2>&1', command);
}

/** Removes directories when this process ends, also after SIGKILL. Returns the function that cancels this. */
export function removeOnExit(directories: readonly string[]): () => void {
  return runOnExit(["rm", "-rf", "--", ...directories]);
}

function watch(text: string, args: readonly string[]): () => void {
  // In a separate group, so that Ctrl-C in the terminal does not reach it.
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
