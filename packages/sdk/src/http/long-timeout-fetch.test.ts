import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { answers, answerText, startFaultServer } from "../testing/start-fault-server.ts";

test("the response timeout is longer than any job, and an application's own dispatcher is kept", async () => {
  await using server = await startFaultServer(answers(answerText));
  const place = Symbol.for("undici.globalDispatcher.1");
  new Headers(); // Node sets its dispatcher when a part of fetch is first used.
  const before = Reflect.get(globalThis, place);
  const dispatched: { headersTimeout?: number }[] = [];
  const own = Object.create(before, {
    dispatch: {
      value: (options: { headersTimeout?: number }, handler: unknown) => {
        dispatched.push(options);
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
  expect(dispatched.map(({ headersTimeout }) => headersTimeout)).toEqual([600_000]);
});
