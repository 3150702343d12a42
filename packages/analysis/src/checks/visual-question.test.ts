import { expect, test } from "vitest";
import { askClips } from "./ask-clips.ts";
import { openBudget } from "./budget.ts";
import { checkVisual, planVisualLooks } from "./check-visual.ts";
import { decoysOf } from "./decoys.ts";
import { at, field, gather } from "./gather-evidence.harness.ts";
import type { EvidenceChecks } from "./gather-evidence.ts";
import { findVisualFields, readVisualAnswer, visualQuestion } from "./visual-question.ts";

const claims = (pointers: readonly string[], more: object = {}) => {
  const span = { start_ms: 10_000, end_ms: 14_000, modality: "visual" as const, quote: null, ...more };
  return new Map(pointers.map((pointer) => [pointer, { isWholeVideo: false, spans: [span] }]));
};
const find = (
  data: Record<string, unknown>,
  { schema = {}, more = {}, times = [] as string[], durationMs = 60_000 } = {},
) => {
  const leaves = Object.entries(data).map(([key, value]) => ({ pointer: `/${key}`, value: value as string }));
  const known = {
    dataText: JSON.stringify(data),
    schemaText: JSON.stringify(schema),
    durationMs,
    times,
    leaves,
  };
  return findVisualFields({
    ...known,
    claims: claims(
      Object.keys(data).map((key) => `/${key}`),
      more,
    ),
  });
};

test("colours, counts, yes or no and options of the schema have decoys; free texts, times and quotes have none", () => {
  const schema = { properties: { kind: { enum: ["bus", "tram"] } } };
  const data = { car: "a red car", count: 3, open: true, kind: "bus", note: "He leaves", at: 12, big: 1_250 };
  const asked = find(data, { schema, times: ["/at"] }).map(({ pointer }) => pointer);
  expect(asked).toEqual(["/car", "/count", "/open", "/kind"]);
  expect(find({ count: 3 }, { more: { quote: "three" } })).toEqual([]);
  expect(find({ count: 3 }, { more: { end_ms: 50_000 } })).toEqual([]);
  expect(decoysOf("a Red car", [])).toContain("a orange car");
  expect(decoysOf(0, [])).toEqual(["1", "2"]);
});

test.each([
  ["about three seconds in the middle of a long span", [10_000, 16_000], [11_000, 14_500]],
  ["the whole of a short span", [20_000, 22_400], [20_000, 22_400]],
  ["a second at least", [20_200, 20_400], [20_000, 21_000]],
  ["nothing after the end of the video", [59_200, 59_600], [59_000, 59_700]],
])("the clip about a visible value shows %s", (_, [start_ms, end_ms], [fromMs, toMs]) => {
  const [field] = find({ count: 3 }, { more: { start_ms, end_ms }, durationMs: 59_700 });
  expect(field?.window).toEqual({ fromMs, toMs });
});

test("two options are a claim and its opposite only if they are yes and no", () => {
  const questionOf = (options: string[]) => {
    const [field] = find({ open: options[0] }, { schema: { properties: { open: { enum: options } } } });
    return (
      field &&
      visualQuestion([field], 0)
        .prompt.split("\n")
        .find((line) => line.startsWith('{"question"'))
    );
  };
  expect(JSON.parse(questionOf(["yes", "no"]) ?? "")).toMatchObject({ about: { claim: expect.any(String) } });
  const { about, options } = JSON.parse(questionOf(["yes", "maybe"]) ?? "");
  expect([about.claim, options.toSorted()]).toEqual([undefined, ["maybe", "yes"]]);
});

test.each([
  ["红色汽车", "橙色汽车"],
  ["赤", "オレンジ"],
  ["빨간색", "흰색"],
  ["लाल गाड़ी", "सफेद गाड़ी"],
  ["سيارة أحمر", "سيارة أبيض"],
  ["красный автомобиль", "белый автомобиль"],
])("the colour of %s has its neighbours as decoys, in its own language", (value, decoy) => {
  expect(decoysOf(value, [])).toContain(decoy);
});

