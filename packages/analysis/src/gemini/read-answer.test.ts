import { expect, test } from "vitest";
import { modelOf, readAnswer } from "./read-answer.ts";
import { answerOf } from "./testing/fault-server.ts";

test("the text consists of all parts except the thoughts", () => {
  const parts = [
    { text: "thinking", thought: true },
    { text: '{"a":' },
    null,
    { functionCall: {} },
    { text: "1}", thoughtSignature: "x" },
  ];
  expect(readAnswer(answerOf("", { content: { parts } }), 10_000)).toBe('{"a":1}');
});

test.each([
  [
    "a blocked prompt",
    { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } },
    ": the analysis declined to answer (PROHIBITED_CONTENT)",
  ],
  ["no candidates and no reason", {}, ": the analysis declined to answer (no reason given)"],
  ["an empty list of candidates", { candidates: [] }, ": the analysis declined to answer (no reason given)"],
  [
    "an answer cut off, even if it happens to parse",
    answerOf("{}", { finishReason: "MAX_TOKENS" }),
    ": the answer was cut off for its length; a shorter one is needed",
  ],
  [
    "an answer to be continued",
    answerOf("{}", { finishReason: "CONTINUATION" }),
    ": the answer was cut off for its length; a shorter one is needed",
  ],
  [
    "a stop for safety",
    answerOf("{}", { finishReason: "SAFETY" }),
    ": the analysis stopped without an answer (SAFETY)",
  ],
  [
    "an unknown reason",
    answerOf("{}", { finishReason: "SOMETHING_NEW" }),
    ": the analysis stopped without an answer (SOMETHING_NEW)",
  ],
  [
    "a reason that is not a word",
    answerOf("{}", { finishReason: "<script>" }),
    ": the analysis stopped without an answer (no reason given)",
  ],
  [
    "an answer without a finish reason",
    answerOf("{}", { finishReason: undefined }),
    ": the analysis stopped without an answer (no reason given)",
  ],
  ["content without parts", answerOf("", { content: { role: "model" } }), ": the answer was empty"],
  ["no content", answerOf("", { content: undefined }), ": the answer was empty"],
  [
    "nothing but thoughts",
    answerOf("", { content: { parts: [{ text: "hm", thought: true }] } }),
    ": the answer was empty",
  ],
  ["white space", answerOf(" \n"), ": the answer was empty"],
])("%s is not an answer", (_name, response, violation) => {
  expect(() => readAnswer(response, 10_000)).toThrow(expect.objectContaining({ violation }));
});

const counting = (usageMetadata: unknown) => ({ ...answerOf("{}"), usageMetadata });
const text = { modality: "TEXT", tokenCount: 900 };

test.each([
  ["only text", { promptTokenCount: 900, promptTokensDetails: [text] }],
  ["less than the fewest pictures", { promptTokenCount: 1100, promptTokensDetails: [text] }],
  ["too little altogether", { promptTokenCount: 120 }],
])("token counts with %s show that the model did not receive the video", (_name, usage) => {
  expect(() => readAnswer(counting(usage), 10_000)).toThrow("did not receive the video");
});

test.each([
  ["a picture every two seconds in the lowest resolution", 9_000, 900 + 4 * 66],
  ["one picture of a second", 1_000, 900 + 66],
])("token counts with %s are a video, whatever the provider calls them", (_name, durationMs, promptTokenCount) => {
  const usage = { promptTokenCount, promptTokensDetails: [text, { modality: "IMAGE", tokenCount: 66 }] };
  expect(readAnswer(counting(usage), durationMs)).toBe("{}");
});

test("without token counts the answer is accepted", () => {
  expect(readAnswer(counting({ promptTokensDetails: [] }), 10_000)).toBe("{}");
  expect(readAnswer(counting(undefined), 10_000)).toBe("{}");
});

test.each([undefined, "", "models/x", "a\nb", 7])("%j is not the id of a model that answered", (modelVersion) => {
  expect(modelOf({ modelVersion })).toBeNull();
});
