import fc from "fast-check";
import {
  anyInstructions,
  anyJsonSchema,
  anySketch,
  anyText,
  latin,
  textOf,
  usableSchema,
  videoHead,
  videoUrl,
  writeRequest,
} from "./values.ts";

/** Generates forms for `POST /v1/extract`: valid, malformed, and bodies that only resemble a form. */
export function forms(key: string): fc.Arbitrary<Buffer> {
  return fc
    .tuple(boundary, fc.oneof({ arbitrary: parts, weight: 12 }, manyParts), ending, preamble, idempotency)
    .map(([{ written, mark }, all, end, before, keyed]) => {
      const body = `${before}${all.map((one) => `--${mark}\r\n${one}\r\n`).join("")}--${mark}${end}`;
      return extract(key, `multipart/form-data; boundary=${written}`, Buffer.from(body, "latin1"), keyed);
    });
}

/** Generates JSON bodies for `POST /v1/extract`: valid, malformed, and with wrong content types. */
export function jsonBodies(key: string): fc.Arbitrary<Buffer> {
  const members = fc.record(
    {
      schema: fc.oneof(anySketch, anyJsonSchema),
      video_url: fc.oneof({ arbitrary: videoUrl, weight: 3 }, fc.jsonValue()),
      instructions: fc.oneof({ arbitrary: anyInstructions, weight: 3 }, fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const others = fc.oneof(fc.jsonValue(), fc.array(members, { maxLength: 2 }));
  const sound = fc.record(
    { schema: usableSchema, video_url: videoUrl, instructions: anyInstructions },
    { requiredKeys: ["schema", "video_url"] },
  );
  const text = textOf(fc.oneof({ arbitrary: members, weight: 6 }, { arbitrary: sound, weight: 3 }, others));
  const encoded = fc.oneof(
    { arbitrary: text.map((one) => Buffer.from(one)), weight: 12 },
    text.map((one) => Buffer.from(one, "utf16le")),
    text.map((one) => Buffer.from(`\ufeff${one}`)),
    text.map((one) => Buffer.from(one, "latin1")),
  );
  return fc.tuple(encoded, jsonType, idempotency).map(([body, type, keyed]) => extract(key, type, body, keyed));
}

const jsonType = fc.oneof(
  { arbitrary: fc.constant("application/json"), weight: 12 },
  fc.constantFrom(
    ...["application/json; charset=utf-8", "application/json;charset=utf-16", "APPLICATION/JSON", "text/json", "a/b"],
    ...[
      "application/x-www-form-urlencoded",
      "application/problem+json",
      "multipart/form-data",
      "",
      "application/json;",
    ],
  ),
);

// Few keys for many requests, so that some requests find a job with their key, of the same request or of another.
const idempotency = fc.oneof(
  { arbitrary: fc.constant([]), weight: 8 },
  fc.constantFrom("a", "b", "c", "", " ", "é", "x".repeat(256)).map((value) => [["Idempotency-Key", latin(value)]]),
) as fc.Arbitrary<[string, string][]>;

const boundary = fc.oneof(
  { arbitrary: fc.constant({ written: "b", mark: "b" }), weight: 9 },
  fc.constant({ written: '"b c"', mark: "b c" }),
  fc.constant({ written: "b; boundary=c", mark: "c" }),
  fc.constantFrom("", "--", '"', "x".repeat(300)).map((mark) => ({ written: mark, mark })),
);
const ending = fc.oneof(
  { arbitrary: fc.constant("--\r\n"), weight: 4 },
  fc.constantFrom("--", "\r\n", "", "--\r\nafter"),
);
const preamble = fc.oneof(
  { arbitrary: fc.constant(""), weight: 8 },
  fc.constantFrom("\r\n", "before\r\n", "--b--\r\n"),
);

const name = fc.constantFrom("schema", "video", "video_url", "instructions", "__proto__", "constructor", "", "a");
const disposition = fc.oneof(
  { arbitrary: name.map((field) => `form-data; name="${field}"`), weight: 4 },
  { arbitrary: name.map((field) => `form-data; name="${field}"; filename="v.mp4"`), weight: 3 },
  anyText.map((text) => `form-data; name="schema"; filename*=${text}`),
  fc.constantFrom("form-data; NAME=schema", 'form-data; name="schema', "form-data; name*=utf-8''schema", "attachment"),
  anyText,
);
const partType = fc.option(
  fc.oneof(
    anyText,
    fc.constantFrom("multipart/mixed; boundary=b", "text/plain; charset=utf-7", "application/json", "video/mp4"),
  ),
);
const partHeader = fc.oneof(
  { arbitrary: fc.constant(""), weight: 8 },
  fc.constantFrom(
    ...["Content-Transfer-Encoding: base64\r\n", "Content-Length: 1\r\n", "X: y\r\n folded\r\n", ": \r\n", "\n\n"],
    `X: ${"y".repeat(20_000)}\r\n`,
  ),
);

const anySchemaText = fc.oneof(textOf(anySketch), textOf(anyJsonSchema));
const anyContent = fc.oneof(anySchemaText, videoUrl, anyInstructions, fc.uint8Array({ maxLength: 3000 }).map(latin));
const malformedPart = written(disposition, anyContent);
// Each field with a value of its kind, so that many forms reach the schema, the video or a worker.
const videoPart = written(
  fc.constant('form-data; name="video"; filename="v.mp4"'),
  videoHead.map((bytes) => bytes.toString("latin1")),
);
const urlPart = written(fc.constant('form-data; name="video_url"'), videoUrl);
const instructionsPart = written(fc.constant('form-data; name="instructions"'), anyInstructions);
const fittingPart = fc.oneof(
  written(fc.constant('form-data; name="schema"'), anySchemaText),
  videoPart,
  urlPart,
  instructionsPart,
);
// Valid parts, which create a job and so reach admission, the queue and a worker.
const validParts = fc
  .tuple(
    written(
      fc.constant('form-data; name="schema"'),
      usableSchema.map((schema) => JSON.stringify(schema)),
    ),
    fc.oneof(videoPart, urlPart),
    fc.array(instructionsPart, { maxLength: 1 }),
  )
  .chain(([schema, video, instructions]) => fc.shuffledSubarray([schema, video, ...instructions], { minLength: 2 }));
const parts = fc.oneof(fc.array(fc.oneof(malformedPart, fittingPart), { maxLength: 6 }), validParts);
const manyParts = fc
  .tuple(malformedPart, fc.integer({ min: 61, max: 200 }))
  .map(([one, times]) => Array(times).fill(one));

function written(shown: fc.Arbitrary<string>, content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(shown, partType, partHeader, content).map(([disposed, type, header, body]) => {
    const head = `Content-Disposition: ${disposed}\r\n${header}${type === null ? "" : `Content-Type: ${type}\r\n`}`;
    return `${latin(head)}\r\n${latin(body)}`;
  });
}

function extract(key: string, type: string, body: Buffer, others: [string, string][]): Buffer {
  const headers = [["Authorization", `Bearer ${key}`], ["Content-Type", type], ...others] as [string, string][];
  return writeRequest({ method: "POST", path: "/v1/extract", headers }, body);
}
