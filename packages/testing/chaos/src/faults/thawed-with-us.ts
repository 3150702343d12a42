import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Starts a shell that lets stopped processes go on as soon as this process is gone, however it ends: what is stopped
 * does not notice that whoever started it is. Gives the function that lets them go on now.
 */
export function thawedWithUs(pids: readonly number[]): () => Promise<void> {
  const shell = spawn("sh", ["-c", 'cat >/dev/null; kill -s CONT "$@" 2>/dev/null', "thaw", ...pids.map(String)], {
    // A group of its own, so that Ctrl-C in the terminal reaches us and not it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(shell, "close");
  return async () => {
    shell.stdin.end();
    await ended;
  };
}
