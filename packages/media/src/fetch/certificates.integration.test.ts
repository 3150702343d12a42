import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TlsOptions } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchVideo } from "./fetch-video.ts";
import { saveFile } from "./save-file.harness.ts";

const run = promisify(execFile);
const hasOpenssl = await run("openssl", ["version"]).then(
  () => true,
  () => false,
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "certificates-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Creates a key and a self-signed certificate for these names. */
async function makeCertificate(names: string): Promise<TlsOptions> {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const made = ["-subj", "/CN=films.example", "-addext", `subjectAltName=${names}`, "-keyout", key, "-out", cert];
  await run("openssl", ["req", ...kind, ...made]);
  return { key: await readFile(key), cert: await readFile(cert) };
}

/** Downloads over TLS from a server with these options, which counts the requests that it receives. */
async function download(options: TlsOptions) {
  let requests = 0;
  const server = createServer(options, (socket) => {
    socket
      .on("error", () => {})
      .on("data", () => {
        requests += 1;
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd");
      });
  }).listen(0, "127.0.0.1");
  server.on("tlsClientError", () => {});
  await once(server, "listening");
  const host = `films.example:${(server.address() as AddressInfo).port}`;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const limits = { maxBytes: 1000, totalMs: 10_000, minBytesPerSecond: 1 };
  const scratch = await mkdtemp(join(folder, "scratch-"));
  try {
    const got = fetchVideo(`https://${host}/`, saveFile(join(scratch, "kept")), {
      ...limits,
      allowHosts: [host],
      resolve,
    });
    const outcome = await got.then(
      () => "downloaded",
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );
    return { outcome, requests, left: await readdir(scratch) };
  } finally {
    server.close();
    await once(server, "close");
  }
}

test.skipIf(!hasOpenssl).each([
  ["that is self-signed", "DNS:films.example", {}],
  ["for another name", "DNS:other.example", {}],
  ["for an address only", "IP:127.0.0.1", {}],
  ["over an obsolete protocol", "DNS:films.example", { minVersion: "TLSv1", maxVersion: "TLSv1" }],
] as const)(
  "a server with a certificate %s receives no request, even if its host is allowed",
  async (_name, names, options) => {
    const { outcome, requests, left } = await download({ ...(await makeCertificate(names)), ...options });
    expect(outcome).toMatch(/^video_unreachable: (No secure connection|The connection) .+\.$/);
    expect([requests, left]).toEqual([0, []]);
  },
);
