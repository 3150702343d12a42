import { expect, test } from "vitest";
import type { Progress } from "../extract/progress.ts";
import { answers, answerText, cuts } from "../testing/start-fault-server.ts";
import { errorOf, schema, startServerAndClient, video } from "../testing/start-server-and-client.ts";

const chunks = (...sizes: number[]) => {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = sizes.shift();
      if (size === undefined) return controller.close();
      controller.enqueue(video.subarray(at, at + size));
      at += size;
    },
  });
};

/** The bytes of the video that the server has received with its first request. */
function sentVideo(body: Buffer): Buffer {
  const start = body.indexOf("\r\n\r\n", body.indexOf('name="video"')) + 4;
  return body.subarray(start, body.lastIndexOf("\r\n--"));
}

test.each<[string, () => ArrayBuffer | ReadableStream<Uint8Array> | Response, number]>([
  ["an ArrayBuffer", () => video.slice().buffer, video.length],
  ["a stream", () => chunks(0, 70_000, 0, video.length - 70_000), Number.POSITIVE_INFINITY],
  ["a response", () => new Response(chunks(video.length)), Number.POSITIVE_INFINITY],
  [
    "a response that tells its length",
    () => new Response(chunks(video.length), { headers: { "content-length": String(video.length) } }),
    video.length,
  ],
])("%s is sent whole", async (_name, source, totalBytes) => {
  await using at = await startServerAndClient(answers(answerText));
  const totals = new Set<number>();
  const onProgress = (step: Progress) => void (step.stage === "uploading" && totals.add(step.totalBytes));
  await at.client.extract({ video: source(), schema, onProgress });
  expect(sentVideo(at.server.bodyOf(0)).equals(video)).toBe(true);
  expect([...totals]).toEqual([totalBytes]);
});

test("a stream that was partly sent is not sent again", async () => {
  await using at = await startServerAndClient(cuts(2 ** 20), answers(answerText));
  const error = await errorOf(at.client.extract({ video: chunks(2 ** 20, 2 ** 20, 2 ** 20), schema }));
  expect(error).toMatchObject({ name: "VideoToJsonConnectionError" });
  expect(at.server.requests).toHaveLength(1);
});

test("a stream that fails ends the call with its error, and a call that ends cancels its stream", async () => {
  await using at = await startServerAndClient(answers(answerText));
  const broken = new Error("The disk is gone.");
  const fails = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(broken) });
  expect(await errorOf(at.client.extract({ video: fails, schema }))).toBe(broken);
  const stop = new AbortController();
  const cancelled = new Promise<void>((resolve) => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(10));
        stop.abort(new Error("enough"));
      },
      cancel: () => resolve(),
    });
    void errorOf(at.client.extract({ video: endless, schema, signal: stop.signal }));
  });
  await cancelled;
});

test("a response that failed, a stream in use and a stream of text are refused", async () => {
  await using at = await startServerAndClient(answers(answerText));
  const used = chunks(1);
  used.getReader();
  const text = new ReadableStream({ pull: (controller) => controller.enqueue("text") });
  const wrong = [new Response("Not found", { status: 404 }), new Response(null), used, text];
  for (const source of wrong) {
    expect(await errorOf(at.client.extract({ video: source, schema }))).toBeInstanceOf(TypeError);
  }
});
