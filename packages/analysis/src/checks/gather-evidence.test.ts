import { leavesOf } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { type Ask, NoAnswer } from "../analysis-provider.ts";
import { openBudget } from "./budget.ts";
import { at, eachFrame, field, type Given, gather, resolve, title, withIds } from "./gather-evidence.harness.ts";
import type { EvidenceChecks } from "./gather-evidence.ts";

test("a quote on the screen confirms its field; a quote that is not there leaves it unconfirmed, with less confidence", async () => {
  const run = (text: string) =>
    gather({ data: { title: "Opening night" }, reply: title, checks: { readScreens: eachFrame(async () => text) } });
  const found = (await run("OPENING NIGHT")).evidence.fields["/title"];
  const missed = (await run("Second act")).evidence.fields["/title"];
  expect([found?.verdict, found?.spans[0]?.quote_found]).toEqual(["confirmed", true]);
  expect([missed?.verdict, missed?.spans[0]?.quote_found]).toEqual(["unconfirmed", false]);
  expect(found?.confidence).toBeGreaterThan(Number(missed?.confidence));
});

test("if nothing can read the screen, a quote is neither found nor missing, and the confidence is null", async () => {
  const { evidence } = await gather({ data: { title: "Opening night" }, reply: title });
  const { verdict, confidence, spans } = evidence.fields["/title"] ?? {};
  expect([verdict, confidence, spans?.[0]?.quote_found]).toEqual(["not_checked", null, null]);
});

test("a quote that is not on the middle frame is looked for near the edges of its span", async () => {
  const frames: number[] = [];
  const readScreens = eachFrame(async ({ atMs }) => {
    frames.push(atMs);
    return atMs < 2_000 ? "Opening night" : "";
  });
  const { evidence } = await gather({ data: { title: "x" }, reply: title, checks: { readScreens } });
  expect(evidence.fields["/title"]?.spans[0]?.quote_found).toBe(true);
  expect(frames).toEqual([2_000, 2_000, 1_500, 2_500]);
});

test("one frame is read for all quotes on it, although their spans differ", async () => {
  const frames: number[] = [];
  const readScreens = eachFrame(async ({ atMs }) => {
    frames.push(atMs);
    return atMs < 15_000 ? "ROOM 408\nDr. Weber\n12 March" : "Break";
  });
  const said = { a: "ROOM 408", b: "Dr. Weber", c: "12 March", d: "Break", e: "ROOM 409" };
  const starts = { a: "00:02", b: "00:04", c: "00:06", d: "00:16", e: "00:01" };
  const fields = Object.entries(said).map(([key, quote]) =>
    field(`/${key}`, at(starts[key as "a"], key === "d" ? "00:18" : "00:14", { modality: "text", quote })),
  );
  const { evidence } = await gather({ data: said, reply: { fields }, checks: { readScreens } });
  const verdicts = Object.values(evidence.fields).map(({ verdict }) => verdict);
  expect(verdicts).toEqual(["confirmed", "confirmed", "confirmed", "confirmed", "contradicted"]);
  // One frame for the first three, one for the fourth; the wrong value is looked for at all its own places.
  expect(frames.length).toBeLessThanOrEqual(6);
});