test("no option stands at the same place twice, and nothing else in a question names an option", () => {
  const data = { owner: "Red Cross", driver: "Ada", colour: "red", count: 2 };
  const known = { dataText: JSON.stringify(data), schemaText: "{}", durationMs: 60_000, times: [] };
  const leaves = [
    { pointer: "/colour", value: "red" },
    { pointer: "/count", value: 2 },
  ];
  const fields = findVisualFields({ ...known, leaves, claims: claims(["/colour", "/count"]) });
  for (const { asked, value } of fields) {
    const [first, second] = asked.map(({ meanings }) => meanings.filter((meaning) => meaning !== null));
    expect(first).toContain(value);
    expect(first?.toSorted()).toEqual(second?.toSorted());
    for (const [index, option] of (first ?? []).entries()) expect(option).not.toBe(second?.[index]);
  }
  const { prompt } = visualQuestion(fields, 0);
  const beside = prompt.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line).about.beside] : []));
  expect(beside).toEqual([{ driver: "Ada" }, { owner: "Red Cross", driver: "Ada" }]);
});

test("in a script without spaces, a word that names an option is not in the question either", () => {
  const dataText = JSON.stringify({ caption: "红色的圆形出现", place: "左边", colour: "红色" });
  const schemaText = JSON.stringify({ properties: { colour: { enum: ["红色", "蓝色"] } } });
  const leaves = [{ pointer: "/colour", value: "红色" }];
  const known = { dataText, schemaText, durationMs: 60_000, times: [], leaves, claims: claims(["/colour"]) };
  const { prompt } = visualQuestion(findVisualFields(known), 0);
  expect(prompt).toContain("左边");
  expect(prompt).not.toContain("圆形");
});

test("the question holds a claim and its opposite, and only an answer that names one of the two is used", async () => {
  const [yes] = find({ open: true });
  const said = yes?.asked.map(({ says }) => JSON.parse(says).claim);
  expect(said?.toSorted()).toEqual(["false", "true"]);
  const fields = yes ? [yes] : [];
  const meanings = ["It is so", "it is not so", "cannot tell", "yes"].map(
    (answer) => readVisualAnswer(JSON.stringify({ answers: [answer] }), fields, 0)[0],
  );
  expect(meanings).toEqual([said?.[0], said?.[1], null, null]);
  expect(readVisualAnswer("Sure!", fields, 0)).toEqual([undefined]);
});

/** A model that says, of all options, the one that the clip shows. A second look may see something else. */
const seeing = (first: string, second = first): NonNullable<EvidenceChecks["askVisual"]> => {
  const answer = ({ prompt }: { prompt: string }, shown: string) => {
    const claim = /"claim":"(\w+)"/.exec(prompt)?.[1];
    const said = claim === undefined ? shown : claim === shown ? "it is so" : "it is not so";
    return JSON.stringify({ answers: [said] });
  };
  return async (clips) =>
    clips.map((clip) => {
      const text = answer(clip.question, first);
      const next = clip.next?.(text);
      return { clip, text, nextText: next && answer(next.question, second), edges: { cutsMs: [], silences: [] } };
    });
};

test.each<[unknown, string, string, string | null]>([
  ["red", "red", "confirmed", null],
  ["red", "orange", "contradicted", "orange"],
  ["red", "none of these", "unconfirmed", null],
  ["red", "magenta", "unconfirmed", null],
  [3, "4", "contradicted", "4"],
  [true, "true", "confirmed", null],
  [true, "false", "contradicted", "false"],
])("a value %s of which two looks see %s is %s", async (value, shown, verdict, read) => {
  const reply = { fields: [field("/v", at("00:10", "00:14"))] };
  const { evidence } = await gather({ data: { v: value }, reply, checks: { askVisual: seeing(shown) } });
  expect(evidence.fields["/v"]).toMatchObject({ verdict, spans: [{ quote: null, quote_found: null, read }] });
  expect(evidence.status).toBe("complete");
});

