import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { defaultLimits } from "@video-to-json/contract";
import { openApiMetrics } from "@video-to-json/runtime/telemetry";
import type { Request } from "express";
import { expect, onTestFinished, test, vi } from "vitest";
import { readMultipartFields } from "./read-multipart-fields.ts";

const unused = () => Promise.reject(new Error("the form has no file and no schema"));
const deps = {
  sandbox: { compile: unused },
  storage: { put: unused, delete: unused },
  limits: defaultLimits,
  log: { error: () => {}, warn: () => {} },
  metrics: openApiMetrics(),
  uploadIdleSeconds: 1000,
  uploadMinBytesPerSecond: 1,
};

test("reading the form of a caller that has already gone ends at once", async () => {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: false });
  request.destroy();
  await once(request, "close");
  await expect(readMultipartFields(deps, request as unknown as Request, "key")).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("the parts after the video have five minutes, which is less than the time after which an orphan is deleted", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: false });
  const { promise: stored, resolve } = Promise.withResolvers<void>();
  const storage = {
    put: async (_key: string, file: AsyncIterable<Buffer>) => {
      for await (const _chunk of file);
      resolve();
      return { bytes: 1, sha256: "" };
    },
  };
  const reading = readMultipartFields({ ...deps, storage } as never, request as unknown as Request, "key");
  let outcome: unknown = "reading";
  reading.catch((error) => {
    outcome = error;
  });
  const part = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n`;
  request.write(`${part("video")}v\r\n${part("other")}`);
  await stored;
  for (let seconds = 0; seconds < 299; seconds++) {
    vi.advanceTimersByTime(1000);
    request.write("x");
    await turn();
  }
  expect(outcome).toBe("reading");
  vi.advanceTimersByTime(1000);
  await expect(reading).rejects.toMatchObject({ code: "invalid_request", message: expect.stringContaining("video") });
});

// Guzzle and Faraday write the first one so. The others are like those of .NET, curl, browsers and old programs.
const fileNames: [string, string][] = [
  ['name="video"; filename="my "best" goal.mp4"', 'my "best" goal.mp4'],
  ['name="video"; filename="a"; b".mp4"; size=3', 'a"; b".mp4'],
  ['name="video"; filename="it ends with "; filename*=UTF-8\'\'%C3%9C.mp4', "Ü.mp4"],
  ["name=video; filename=a.mp4; filename*=utf-8''%C3%9C.mp4", "Ü.mp4"],
  ['name="video"; filename="my \\"best\\" goal.mp4"', 'my "best" goal.mp4'],
  ['name="video"; filename="my %22best%22 goal.mp4"', "my %22best%22 goal.mp4"],
  ['name="video"; filename="C:\\films\\a.mp4"', "a.mp4"],
  ['name="video"; filename="視頻.mp4"', "視頻.mp4"],
  ['name="video"; filename="a.mp4";', "a.mp4"],
];

test.each(fileNames)("the file of a part with %s arrives under its name", async (disposition, fileName) => {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: true });
  const storage = {
    put: async (_key: string, file: AsyncIterable<Buffer>) => {
      const chunks: Buffer[] = [];
      for await (const chunk of file) chunks.push(chunk);
      return { bytes: Buffer.concat(chunks).length, sha256: "" };
    },
  };
  request.end(`--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\nvideo\r\n--b--\r\n`);
  const fields = await readMultipartFields({ ...deps, storage } as never, request as unknown as Request, "key");
  expect(fields).toMatchObject({ fileName, upload: { bytes: 5 }, unknown: [] });
});

test("the memory of a chunk of the video is freed as soon as storage has copied it", async () => {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: true });
  const copied: string[] = [];
  const storage = {
    put: async (_key: string, file: AsyncIterable<Buffer>, { onCopied }: { onCopied(chunk: Buffer): void }) => {
      for await (const chunk of file) {
        copied.push(chunk.toString());
        onCopied(chunk);
      }
      return { bytes: 1, sha256: "" };
    },
  };
  const reading = readMultipartFields({ ...deps, storage } as never, request as unknown as Request, "key");
  request.write('--b\r\ncontent-disposition: form-data; name="video"; filename="a"\r\n\r\n');
  const chunk = Buffer.from(new TextEncoder().encode("a whole chunk").buffer);
  request.write(chunk);
  await expect.poll(() => copied).toEqual(["a whole chunk"]);
  expect(chunk).toHaveLength(0);
  request.end("\r\n--b--\r\n");
  await reading;
});

const schemaPart = (more = "") => `--b\r\ncontent-disposition: form-data; name="schema"${more}\r\n\r\n`;
const videoPart = `--b\r\ncontent-disposition: form-data; name="video"; filename="a"\r\n\r\n${"v".repeat(90_000)}\r\n`;

/** Reads a form that arrives in small pieces. Returns the schema's text, or the code of the failure. */
async function schemaOf(form: Buffer): Promise<string> {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: false });
  const storage = {
    async put(_key: string, file: AsyncIterable<Buffer>) {
      for await (const _chunk of file);
      return { bytes: 1, sha256: "" };
    },
  };
  const sandbox = { compile: (schemaText: string) => Promise.resolve({ schemaText }) };
  const reading = readMultipartFields({ ...deps, storage, sandbox } as never, request as unknown as Request, "key");
  for (let at = 0; at < form.length; at += 4099) request.write(form.subarray(at, at + 4099));
  request.complete = true;
  request.end();
  return reading.then(
    ({ schema }) => schema?.schemaText ?? "",
    ({ code, details }) => `${code} ${details}`,
  );
}

test.each([
  ["a field", "", schemaPart()],
  ["a field with a charset", "", schemaPart("\r\ncontent-type: text/plain; charset=utf-8")],
  ["a field after the video", videoPart, schemaPart()],
  ["a file part", "", schemaPart('; filename="a.json"')],
])(
  "U+FFFD in %s is a character like any other, and bytes that are not UTF-8 are refused",
  async (_name, before, head) => {
    const text = `{"a\ufffd":"string — ${"é".repeat(5000)}"}`;
    const form = (schema: Buffer) => Buffer.concat([Buffer.from(before + head), schema, Buffer.from("\r\n--b--\r\n")]);
    expect(await schemaOf(form(Buffer.from(text)))).toBe(text);
    const broken = Buffer.concat([Buffer.from(text), Buffer.from([0xe9])]);
    expect(await schemaOf(form(broken))).toMatch(/^schema_invalid : the text is not UTF-8/);
  },
);