test("many fields that name the same moment cost one look, and the number of looks is limited", async () => {
  let looks = 0;
  const readScreens = eachFrame(async () => `${++looks}` && "");
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${key}`, "v"]));
  const all = (spanOf: (index: number) => object) => ({
    fields: Object.keys(data).map((key, index) => field(`/${key}`, spanOf(index))),
  });
  const same = await gather({
    data,
    reply: all(() => at("00:10", "00:20", { modality: "text", quote: "abc" })),
    checks: { readScreens },
  });
  expect([looks, same.evidence.status]).toEqual([4, "complete"]);
  looks = 0;
  const others = await gather({
    data,
    reply: all((index) =>
      at("00:01", `00:${String((index % 50) + 5).padStart(2, "0")}`, { modality: "text", quote: "abc" }),
    ),
    checks: { readScreens },
  });
  expect([looks, others.evidence.status]).toEqual([32, "partial"]);
});

test("the number of quotes of speech is limited", async () => {
  let heard = 0;
  const hear = async () => `${++heard}` && "";
  const data = Object.fromEntries(Array.from({ length: 121 }, (_, key) => [`k${key}`, "v"]));
  const spoken = { modality: "speech", quote: "abc" };
  const reply = {
    fields: [0, 1, 2, 3, 4, 5, 6].map((key) => field(`/k${key}`, at(`00:${10 + key}`, "00:30", spoken))),
  };
  const { evidence } = await gather({ data, reply, checks: { hear } });
  expect([heard, evidence.status]).toEqual([6, "partial"]);
});

test("every leaf is asked about, in several questions, and once more if an answer leaves it out", async () => {
  const data = Object.fromEntries(Array.from({ length: 250 }, (_, key) => [`k${key}`, "v"]));
  const ask: Ask = async ({ prompt }) => {
    const pointers = [...prompt.matchAll(/"pointer":"(\/k\d+)"/g)].map(([, pointer = ""]) => pointer);
    asked.push(pointers.length);
    const answered = pointers.filter((pointer) => !pointer.endsWith("7") || asked.length > 1);
    const reply = { fields: answered.map((pointer) => field(pointer, at("00:01", "00:02"))) };
    return { text: withIds(reply, prompt), model: "m" };
  };
  const asked: number[] = [];
  const { evidence } = await gather({ data, ask });
  expect([asked, evidence.status]).toEqual([[200, 70], "complete"]);
  expect(Object.values(evidence.fields).filter(({ spans }) => spans.length === 0)).toEqual([]);
});

test("leaves beside a doubtful time are asked about first, then those with digits", async () => {
  const data = {
    title: "x",
    total: 5,
    cuts: [
      { at: "00:05", text: "a" },
      { at: "00:07", text: "b" },
    ],
  };
  const { asked } = await gather({ data, doubtful: ["/cuts/1/at"] });
  const pointers = [...(asked[0] ?? "").matchAll(/\{"id":\d+,"pointer":"([^"]+)"/g)].map(([, pointer]) => pointer);
  expect(pointers).toEqual(["/cuts/1/at", "/cuts/1/text", "/total", "/cuts/0/at", "/title", "/cuts/0/text"]);
});

const whole = JSON.stringify({
  fields: [
    { id: 1, spans: [at("00:01", "00:02", { quote: "} [" })] },
    { id: 2, spans: [at("00:03", "00:04")] },
  ],
});

test.each<[string, string | NoAnswer, string[]]>([
  ["stands between words and fences", `Here it is:\n\`\`\`json\n${whole}\n\`\`\`\nDone.`, ["/a", "/b"]],
  ["is in a fence that is cut off", `\`\`\`json\n${whole.slice(0, -30)}`, ["/a"]],
  ["is a list after a word", `Sure: ${JSON.stringify(JSON.parse(whole).fields)}`, ["/a", "/b"]],
  ["ends in the middle", whole.slice(0, -30), ["/a"]],
  ["is cut off for its length", new NoAnswer("cut off", whole.slice(0, -30)), ["/a"]],
])("of an answer that %s the complete entries count, and the rest is asked once more", async (_, reply, shown) => {
  let asked = 0;
  const ask: Ask = async () => {
    if (asked++ > 0) return { text: '{"fields":[]}', model: "m" };
    if (reply instanceof Error) throw reply;
    return { text: reply, model: "m" };
  };
  const { evidence } = await gather({ data: { a: "x", b: "y" }, ask });
  const found = Object.entries(evidence.fields).filter(([, { spans }]) => spans.length > 0);
  expect(found.map(([pointer]) => pointer)).toEqual(shown);
  expect(asked).toBe(shown.length === 2 ? 1 : 2);
});

test("times are checked even if the model says nothing about the leaves", async () => {
  const found = { verdict: "confirmed" as const, spans: [], checked: null, nearestCutMs: null };
  const checkTimes = async () => ({ findings: new Map([["/at", found]]), isCorrected: false });
  const { evidence } = await gather({ data: { at: "00:10" }, reply: "Sure!", checks: { checkTimes } });
  expect(evidence.fields["/at"]?.verdict).toBe("confirmed");
});

