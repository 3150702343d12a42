import type { Random } from "@video-to-json/testing/running";
import type { Show, Span, Value, VideoEvent, VideoPlan } from "./case.ts";
import words from "./words.json" with { type: "json" };

/** A style of the cookbook: it draws what a video shows. `specs.json` has what its schemas ask for. */
type Style = (draw: Random) => VideoPlan;

const incidents: Readonly<Record<string, string>> = words.incidents;
const positions = ["top", "middle", "bottom"] as const;

/** Incidents as shapes with captions, some of them near-duplicates, and an evacuation that never happens. */
const safety: Style = (draw) => {
  const kinds = Object.keys(incidents);
  const durationMs = secondsBetween(draw, 90, 240);
  const twin = { kind: draw.one(kinds), severity: "low", people: 1 };
  const events = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 500, maxMs: 25_000 }).map((span) => {
    const drawn = { kind: draw.one(kinds), severity: draw.one(["low", "medium", "high"]), people: draw.whole(1, 5) };
    const attributes = draw.chance(0.25) ? twin : drawn;
    const { kind, severity, people } = attributes;
    const mark = shape("square", incidents[kind] ?? "red", draw.chance(0.5));
    const caption = `${kind.replace("_", " ")} - ${severity} - ${people}`;
    return event("incident", span, attributes, mark, text(caption, draw.one([14, 18, 24]), "top"));
  });
  return { durationMs, background: draw.one(words.backgrounds), facts: { view_is_clear: true }, events };
};

/** Slides with titles in several sizes. Some titles differ by their number only. */
const lecture: Style = (draw) => {
  const durationMs = secondsBetween(draw, 120, 360);
  const count = draw.whole(4, 9);
  const chosen = draw.some(words.topics, count);
  const repeated = draw.one(chosen);
  const slides = splitTime(draw, { durationMs, count, minMs: 4000 }).map((span, index) => {
    const topic = draw.chance(0.3) ? repeated : (chosen[index] ?? repeated);
    const title = `${topic} ${index + 1}`;
    const shown = text(title, draw.one([16, 22, 30]), "middle");
    const color = index % 2 === 0 ? "darkgreen" : "navy";
    return event("slide via text", span, { title }, { kind: "background", color }, shown);
  });
  const subject = `Physics ${draw.whole(101, 499)}`;
  const banner = event("banner via text", { startMs: 0, endMs: durationMs }, {}, text(subject, 14, "top"));
  return { durationMs, background: "navy", facts: { subject }, events: [banner, ...slides] };
};

/** Scenes of a match with a scoreboard, a running clock of the match, and players who are named only sometimes. */
const highlights: Style = (draw) => {
  const durationMs = secondsBetween(draw, 120, 300);
  const score = { home: 0, away: 0 };
  const board = [{ at: 0, score: "0:0" }];
  const placed = placeEvents(draw, { durationMs, count: draw.whole(5, 9), minMs: 1500, maxMs: 20_000 });
  const events = placed.map((span) => {
    const what = draw.one(words.scenes);
    const team = draw.one(["home", "away"] as const);
    const player = draw.chance(0.6) ? draw.one(words.names) : undefined;
    if (what === "goal") {
      score[team] += 1;
      board.push({ at: span.endMs, score: `${score.home}:${score.away}` });
    }
    const caption = [what.toUpperCase(), team, ...(player ? [player] : [])].join(" ");
    const attributes = { event: what, team, ...(player ? { player } : {}) };
    const ball = shape("circle", team === "home" ? "red" : "cyan", true);
    return event("highlight", span, attributes, ball, text(caption, draw.one([16, 20]), "bottom"));
  });
  const boards = board.map(({ at, score }, index) => {
    const span = { startMs: at, endMs: board[index + 1]?.at ?? durationMs };
    return event("board via text", span, {}, text(score, 26, "top"));
  });
  const from = draw.whole(13, 20) * 3600 + draw.whole(0, 3599);
  const clock = event("clock via text", { startMs: 0, endMs: durationMs }, {}, { kind: "clock", from });
  const final_score = `${score.home}:${score.away}`;
  return { durationMs, background: "darkgreen", facts: { final_score }, events: [clock, ...boards, ...events] };
};

