import { execFileSync } from "node:child_process";

/** A user of the system, by its numbers. */
export type User = { uid: number; gid: number };

/** Returns the user for Postgres when we are root, which it refuses: `postgres`, or else `nobody`. Otherwise undefined. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = idsOf("postgres") ?? idsOf("nobody");
  if (!user) throw new Error("Postgres does not run as root. Create the user postgres or nobody.");
  return user;
}

function idsOf(name: string): User | undefined {
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return undefined;
  }
}
