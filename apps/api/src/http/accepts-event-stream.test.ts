import { expect, test } from "vitest";
import { acceptsEventStream } from "../extract/request-options.ts";

test.each([
  "text/event-stream",
  "Text/Event-Stream",
  " text/event-stream ; charset=utf-8 ",
  "text/event-stream, application/json",
  "application/json, text/event-stream",
  "application/json;q=0.9, text/event-stream",
  "application/json; q=0.5,text/event-stream; q=0.5",
  "text/event-stream, */*;q=0.1",
  "text/event-stream, */*",
  "application/json;q=0.1, */*;q=1, text/event-stream;q=0.2",
  "text/event-stream;q=0.2, text/event-stream;q=0.9, application/json;q=0.5",
  'text/html;x=", application/json;q=1", text/event-stream;q=0.3',
])("%s asks for events", (accept) => {
  expect(acceptsEventStream(accept)).toBe(true);
});

test.each([
  undefined,
  "",
  "*/*",
  "text/*",
  "application/json",
  "text/event-stream;q=0",
  "text/event-stream;q=0.9, application/json",
  "application/json, text/event-stream;q=0.999",
  "text/event-stream;q=0.5, */*",
  "text/event-stream;q=0.5, application/*;q=0.6",
  "text/event-stream;q=nonsense",
  'text/html;x="text/event-stream"',
  "text/event-streams",
  ",;,",
])("%s does not ask for events", (accept) => {
  expect(acceptsEventStream(accept)).toBe(false);
});
