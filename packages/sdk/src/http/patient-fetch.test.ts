import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { answers, answerText, startFaultServer } from "../testing/start-fault-server.ts";

test("an answer may take as long as a job does, and an application's own way to the network stays in charge", async () => {
  await using server = await startFaultServer(answers(answerText));
  const place = Symbol.for("undici.globalDispatcher.1");
  new Headers(); // Node's fetch takes its place when its parts are first used.
  const before = Reflect.get(globalThis, place);
  const asked: { headersTimeout?: number }[] = [];
  const own = Object.create(before, {
    dispatch: {
      value: (options: { headersTimeout?: number }, handler: unknown) => {
        asked.push(options);
        return before.dispatch(options, handler);
      },
    },
  });
  Reflect.set(globalThis, place, own);
  try {
    const client = createClient({ apiKey: "v2j_live_x", baseUrl: server.url });
    await client.extract({ videoUrl: "https://example.com/v.mp4", schema: { a: "int" } });
  } finally {
    Reflect.set(globalThis, place, before);
  }
  expect(asked.map(({ headersTimeout }) => headersTimeout)).toEqual([600_000]);
});
