import { execFileSync } from "node:child_process";

/** A user by number. */
export type User = { uid: number; gid: number };

/** Whom Postgres is to run as: it refuses root, so then `postgres` or, where there is none, `nobody`. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = idsOf("postgres") ?? idsOf("nobody");
  if (!user) throw new Error("Postgres refuses to run as root, and there is no user postgres or nobody to run it as.");
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
