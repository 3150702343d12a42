import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { VideoToJsonParseError } from "./errors/video-to-json-parse-error.ts";
import { jobId } from "./testing/event-handlers.ts";
import { answers, type startFaultServer } from "./testing/start-fault-server.ts";
import { errorOf, startServerAndClient } from "./testing/start-server-and-client.ts";

const videoUrl = "https://example.com/v.mp4";
const data = { title: "Derby", goals: [{ at: "03:17", count: 2, side: "home" }] };
const startClient = (answered: unknown = data) =>
  startServerAndClient(
    answers(JSON.stringify({ id: jobId, data: answered, video: { duration_seconds: 5 }, billed_seconds: 60 })),
  );

type Match = {
  title: string;
  goals: { at: string; count: number; side: "home" | "away"; note?: string | undefined }[];
};

/** The schema that the service has received. */
function sentSchema(server: Awaited<ReturnType<typeof startFaultServer>>) {
  const [, text = ""] = /name="schema"\r\n\r\n(.*)\r\n/.exec(server.bodyOf(0).toString()) ?? [];
  return JSON.parse(text);
}

const jsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    title: { type: "string" },
    goals: {
      type: "array",
      items: {
        type: "object",
        properties: {
          at: { type: "string" },
          count: { type: "integer" },
          side: { enum: ["home", "away"] },
          note: { type: "string" },
        },
        required: expect.not.arrayContaining(["note"]),
      },
    },
  },
  required: expect.arrayContaining(["title", "goals"]),
};

test("a Zod schema is sent as JSON Schema, and gives the data its type", async () => {
  await using at = await startClient();
  const goal = { at: z.string(), count: z.int(), side: z.enum(["home", "away"]), note: z.string().optional() };
  const answer = await at.client.extract({
    videoUrl,
    schema: z.object({ title: z.string(), goals: z.array(z.object(goal)) }),
  });
  expectTypeOf(answer.data).toEqualTypeOf<Match>();
  expect(answer.data).toEqual(data);
  expect(sentSchema(at.server)).toMatchObject(jsonSchema);
});

test("a schema of Zod Mini, Valibot and ArkType is sent as JSON Schema, and gives the data its type", async () => {
  await using one = await startClient();
  const miniGoal = {
    at: mini.string(),
    count: mini.int(),
    side: mini.enum(["home", "away"]),
    note: mini.optional(mini.string()),
  };
  const fromMini = await one.client.extract({
    videoUrl,
    schema: mini.toJSONSchema(mini.object({ title: mini.string(), goals: mini.array(mini.object(miniGoal)) })),
  });
  expectTypeOf(fromMini.data).toEqualTypeOf<Match>();
  expect(sentSchema(one.server)).toMatchObject(jsonSchema);

  await using two = await startClient();
  const valibotGoal = {
    at: v.string(),
    count: v.pipe(v.number(), v.integer()),
    side: v.picklist(["home", "away"]),
    note: v.optional(v.string()),
  };
  const valibot = v.object({ title: v.string(), goals: v.array(v.object(valibotGoal)) });
  const fromValibot = await two.client.extract({ videoUrl, schema: toStandardJsonSchema(valibot) });
  expectTypeOf(fromValibot.data).toEqualTypeOf<Match>();
  expect(fromValibot.data).toEqual(data);
  expect(sentSchema(two.server)).toMatchObject(jsonSchema);

  await using three = await startClient();
  const arktype = type({
    title: "string",
    goals: type({ at: "string", count: "number.integer", side: "'home'|'away'", "note?": "string" }).array(),
  });
  const fromArkType = await three.client.extract({ videoUrl, schema: arktype });
  expectTypeOf(fromArkType.data.goals[0]?.side).toEqualTypeOf<"home" | "away" | undefined>();
  expectTypeOf(fromArkType.data.title).toEqualTypeOf<string>();
  expect(fromArkType.data).toEqual(data);
  expect(sentSchema(three.server)).toMatchObject({ type: "object", required: ["goals", "title"] });
});

test("a TypeBox schema is JSON Schema, and gives the data its type", async () => {
  await using at = await startClient();
  const schema = Type.Object({ title: Type.String(), goals: Type.Array(Type.Object({ at: Type.String() })) });
  const answer = await at.client.extract({ videoUrl, schema });
  expectTypeOf(answer.data).toEqualTypeOf<{ title: string; goals: { at: string }[] }>();
  expect(sentSchema(at.server)).toMatchObject({ type: "object", properties: { title: { type: "string" } } });
});

test("the library parses the answer: transformations, defaults and unknown keys", async () => {
  await using at = await startClient({ length: "03:17", extra: 1 });
  const seconds = z.string().transform((text) => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0));
  const answer = await at.client.extract({
    videoUrl,
    schema: z.object({ length: seconds, tags: z.array(z.string()).default([]) }),
  });
  expectTypeOf(answer.data).toEqualTypeOf<{ length: number; tags: string[] }>();
  expect(answer.data).toEqual({ length: 197, tags: [] });
  expect(JSON.parse(answer.json).data).toEqual({ length: "03:17", extra: 1 });
  expect(sentSchema(at.server)).toMatchObject({ properties: { length: { type: "string" } }, required: ["length"] });
});

test("data that the library does not accept is thrown with its issues, and is not lost", async () => {
  await using at = await startClient({ total: [{ n: 3 }] });
  const even = z.object({ total: z.array(z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") })) });
  const error = await errorOf(at.client.extract({ videoUrl, schema: even }));
  expect(error).toBeInstanceOf(VideoToJsonParseError);
  expect(error).toMatchObject({ jobId, data: { total: [{ n: 3 }] }, issues: [{ path: ["total", 0, "n"] }] });
  expect(String(error)).toContain("/total/0/n: must be even");
  const thrown = new Error("mine");
  const throws = z.object({ total: z.any() }).transform(() => {
    throw thrown;
  });
  expect(await errorOf(at.client.extract({ videoUrl, schema: throws }))).toMatchObject({ jobId, cause: thrown });
  expect(at.server.requests).toHaveLength(2);
});

class Rectangle {
  width = "number";
}

test.each<[string, object, RegExp]>([
  ["a Valibot schema by itself", v.object({ a: v.string() }), /valibot schema without .*toStandardJsonSchema/],
  [
    "a Zod schema without JSON Schema",
    { "~standard": { vendor: "zod", version: 1, validate: () => ({ value: 1 }) } },
    /z\.toJSONSchema/,
  ],
  ["another library's schema without JSON Schema", { "~standard": { vendor: "other" } }, /other schema without/],
  ["a Zod type without a form in JSON", z.object({ a: z.date() }), /no JSON Schema form: Date/],
  ["a Zod Mini schema by itself", mini.object({ a: mini.string() }), /z\.toJSONSchema/],
  ["a Zod schema inside a sketch", { a: [z.object({ b: z.string() })] }, /"0" in schema is a schema of/],
  ["an ArkType schema inside a sketch", { a: type("string") }, /"a" in schema is a schema of/],
  ["a class", new Rectangle(), /schema is an instance of Rectangle/],
  ["an object of a class inside a sketch", { a: new Map() }, /"a" in schema is an instance of Map/],
])("%s is refused before anything is sent", async (_name, schema, message) => {
  await using at = await startClient();
  const error = await errorOf(at.client.extract({ videoUrl, schema }));
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toMatch(message);
  expect(at.server.requests).toEqual([]);
});
