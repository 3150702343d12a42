import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { freePort, installRuntime, runsAllTests } from "@video-to-json/testing";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const testRuntime = test.runIf(runsAllTests);

let directory: string;
let service: BorrowedService;
beforeAll(async () => {
  if (!runsAllTests) return;
  directory = await mkdtemp(join(tmpdir(), "v2j-runtimes-"));
  service = await borrowService();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  if (directory) await rm(directory, { recursive: true });
});

/** Writes a bundle of the package with a function that makes a few calls, and with a start of it. Returns its path. */
async function bundleCalls(name: string, start: string): Promise<string> {
  const [input, file] = [join(directory, `${name}.mjs`), join(directory, name, "calls.mjs")];
  const calls = `
    import { createClient } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
    async function call(bytes, options) {
      const client = createClient(options);
      const schema = { main_color: "red|green|blue" };
      const seen = [await createClient({ ...options, apiKey: "v2j_live_wrong" }).account().catch(({ code }) => code)];
      for (const video of [bytes, new Blob([bytes]), new Response(bytes)]) {
        seen.push((await client.extract({ video, schema })).data.main_color);
      }
      seen.push(await client.extract({ video: "/nowhere.mp4", schema }).catch(({ message }) => message.split(/[,:]/)[0]));
      return seen.join();
    }
    ${start}`;
  await writeFile(input, calls);
  await (await rolldown({ input, platform: "neutral" })).write({ format: "esm", file });
  return file;
}

const expected = "unauthorised,red,red,red,";

testRuntime("Deno extracts with a bundle of the package", async ({ skip }) => {
  const deno = (await installRuntime(join(directory, "deno"), "deno")) ?? skip("npm finds no package registry");
  const start = `
    const [baseUrl, apiKey, video] = Deno.args;
    console.log(await call(await Deno.readFile(video), { baseUrl, apiKey }));`;
  const file = await bundleCalls("deno", start);
  const { stdout } = await run(deno, ["run", "-A", file, service.baseUrl, service.apiKey, service.video]);
  expect(stdout).toBe(`${expected}ENOENT\n`);
});

testRuntime("Cloudflare's own runtime extracts with a bundle of the package", async ({ skip }) => {
  const workerd =
    (await installRuntime(join(directory, "workerd"), "workerd")) ?? skip("npm finds no package registry");
  const start = `
    const answer = async (request, options) => new Response(await call(new Uint8Array(await request.arrayBuffer()), options));
    export default { fetch: answer };`;
  await bundleCalls("workerd", start);
  const address = `127.0.0.1:${await freePort()}`;
  const options = { baseUrl: service.baseUrl, apiKey: service.apiKey };
  const bindings = Object.entries(options).map(([name, text]) => `(name = "${name}", text = "${text}")`);
  const configuration = join(directory, "workerd", "config.capnp");
  await writeFile(
    configuration,
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "net", network = (allow = ["local", "private"])),
        (name = "main", worker = (modules = [(name = "worker", esModule = embed "calls.mjs")], globalOutbound = "net",
          compatibilityDate = "2026-11-01", bindings = [${bindings}])),
      ],
      sockets = [(name = "http", address = "${address}", http = (), service = "main")]);`,
  );
  const stopping = new AbortController();
  const serving = run(workerd, ["serve", configuration], { signal: stopping.signal }).catch((error) => error);
  const video = await readFile(service.video);
  let answer = "";
  const send = async () => {
    answer = await (await fetch(`http://${address}`, { method: "POST", body: video })).text();
    return answer;
  };
  await expect.poll(send, { timeout: 60_000 }).toMatch(/^unauthorised/);
  expect(answer).toBe(`${expected}no such file or directory`);
  stopping.abort();
  await serving;
});