test("each look at a visible value changes the confidence: one that sees it, one that sees nothing, one that sees another", async () => {
  const look = async (...seen: [string, string?]) => {
    const reply = { fields: [field("/v", at("00:10", "00:14"))] };
    const { evidence } = await gather({ data: { v: "red" }, reply, checks: { askVisual: seeing(...seen) } });
    return evidence.fields["/v"]?.confidence;
  };
  const nothing = "none of these";
  expect(await Promise.all([look("red", "red"), look("red", nothing), look(nothing)])).toEqual([0.9, 0.5, 0.3]);
  expect(await Promise.all([look("red", "orange"), look("orange", nothing), look("orange", "orange")])).toEqual([
    0.5, 0.1, 0.1,
  ]);
});

/** Looks at two visible values on one clip. The model gives these answers in turn. Without any, no clip can be cut. */
async function lookTwice(...answers: readonly (readonly string[])[]) {
  const shown = find({ main_color: "red", sky_color: "blue" }).filter((each) => each !== null);
  const budget = openBudget(undefined, 60_000);
  const asked: number[] = [];
  let cuts = 0;
  const deps = {
    ask: async ({ prompt }: { prompt: string }) => {
      asked.push(prompt.match(/"question":/g)?.length ?? 0);
      const text = JSON.stringify({ answers: answers[asked.length - 1] });
      return { text, tokens: { total: 9, audio: 0, dollars: 0.001, rates: null } };
    },
    cutClip: async () => {
      cuts++;
      if (answers.length === 0) throw new Error("no clip");
      return { bytes: new Uint8Array(), mimeType: "video/mp4", edges: { cutsMs: [], silences: [] } };
    },
    log: { info() {}, warn() {} },
  };
  const run = { signal: new AbortController().signal, deadline: new Date(), budget };
  const looks = planVisualLooks(shown, budget.rates, budget.left());
  const found = await checkVisual((clips, more) => askClips(deps as never, clips, { jobId: "", ...more }), looks, run);
  return { found: Object.fromEntries(found), asked, cuts, spent: budget.spent() };
}

test("both looks share one clip, and cost what the model counts", async () => {
  const seen = { looks: [true, true], read: null };
  expect(await lookTwice(["red", "blue"], ["red", "blue"])).toEqual({
    found: { "/main_color": seen, "/sky_color": seen },
    ...{ asked: [2, 2], cuts: 1, spent: 0.002 },
  });
});

test("a clip that cannot be cut tells nothing and costs nothing", async () => {
  expect(await lookTwice()).toEqual({ found: {}, asked: [], cuts: 1, spent: 0 });
});

test("the second look is about those values of which the first tells something, if there are any", async () => {
  const nothing = { looks: [false], read: null };
  expect(await lookTwice(["cannot tell", "blue"], ["green"])).toMatchObject({
    found: { "/main_color": nothing, "/sky_color": { looks: [true, false], read: null } },
    ...{ asked: [2, 1], cuts: 1 },
  });
  expect(await lookTwice(["cannot tell", "none of these"])).toMatchObject({
    found: { "/main_color": nothing, "/sky_color": nothing },
    ...{ asked: [2], cuts: 1, spent: 0.001 },
  });
});

test("values that no money is left for stay unchecked, those in doubt are looked at first, and a failed look tells nothing", async () => {
  const rates = { picture: 1, soundSecond: 0, input: 0, output: 0 };
  const fields = ["/a", "/b"].map((pointer, index) => ({
    ...{ pointer, value: "1", window: { fromMs: index * 3_000, toMs: index * 3_000 + 3_000 } },
    asked: [
      { says: "{}", options: ["1", "2"], meanings: ["1", "2"] },
      { says: "{}", options: ["2", "1"], meanings: ["2", "1"] },
    ] as const,
  }));
  const looks = planVisualLooks(fields, rates, 11);
  expect(looks.map((look) => [look.fields.map(({ pointer }) => pointer), look.dollars])).toEqual([[["/a"], 6]]);
  const run = { signal: new AbortController().signal, deadline: new Date(), budget: { rates } as never };
  expect(await checkVisual(async () => [], looks, run)).toEqual(new Map());
});