/** Gathers the evidence of one value. The model quotes `quote`, and the screen shows `screen`. */
async function proveValue(
  value: unknown,
  { quote = String(value), screen = "", from = "00:01", to = "00:03", knows = "" },
) {
  const reply = { fields: [field("/v", at(from, to, { modality: "text", quote }))] };
  const readScreens = eachFrame(async ({ script = "" }) => (script.startsWith(knows) ? screen : null));
  return (await gather({ data: { v: value }, reply, checks: { readScreens } })).evidence.fields["/v"];
}

test("a value whose quote is another caption of the video is not confirmed", async () => {
  const found = await proveValue("TOTAL 1250 EUR", { quote: "SCORE 3-1", screen: "SCORE 3-1" });
  expect(found).toMatchObject({ verdict: "unconfirmed", spans: [{ quote_found: true, read: null }] });
  expect(found?.confidence).toBeLessThan(0.5);
});

test("another number at the place of a quote contradicts the value, and the evidence says what was read", async () => {
  const found = await proveValue("SCORE 3-2", { screen: "HALF TIME\nSCORE 3-1" });
  expect(found).toMatchObject({ verdict: "contradicted", spans: [{ quote_found: false, read: "SCORE 3-1" }] });
  // The clock in the quote went on, and the name is still there.
  const later = await proveValue("Okafor", { quote: "OKAFOR 41:12", screen: "OKAFOR 41:13" });
  expect(later).toMatchObject({ verdict: "unconfirmed", confidence: 0.7 });
});

test("of quotes that do not hold the value, one with another number is the worst sign, and a screen that shows the value the best", async () => {
  const screen = "ROOM 408";
  const [rival, other, read] = await Promise.all([
    proveValue("ROOM 409", { quote: "ROOM 408", screen }),
    proveValue("ROOM 408", { quote: "a sign on a door", screen }),
    proveValue("ROOM 408", { quote: "ROOM 403", screen }),
  ]);
  expect([rival, other, read].map((field) => field?.verdict)).toEqual(["unconfirmed", "unconfirmed", "unconfirmed"]);
  expect(rival?.confidence).toBeLessThan(Number(other?.confidence) - 0.1);
  expect(read?.confidence).toBeGreaterThan(0.5);
});

test("a time at an edge of its span is more certain than a time within the span, and a time outside is the least certain", async () => {
  const data = { a: "00:10", b: "00:15", c: "00:40" };
  const reply = { fields: Object.keys(data).map((key) => field(`/${key}`, at("00:10", "00:20"))) };
  const findings = new Map(
    Object.keys(data).map((key) => [
      `/${key}`,
      { verdict: "not_checked" as const, spans: [], checked: null, nearestCutMs: null },
    ]),
  );
  const checkTimes = async () => ({ findings, isCorrected: false });
  const { evidence } = await gather({ data, reply, checks: { checkTimes } });
  const [edge, inside, outside] = Object.values(evidence.fields).map(({ confidence }) => Number(confidence));
  expect(edge).toBeGreaterThan(Number(inside));
  expect(inside).toBeGreaterThan(Number(outside));
});

test("a quote over most of the video confirms nothing", async () => {
  expect((await proveValue("Opening", { screen: "Opening", to: "00:40" }))?.verdict).toBe("unconfirmed");
  expect((await proveValue("Opening", { screen: "Opening", to: "00:20" }))?.verdict).toBe("confirmed");
});

test.each(["Выход", "Έξοδος", "خروج", "יציאה", "出口", "でぐち", "출구", "निकास"])(
  "a quote in the script of %s is read in that script, and not searched where no reader knows it",
  async (value) => {
    expect((await proveValue(value, { screen: `${value} 3` }))?.verdict).toBe("confirmed");
    const found = await proveValue(value, { screen: "BbIxon", knows: "Latin" });
    expect(found).toMatchObject({
      verdict: "not_checked",
      confidence: null,
      spans: [{ quote_found: null, read: null }],
    });
  },
);

