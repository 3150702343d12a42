import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Starts a shell that continues stopped processes as soon as this process ends, even by SIGKILL, because a stopped
 * process cannot react to our end. Returns a function that continues them now.
 */
export function continueOnExit(pids: readonly number[]): () => Promise<void> {
  const shell = spawn("sh", ["-c", 'cat >/dev/null; kill -s CONT "$@" 2>/dev/null', "thaw", ...pids.map(String)], {
    // In a separate group, so that Ctrl-C in the terminal does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(shell, "close");
  return async () => {
    shell.stdin.end();
    await ended;
  };
}