/** Texts of several sizes, from half a second to half a minute. Some come twice. */
const texts: Style = (draw) => {
  const durationMs = secondsBetween(draw, 60, 200);
  const again = `${draw.one(words.signs)} ${draw.whole(2, 99)}`;
  const placed = placeEvents(draw, { durationMs, count: draw.whole(5, 10), minMs: 500, maxMs: 30_000 });
  const events = placed.map((span) => {
    const shown = draw.chance(0.3) ? again : `${draw.one(words.signs)} ${draw.whole(2, 99)}`;
    const position = draw.one(positions);
    const show = text(shown, draw.one([14, 18, 24, 32]), position);
    return event("text via text", span, { text: shown, position }, show);
  });
  return { durationMs, background: draw.one(words.backgrounds), facts: { text_count: events.length }, events };
};

/** Beeps, high and low, in a video with moving shapes that are irrelevant. */
const alarms: Style = (draw) => {
  const durationMs = secondsBetween(draw, 90, 240);
  const placed = placeEvents(draw, { durationMs, count: draw.whole(3, 8), minMs: 500, maxMs: 12_000 });
  const beeps = placed.map((span) => {
    const pitch = draw.one(["low", "high"]);
    return event("alarm via sound", span, { pitch }, { kind: "beep", hertz: pitch === "low" ? 440 : 1320 });
  });
  const decoy = event("decoy", { startMs: 0, endMs: durationMs }, {}, shape("triangle", "white", true));
  return { durationMs, background: "navy", facts: { alarm_count: beeps.length }, events: [decoy, ...beeps] };
};

/** Spoken decisions and tasks. The schema also asks for open questions, which are never spoken. */
const meeting: Style = (draw) => {
  const durationMs = secondsBetween(draw, 90, 240);
  const placed = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 4000, maxMs: 4000 });
  const events = placed.map(({ startMs }) => {
    const decision = draw.one(words.decisions);
    const [task, owner] = [draw.one(words.tasks), draw.one(words.names)];
    const isTask = draw.chance(0.5);
    const said = isTask ? `${owner} will ${task}.` : `Decision: ${decision}.`;
    // Spoken letters take about 75 milliseconds each.
    const span = { startMs, endMs: startMs + Math.round(said.length * 0.75) * 100 };
    const speech = { kind: "speech", words: said } as const;
    return isTask
      ? event("task via speech", span, { task, owner }, speech)
      : event("decision via speech", span, { decision }, speech);
  });
  return { durationMs, background: "gray", facts: {}, events };
};

/** Chapters of up to several minutes with hard cuts between them. */
const chapters: Style = (draw) => {
  const durationMs = secondsBetween(draw, 240, 480);
  const count = draw.whole(3, 6);
  const titles = draw.some(words.sights, count);
  const first = draw.whole(0, words.colors.length - 1);
  const events = splitTime(draw, { durationMs, count, minMs: 10_000 }).map((span, index) => {
    const title = `${titles[index] ?? "Harbour"}`;
    const color = words.colors[(first + index) % words.colors.length] ?? "navy";
    const shows = [text(title, 28, "middle"), shape("square", "white", true)];
    return event("chapter", span, { title, color }, { kind: "background", color }, ...shows);
  });
  const title = draw.one(["City tour", "Old town", "By tram"]);
  const banner = event("banner via text", { startMs: 0, endMs: durationMs }, {}, text(title, 14, "top"));
  return { durationMs, background: "black", facts: { title }, events: [banner, ...events] };
};

