import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

test("a worker without ffmpeg and ffprobe exits at once and reports both, and its wrong settings as well", async () => {
  const started = promisify(execFile)(process.execPath, [main], { env: { PATH: "/nowhere" } });
  const ended = await started.catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1 });
  const { stderr } = ended as { stderr: string };
  for (const fault of ["ffmpeg was not found", "ffprobe was not found", "DATABASE_URL", "REDIS_URL"])
    expect(stderr).toContain(fault);
});
