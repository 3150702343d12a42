import { randomUUID } from "node:crypto";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openStorage } from "../index.ts";
import { type OddServer, refuse, startOddServer } from "./odd-server.harness.ts";

// The server of the other tests knows no encryption, and its clock is that of this machine.
let odd: OddServer;
beforeEach(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  odd = await startOddServer("http://127.0.0.1:1");
  onTestFinished(() => odd[Symbol.asyncDispose]());
});

async function* bytes(count: number) {
  yield Buffer.alloc(count);
}

test("each new object asks for the encryption that the address names, whole or in parts, and so does the trial", async () => {
  const asked: unknown[] = [];
  odd.answer = ({ headers, method = "", url = "" }, response) => {
    const begins = /[?&]uploads/.test(url) && method === "POST";
    if (begins || (method === "PUT" && !/uploadId/.test(url))) {
      const { "x-amz-server-side-encryption": algorithm, "x-amz-server-side-encryption-aws-kms-key-id": key } = headers;
      asked.push([algorithm, key]);
    }
    const begun = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
    response.writeHead(200, { etag: '"x"', "content-type": "application/xml" }).end(begins ? begun : "<a/>");
    return true;
  };
  const storage = await openStorage(`s3://videos?endpoint=${odd.endpoint}&encryption=aws:kms&encryption-key=k-1`);
  await storage.ready();
  await storage.put(randomUUID(), bytes(1), { maxBytes: 2 ** 30 });
  await storage.put(randomUUID(), bytes(6 * 2 ** 20), { maxBytes: 2 ** 30 });
  expect(asked).toEqual(Array(3).fill(["aws:kms", "k-1"]));
});

test("parts are joined on a new connection, so one that a firewall has forgotten delays no upload", async () => {
  const used = new WeakSet();
  odd.answer = ({ method, url = "", socket }, response) => {
    const joins = method === "POST" && /\?uploadId=/.test(url);
    // A forgotten connection never answers.
    if (joins && used.has(socket)) return true;
    if (joins) used.add(socket);
    const begun = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
    response.writeHead(200, { etag: '"x"', "content-type": "application/xml" });
    response.end(joins ? "<CompleteMultipartUploadResult/>" : begun);
    return true;
  };
  const storage = await openStorage(`s3://videos?endpoint=${odd.endpoint}`);
  for (let n = 0; n < 2; n++) await storage.put(randomUUID(), bytes(6 * 2 ** 20), { maxBytes: 2 ** 30 });
});

test("a wrong clock of this machine fails nothing: the server's time is used from then on", async () => {
  const serverMs = Date.now() - 3_600_000;
  const times: string[] = [];
  odd.answer = ({ headers }, response) => {
    times.push(String(headers["x-amz-date"]));
    response.setHeader("date", new Date(serverMs).toUTCString());
    if (times.length === 1) return refuse(response, 403, "RequestTimeTooSkewed");
    response.writeHead(200, { etag: '"x"' }).end();
    return true;
  };
  const storage = await openStorage(`s3://videos?endpoint=${odd.endpoint}`);
  await storage.put(randomUUID(), bytes(1), { maxBytes: 2 ** 30 });
  const iso = (times[1] ?? "").replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z");
  expect(times).toHaveLength(2);
  expect(Math.abs(Date.parse(iso) - serverMs)).toBeLessThan(10_000);
});
