import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns a Python that has all of these modules, or "". Debian's own interpreter may not be the first on PATH. */
export async function findPython(modules: readonly string[]): Promise<string> {
  const code = `import sys, ${modules.join(", ")}; assert sys.version_info >= (3, 11)`;
  for (const program of ["python3", "/usr/bin/python3"]) {
    const found = await run(program, ["-c", code]).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return "";
}
