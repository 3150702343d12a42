import { expect, test } from "vitest";
import { readAnswer } from "./read-answer.ts";
import { answerOf } from "./testing/fault-server.ts";

test("the text consists of all parts except the thoughts", () => {
  const parts = [
    { text: "thinking", thought: true },
    { text: '{"a":' },
    null,
    { functionCall: {} },
    { text: "1}", thoughtSignature: "x" },
  ];
  expect(readAnswer(answerOf("", { content: { parts } }))).toBe('{"a":1}');
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
  expect(() => readAnswer(response)).toThrow(expect.objectContaining({ violation }));
});

const seeing = (promptTokensDetails: unknown) => ({ ...answerOf("{}"), usageMetadata: { promptTokensDetails } });

test.each([
  ["only text", [{ modality: "TEXT", tokenCount: 120 }]],
  [
    "no video tokens",
    [
      { modality: "TEXT", tokenCount: 120 },
      { modality: "VIDEO", tokenCount: 0 },
    ],
  ],
  ["a video count left out", [{ modality: "VIDEO" }]],
])("token counts with %s show that the model did not receive the video", (_name, details) => {
  expect(() => readAnswer(seeing(details))).toThrow("did not receive the video");
});

test("without token counts the answer is accepted", () => {
  expect(readAnswer(seeing([]))).toBe("{}");
  expect(readAnswer({ ...answerOf("{}"), usageMetadata: undefined })).toBe("{}");
});
