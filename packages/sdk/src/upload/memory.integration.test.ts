import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { answerText } from "../testing/start-fault-server.ts";
import { temporaryFile } from "../testing/temporary-file.ts";

const run = promisify(execFile);
const mebibyte = 2 ** 20;

const upload = `
  import { createClient } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)};
  const [baseUrl, video] = process.argv.slice(1);
  const before = process.memoryUsage.rss();
  await createClient({ apiKey: "v2j_live_x", baseUrl }).extract({ video, schema: { a: "int" } });
  console.log(process.resourceUsage().maxRSS * 1024 - before);
`;

test("a file of the maximum size is sent completely without being in memory as a whole", async () => {
  await using video = await temporaryFile(512 * mebibyte);
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => response.end(answerText));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", upload, url, video.path]);
    expect(stderr).toBe("");
    // A busy machine collects the pieces late.
    expect(Number(stdout)).toBeLessThan(384 * mebibyte);
    expect(bytes).toBeGreaterThan(512 * mebibyte);
  } finally {
    server.close();
  }
});
