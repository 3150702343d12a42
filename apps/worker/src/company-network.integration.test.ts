import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Emulator, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const hasOpenssl = await run("openssl", ["version"]).then(
  () => true,
  () => false,
);
const header = "gateway-secret-1";
let folder: string;
let emulator: Emulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "company-"));
  emulator = await startEmulator({ processingMs: 0 });
  if (!hasOpenssl) return;
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  await run("openssl", ["req", ...kind, ...names, "-keyout", `${folder}/key.pem`, "-out", `${folder}/ca.pem`]);
});
afterAll(async () => {
  await emulator.stop();
  await rm(folder, { recursive: true });
});

/** Opens a gateway to the emulator and a film server, with certificates of their own, and a proxy. Each counts its requests. */
async function openNetwork() {
  const counts = { connects: [] as string[], questions: 0, films: 0, withoutHeader: 0 };
  const files = { key: await readFile(`${folder}/key.pem`), cert: await readFile(`${folder}/ca.pem`) };
  const gateway = createSecureServer(files, (incoming, response) => {
    counts.questions += 1;
    if (incoming.headers["x-gateway-key"] !== header) counts.withoutHeader += 1;
    const { headers, method } = incoming;
    const passed = request(emulator.url + incoming.url?.slice("/llm/gemini".length), { method, headers }, (reply) =>
      reply.pipe(response.writeHead(reply.statusCode ?? 502, reply.headers)),
    );
    incoming.pipe(passed);
  });
  const films = createSecureServer(files, (_incoming, response) => {
    counts.films += 1;
    response.end("a video");
  });
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    counts.connects.push(url);
    const port = Number(url.split(":")[1]);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on("error", () => onward.destroy());
  });
  const listen = async (server: typeof proxy | typeof gateway) => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  const [gatewayPort, filmsPort, proxyPort] = [await listen(gateway), await listen(films), await listen(proxy)];
  return {
    ...{
      counts,
      gateway: `localhost:${gatewayPort}`,
      films: `localhost:${filmsPort}`,
      proxyUrl: `http://127.0.0.1:${proxyPort}`,
    },
    async [Symbol.asyncDispose]() {
      for (const server of [gateway, films, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

// A process reads NODE_EXTRA_CA_CERTS only when it starts.
const script = `
  import { openProviders } from "@video-to-json/analysis/provider";
  import { fetchVideo } from "@video-to-json/media";
  import { providerSettings, readSettings } from "@video-to-json/runtime/settings";
  const [host, folder] = process.argv.slice(1);
  const log = { info() {}, warn() {}, error() {} };
  const { provider } = openProviders(readSettings(process.env, providerSettings), { log });
  await provider.reach();
  const checks = await provider.check(folder);
  await provider.close();
  const limits = { maxBytes: 1000, totalMs: 10_000, minBytesPerSecond: 1, allowHosts: [host] };
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  await fetchVideo("https://" + host + "/film.mp4", (bytes) => Array.fromAsync(bytes), { ...limits, resolve });
  console.log(JSON.stringify(checks));
`;

async function runScript(network: Awaited<ReturnType<typeof openNetwork>>, env: Record<string, string>) {
  const settings = {
    ...{
      GEMINI_API_KEY: "key",
      GEMINI_BASE_URL: `https://${network.gateway}/llm/gemini`,
      ...{ GEMINI_MODEL: "gemini-3.8-flash", GEMINI_MODEL_LARGE: "gemini-3.8-flash" },
    },
    ...{ GEMINI_HEADERS: `x-gateway-key=${header}`, NODE_EXTRA_CA_CERTS: `${folder}/ca.pem` },
    ...{ HTTPS_PROXY: network.proxyUrl, PATH: process.env.PATH, NO_COLOR: "1", ...env },
  };
  const args = ["--input-type=module", "-e", script, network.films, folder];
  const cwd = new URL("..", import.meta.url).pathname;
  const { stdout } = await run(process.execPath, args, { env: settings, cwd });
  const checks = JSON.parse(stdout) as { step: string; isOk: boolean; words: string }[];
  return checks.map(({ step, isOk, words }) => (isOk ? step : `${step}: ${words}`));
}

const steps = ["key", "upload", "model gemini-3.8-flash", "delete"];

test.skipIf(!hasOpenssl)(
  "the proxy, the own authority and the headers of a gateway serve the provider; a caller's URL is fetched directly",
  async () => {
    await using network = await openNetwork();
    expect(await runScript(network, {})).toEqual(steps);
    const { connects, questions, films, withoutHeader } = network.counts;
    expect(new Set(connects)).toEqual(new Set([network.gateway]));
    expect(questions).toBeGreaterThan(steps.length);
    expect({ films, withoutHeader }).toEqual({ films: 1, withoutHeader: 0 });

    const proxied = connects.length;
    expect(await runScript(network, { NO_PROXY: "localhost" })).toEqual(steps);
    expect([network.counts.connects.length, network.counts.films]).toEqual([proxied, 2]);
  },
);