test("a quote does not confirm a time without a clip, and no check is certain", async () => {
  const quoted = { modality: "text", quote: "00:10 starts" };
  const reply = { fields: ["/at", "/title"].map((pointer) => field(pointer, at("00:10", "00:12", quoted))) };
  const readScreens = eachFrame(async () => "00:10 STARTS");
  const { evidence } = await gather({ data: { at: "00:10", title: "starts" }, reply, checks: { readScreens } });
  expect(evidence.fields["/at"]).toMatchObject({
    ...{ verdict: "not_checked", confidence: null },
    spans: [{ quote_found: true }],
  });
  expect(evidence.fields["/title"]).toMatchObject({ verdict: "confirmed", confidence: 0.98 });
  const found = { verdict: "confirmed" as const, spans: [], checked: null, nearestCutMs: null };
  const checkTimes = async () => ({ findings: new Map([["/at", found]]), isCorrected: false });
  const sure = await gather({ data: { at: "00:10" }, reply, checks: { readScreens, checkTimes } });
  expect(sure.evidence.fields["/at"]).toMatchObject({ verdict: "confirmed", confidence: 0.98 });
});

test("a job near its deadline asks no question", async () => {
  const { asked, evidence } = await gather({ data: { title: "x" }, reply: title, budgetMs: 1_999 });
  expect([asked.length, evidence.status]).toEqual([0, "unavailable"]);
});

test("a narrow clip decides the verdict of a time, and a time is never about the whole video", async () => {
  const spans = [{ startMs: 4_000, endMs: 5_000 }];
  const check = { verdict: "moved" as const, spans, checked: { fromMs: 0, toMs: 20_000 }, nearestCutMs: 4_000 };
  const { evidence } = await gather({
    data: { at: "00:10", n: 3 },
    reply: { fields: ["/at", "/n"].map((pointer) => ({ pointer, where: "whole_video", spans: [] })) },
    checks: { checkTimes: async () => ({ findings: new Map([["/at", check]]), isCorrected: false }) },
  });
  expect(evidence.fields).toEqual({
    "/at": {
      verdict: "moved",
      confidence: 0.03,
      spans: [{ start_ms: 4_000, end_ms: 5_000, modality: "visual", quote: null, quote_found: null, read: null }],
      checked: { from_ms: 0, to_ms: 20_000 },
      nearest_cut_ms: 4_000,
    },
  });
  expect(evidence.whole_video).toEqual(["/n"]);
});

test.each<[string, Partial<Given>]>([
  ["the model declines", { reply: new NoAnswer("no") }],
  ["the provider fails", { reply: new Error("down") }],
  ["the model writes no JSON", { reply: "Sure!" }],
  ["no time is left", { budgetMs: 0 }],
  ["the worker stops", { signal: AbortSignal.abort() }],
])("when %s, the evidence is unavailable, and every leaf is listed unchecked", async (_name, given) => {
  const { evidence } = await gather({ data: { a: "x", b: [], c: null }, ...given });
  expect(evidence).toMatchObject({ status: "unavailable", whole_video: ["/b", "/c"] });
  expect(Object.keys(evidence.fields)).toEqual(["/a"]);
});

test("looks that fail or hang make the evidence partial, within the budget", async () => {
  const never: EvidenceChecks["readScreens"] = (_frame, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const started = performance.now();
  const { evidence } = await gather({
    data: { title: "x" },
    reply: title,
    checks: { readScreens: never },
    budgetMs: 2_100,
  });
  expect(performance.now() - started).toBeLessThan(8_000);
  expect([evidence.status, evidence.fields["/title"]?.spans[0]?.quote_found]).toEqual(["partial", null]);
});

test("the question is complete: the pointers and values of the leaves, and the form of the answer", async () => {
  const { asked } = await gather({ data: { "a/b": "x".repeat(5_000), list: [], c: [1, true] } });
  const lines = (asked[0] ?? "").split("\n").filter((line) => line.startsWith('{"id"'));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 1, pointer: "/c/0", value: 1 },
    { id: 2, pointer: "/a~1b", value: "x".repeat(300) },
    { id: 3, pointer: "/c/1", value: true },
  ]);
  expect(asked[0]).toContain("MM:SS");
  expect(asked[0]).toContain('"whole_video"');
});

