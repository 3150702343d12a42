import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the path of a Python that has all of these modules, or "". Debian's own may not be the first on PATH. */
export async function findPython(modules: readonly string[]): Promise<string> {
  const code = `import sys, ${modules.join(", ")}; assert sys.version_info >= (3, 11); print(sys.executable)`;
  for (const program of ["python3", "/usr/bin/python3"]) {
    const found = await run(program, ["-c", code]).catch(() => undefined);
    if (found) return found.stdout.trim();
  }
  return "";
}