/** Steps in an application as texts, and a fault at the end. */
const bug: Style = (draw) => {
  const durationMs = secondsBetween(draw, 60, 150);
  const placed = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 1000, maxMs: 6000 });
  const error_text = draw.one(words.errors);
  const events = placed.map((span, index) => {
    const action = draw.one(words.actions);
    return index === placed.length - 1
      ? event("fault via text", span, {}, text(error_text, 30, "middle"), shape("square", "red", false))
      : event("step via text", span, { action }, text(action, 16, "bottom"), shape("square", "cyan", false));
  });
  const app_version = `v${draw.whole(1, 9)}.${draw.whole(0, 20)}`;
  const version = event("version via text", { startMs: 0, endMs: durationMs }, {}, text(app_version, 14, "top"));
  return { durationMs, background: "gray", facts: { error_text, app_version }, events: [version, ...events] };
};

/** Forty mentions in ten minutes: more than a model lists when it stops early. Some products occur several times. */
const mentions: Style = (draw) => {
  const durationMs = 600_000;
  const events = placeEvents(draw, { durationMs, count: 40, minMs: 1000, maxMs: 8000 }).map((span) => {
    const [product, number] = [draw.one(words.products), draw.whole(1, 20)];
    const show = text(`${product} ${number}`, draw.one([18, 24]), "top");
    return event(
      "mention via text",
      span,
      { product, number },
      show,
      shape("circle", draw.one(words.eventColors), false),
    );
  });
  return { durationMs, background: draw.one(words.backgrounds), facts: {}, events };
};

/** The styles of the cases. A seed draws one of them. */
export const styles: Readonly<Record<string, Style>> = {
  ...{ safety, lecture, highlights, texts, alarms, meeting, chapters, bug, mentions },
};

function secondsBetween(draw: Random, min: number, max: number): number {
  return draw.whole(min, max) * 1000;
}

/** Where events may be. Times are milliseconds. */
type Placement = { durationMs: number; count: number; minMs: number; maxMs: number };

/** The grid of the times: the length of a frame. */
const stepMs = 100;
const marginMs = 1000;

/** Returns ordered spans in slots of equal length. Half of the starts are whole seconds. */
function placeEvents(draw: Random, { durationMs, count, minMs, maxMs }: Placement): Span[] {
  const slotMs = (durationMs - 2 * marginMs) / count;
  return Array.from({ length: count }, (_, index) => {
    const longest = Math.max(stepMs * 5, Math.min(maxMs, slotMs - marginMs));
    const length = draw.whole(Math.min(minMs, longest) / stepMs, Math.floor(longest / stepMs)) * stepMs;
    const room = Math.max(0, slotMs - length - marginMs);
    const unit = draw.chance(0.5) ? 1000 : stepMs;
    const from = marginMs + index * slotMs;
    const startMs = Math.ceil((from + draw.whole(0, Math.floor(room / stepMs)) * stepMs) / unit) * unit;
    return { startMs, endMs: Math.min(startMs + length, durationMs) };
  });
}

/** Returns spans that follow each other without a gap and fill a video. All but the last start on whole seconds. */
function splitTime(draw: Random, { durationMs, count, minMs }: Omit<Placement, "maxMs">): Span[] {
  const least = Math.ceil(minMs / 1000);
  const spare = Math.max(0, Math.floor(durationMs / 1000) - count * least);
  const cuts = Array.from({ length: count - 1 }, () => draw.whole(0, spare)).sort((a, b) => a - b);
  const starts = [0, ...cuts.map((cut, index) => (cut + (index + 1) * least) * 1000)];
  return starts.map((startMs, index) => ({ startMs, endMs: starts[index + 1] ?? durationMs }));
}

/** Returns an event. `label` names the way to notice it too where that is not sight: `alarm via sound`. */
function event(
  labelVia: string,
  { startMs, endMs }: Span,
  attributes: Record<string, Value>,
  ...shows: Show[]
): VideoEvent {
  const [label = "", via = "sight"] = labelVia.split(" via ");
  return { label, startMs, endMs, via: via as VideoEvent["via"], attributes, shows };
}

type Place = (Show & { kind: "text" })["place"];

function text(text: string, size: number, place: Place): Show {
  return { kind: "text", text, size, place };
}

function shape(shape: (Show & { kind: "shape" })["shape"], color: string, moves: boolean): Show {
  return { kind: "shape", shape, color, moves };
}
