import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** When a process started, as its system tells it: with its pid, what no other process has. Undefined when it is gone. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the command stands in parentheses and may hold anything; state and start time follow it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return startTimeFromPs(pid);
  }
}

// For systems without /proc.
function startTimeFromPs(pid: number): string | undefined {
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}