test.each<[string, unknown, unknown]>([
  [
    "thousands of keys are absent from each of hundreds of items",
    {
      type: "array",
      items: { properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`key${n}`, {}])) },
    },
    Array.from({ length: 600 }, () => ({})),
  ],
  [
    "an answer has a hundred thousand leaves",
    {},
    Array.from({ length: 100 }, () => Array.from({ length: 1_000 }, () => 1)),
  ],
  [
    "keys are ten kilobytes long",
    {},
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}${"k".repeat(10_000)}`, "x"])),
  ],
  ["an answer is hundreds of levels deep", {}, JSON.parse(`${'{"k":['.repeat(200)}"x"${"]}".repeat(200)}`)],
])(
  "when %s, the evidence has at most 64 KiB, and pointers of objects and lists replace those that do not fit",
  async (_, schema, data) => {
    const { evidence } = await gather({ data, schema });
    expect(Buffer.byteLength(JSON.stringify(evidence))).toBeLessThanOrEqual(65_536);
    const listed = [...Object.keys(evidence.fields), ...evidence.whole_video];
    for (const pointer of listed) resolve(data, pointer);
    for (const pointer of evidence.absent) resolve(data, pointer.replace(/\/[^/]*$/, ""));
    const open = leavesOf(data).filter(({ pointer }) => !listed.some((at) => `${pointer}/`.startsWith(`${at}/`)));
    expect(open).toEqual([]);
  },
);

test("quotes that do not fit leave their fields unchecked, and the evidence partial", async () => {
  const quote = "ﬃ".repeat(300);
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, quote]));
  const spans = Array.from({ length: 8 }, (_, n) => at(`00:0${n}`, "00:09", { modality: "text", quote }));
  const reply = { fields: Object.keys(data).map((key) => field(`/${key}`, ...spans)) };
  const { evidence } = await gather({ data, reply, checks: { readScreens: eachFrame(async () => quote) } });
  expect(Buffer.byteLength(JSON.stringify(evidence))).toBeLessThanOrEqual(65_536);
  expect([evidence.status, Object.keys(evidence.fields)]).toEqual([
    "partial",
    Object.keys(data).map((key) => `/${key}`),
  ]);
  const verdicts = Object.values(evidence.fields).map(({ verdict }) => verdict);
  expect([...new Set(verdicts)]).toEqual(["confirmed", "not_checked"]);
});

test("evidence of three minutes and 40 fields asks about each field and costs at most 1.5 times the first pass", async () => {
  const [perInput, perOutput] = [0.3 / 1e6, 2.5 / 1e6];
  const [videoTokens, durationMs] = [180 * (70 + 32), 180_000];
  const rates = { picture: 70 * perInput, soundSecond: 32 * perInput, input: perInput, output: perOutput };
  const dollars = (videoTokens + 1500) * perInput + 600 * perOutput;
  const budget = openBudget({ total: 20_460, audio: 5_760, dollars, rates }, durationMs, { factor: 1.5, least: 0.01 });
  let spent = 0;
  const ask: Ask = async ({ prompt }) => {
    const pointers = [...prompt.matchAll(/"pointer":"(\/f\d+)"/g)].map(([, pointer = ""]) => pointer);
    const price = (videoTokens + prompt.length / 4) * perInput + pointers.length * 40 * perOutput;
    spent += price;
    const fields = pointers.map((_pointer, index) => ({ id: index + 1, spans: [at("00:01", "00:03")] }));
    return { text: JSON.stringify({ fields }), model: "m", tokens: { total: 0, audio: 5_760, dollars: price, rates } };
  };
  const data = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, `value ${index}`]));
  const { evidence } = await gather({ data, durationMs, budget, ask });
  expect(spent).toBeGreaterThan(dollars);
  expect(spent).toBeLessThanOrEqual(1.5 * dollars);
  expect(budget.spent()).toBeCloseTo(spent, 9);
  expect(Object.values(evidence.fields).filter(({ spans }) => spans.length > 0)).toHaveLength(40);
});
