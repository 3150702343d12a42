import {
  backgrounds,
  event,
  eventColors,
  field,
  list,
  moment,
  names,
  placeEvents,
  type Style,
  secondsBetween,
  shape,
  splitTime,
  text,
} from "./style.ts";

const incidents: Record<string, string> = {
  ...{ no_helmet: "yellow", no_vest: "orange", fall: "red", near_miss: "magenta", blocked_exit: "blue" },
};

/** Incidents as shapes with captions, some of them near-duplicates, and an evacuation that never happens. */
const safety: Style = {
  name: "safety",
  make(draw) {
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
    const fields = [
      field("kind", kinds, "what the caption names"),
      field("severity", ["low", "medium", "high"], "as the caption says"),
      field("people", "integer", "the number in the caption"),
    ];
    return {
      plan: { durationMs, background: draw.one(backgrounds), facts: { view_is_clear: true }, events },
      spec: {
        values: [field("view_is_clear", "boolean", "false if something hides the picture")],
        moments: [
          moment("first_incident_at", "first start of incident", "when the first one begins"),
          moment("evacuation_at", "first start of evacuation", "when people must leave"),
        ],
        lists: [
          list("incidents", "incident", "start and end", "when the incident begins", ...fields),
          list("evacuations", "evacuation", "start and end", "when people begin to leave"),
        ],
      },
    };
  },
};

const topics = ["Light", "Sound", "Heat", "Motion", "Waves", "Gases", "Metals", "Orbits", "Cells", "Plants"];

/** Slides with titles in several sizes. Some titles differ by their number only. */
const lecture: Style = {
  name: "lecture",
  make(draw) {
    const durationMs = secondsBetween(draw, 120, 360);
    const count = draw.whole(4, 9);
    const chosen = draw.some(topics, count);
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
    return {
      plan: { durationMs, background: "navy", facts: { subject }, events: [banner, ...slides] },
      spec: {
        values: [
          field("subject", "string", "the course at the top of the picture"),
          field("speaker?", "string", "the name of the speaker, if it is shown"),
        ],
        moments: [moment("quiz_at", "first start of quiz", "when a quiz is shown")],
        lists: [
          list("slides", "slide", "at", "when the slide appears", field("title", "string", "as written on the slide")),
        ],
      },
    };
  },
};

const scenes = ["goal", "save", "chance", "foul", "card"];

/** Scenes of a match with a scoreboard, a running clock of the match, and players who are named only sometimes. */
const highlights: Style = {
  name: "highlights",
  make(draw) {
    const durationMs = secondsBetween(draw, 120, 300);
    const score = { home: 0, away: 0 };
    const board = [{ at: 0, score: "0:0" }];
    const placed = placeEvents(draw, { durationMs, count: draw.whole(5, 9), minMs: 1500, maxMs: 20_000 });
    const events = placed.map((span) => {
      const what = draw.one(scenes);
      const team = draw.one(["home", "away"] as const);
      const player = draw.chance(0.6) ? draw.one(names) : undefined;
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
    return {
      plan: { durationMs, background: "darkgreen", facts: { final_score }, events: [clock, ...boards, ...events] },
      spec: {
        values: [field("final_score", "string", "as the scoreboard shows it at the end")],
        moments: [
          moment("last_highlight_end", "last end of highlight", "when the last one is over"),
          moment("injury_at", "first start of injury", "when a player is carried off"),
        ],
        lists: [
          list(
            ...(["highlights", "highlight", "start and end", "when the circle with the caption appears"] as const),
            field("event", scenes, "the first word of the caption"),
            field("team", ["home", "away"], "the second word of the caption"),
            field("player?", "string", "the name in the caption"),
          ),
        ],
      },
    };
  },
};

const words = ["EXIT", "Platform", "Sale ends", "Room", "Warning", "Welcome to", "Gate", "Now open", "No entry"];
const positions = ["top", "middle", "bottom"] as const;

/** Texts of several sizes, from half a second to half a minute. Some come twice. */
const texts: Style = {
  name: "texts",
  make(draw) {
    const durationMs = secondsBetween(draw, 60, 200);
    const again = `${draw.one(words)} ${draw.whole(2, 99)}`;
    const placed = placeEvents(draw, { durationMs, count: draw.whole(5, 10), minMs: 500, maxMs: 30_000 });
    const events = placed.map((span) => {
      const shown = draw.chance(0.3) ? again : `${draw.one(words)} ${draw.whole(2, 99)}`;
      const position = draw.one(positions);
      const show = text(shown, draw.one([14, 18, 24, 32]), position);
      return event("text via text", span, { text: shown, position }, show);
    });
    return {
      plan: { durationMs, background: draw.one(backgrounds), facts: { text_count: events.length }, events },
      spec: {
        values: [field("text_count", "integer", "how many times a text appears")],
        moments: [moment("subtitle_at", "first start of subtitle", "the first subtitle")],
        lists: [
          list(
            ...(["texts", "text", "start and end", "when it appears"] as const),
            field("text", "string", "word for word"),
            field("position", positions, "where it is in the picture"),
            field("language?", "string", "as ISO 639-1, if it is certain"),
          ),
        ],
      },
    };
  },
};

/** Beeps, high and low, in a video with moving shapes that are irrelevant. */
const alarms: Style = {
  name: "alarms",
  make(draw) {
    const durationMs = secondsBetween(draw, 90, 240);
    const placed = placeEvents(draw, { durationMs, count: draw.whole(3, 8), minMs: 500, maxMs: 12_000 });
    const beeps = placed.map((span) => {
      const pitch = draw.one(["low", "high"]);
      return event("alarm via sound", span, { pitch }, { kind: "beep", hertz: pitch === "low" ? 440 : 1320 });
    });
    const decoy = event("decoy", { startMs: 0, endMs: durationMs }, {}, shape("triangle", "white", true));
    return {
      plan: { durationMs, background: "navy", facts: { alarm_count: beeps.length }, events: [decoy, ...beeps] },
      spec: {
        values: [field("alarm_count", "integer", "how many times it beeps")],
        moments: [
          moment("first_alarm_at", "first start of alarm", "when it beeps first"),
          moment("all_clear_at", "first start of all clear", "when the end is announced"),
        ],
        lists: [
          list(
            ...(["alarms", "alarm", "start and end", "when the beep begins"] as const),
            field("pitch", ["low", "high"], "how high the beep is"),
          ),
        ],
      },
    };
  },
};

const decisions = ["we buy the printer", "we move the date", "we keep the price", "we close the shop on Monday"];
const tasks = ["call the bank", "order the desks", "write the report", "book the room", "test the pump"];

/** Spoken decisions and tasks. The schema also asks for open questions, which are never spoken. */
const meeting: Style = {
  name: "meeting",
  needsSpeech: true,
  make(draw) {
    const durationMs = secondsBetween(draw, 90, 240);
    const placed = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 4000, maxMs: 4000 });
    const events = placed.map(({ startMs }) => {
      const decision = draw.one(decisions);
      const [task, owner] = [draw.one(tasks), draw.one(names)];
      const isTask = draw.chance(0.5);
      const said = isTask ? `${owner} will ${task}.` : `Decision: ${decision}.`;
      // Spoken letters take about 75 milliseconds each.
      const span = { startMs, endMs: startMs + Math.round(said.length * 0.75) * 100 };
      const speech = { kind: "speech", words: said } as const;
      return isTask
        ? event("task via speech", span, { task, owner }, speech)
        : event("decision via speech", span, { decision }, speech);
    });
    const whenSaid = "when it is said";
    return {
      plan: { durationMs, background: "gray", facts: {}, events },
      spec: {
        values: [],
        moments: [],
        lists: [
          list("decisions", "decision", "at", whenSaid, field("decision", "string", "the words after “Decision”")),
          list(
            ...(["tasks", "task", "at", whenSaid] as const),
            field("task", "string", "the words after “will”"),
            field("owner?", "string", "who does it"),
            field("due?", "string", "as it is said"),
          ),
          list("open_questions", "open question", "at", whenSaid, field("question", "string", "word for word")),
        ],
      },
    };
  },
};

const sights = ["Harbour", "Market", "Station", "Garden", "Museum", "Bridge", "Tower", "Beach"];
const colors = ["navy", "maroon", "darkgreen", "gray", "purple"];

/** Chapters of up to several minutes with hard cuts between them. */
const chapters: Style = {
  name: "chapters",
  make(draw) {
    const durationMs = secondsBetween(draw, 240, 480);
    const count = draw.whole(3, 6);
    const titles = draw.some(sights, count);
    const first = draw.whole(0, colors.length - 1);
    const events = splitTime(draw, { durationMs, count, minMs: 10_000 }).map((span, index) => {
      const title = `${titles[index] ?? "Harbour"}`;
      const color = colors[(first + index) % colors.length] ?? "navy";
      const shows = [text(title, 28, "middle"), shape("square", "white", true)];
      return event("chapter", span, { title, color }, { kind: "background", color }, ...shows);
    });
    const title = draw.one(["City tour", "Old town", "By tram"]);
    const banner = event("banner via text", { startMs: 0, endMs: durationMs }, {}, text(title, 14, "top"));
    return {
      plan: { durationMs, background: "black", facts: { title }, events: [banner, ...events] },
      spec: {
        values: [
          field("title", "string", "the small words at the top of the picture"),
          field("narrator?", "string", "the name of the narrator, if it is given"),
        ],
        moments: [moment("credits_at", "first start of credits", "the closing credits")],
        lists: [
          list(
            ...(["chapters", "chapter", "start and end", "when it begins"] as const),
            field("title", "string", "the word in the middle of the picture"),
            field("color", colors, "the colour of the background"),
          ),
        ],
      },
    };
  },
};

const actions = ["clicks Save", "opens Menu", "types Name", "clicks Next", "opens File", "clicks Print"];
const errors = ["Error 42", "Disk full", "Not found", "Timeout 7"];

/** Steps in an application as texts, and a fault at the end. */
const bug: Style = {
  name: "bug",
  make(draw) {
    const durationMs = secondsBetween(draw, 60, 150);
    const placed = placeEvents(draw, { durationMs, count: draw.whole(4, 8), minMs: 1000, maxMs: 6000 });
    const error_text = draw.one(errors);
    const events = placed.map((span, index) => {
      const action = draw.one(actions);
      return index === placed.length - 1
        ? event("fault via text", span, {}, text(error_text, 30, "middle"), shape("square", "red", false))
        : event("step via text", span, { action }, text(action, 16, "bottom"), shape("square", "cyan", false));
    });
    const app_version = `v${draw.whole(1, 9)}.${draw.whole(0, 20)}`;
    const version = event("version via text", { startMs: 0, endMs: durationMs }, {}, text(app_version, 14, "top"));
    return {
      plan: { durationMs, background: "gray", facts: { error_text, app_version }, events: [version, ...events] },
      spec: {
        values: [
          field("app_version?", "string", "as it is shown"),
          field("error_text", "string", "the large text of the fault, word for word"),
          field("user_name?", "string", "the name of the user, if it is shown"),
        ],
        moments: [
          moment("fault_start", "first start of fault", "when the fault is visible"),
          moment("crash_at", "first start of crash", "when the application closes"),
        ],
        lists: [
          list("steps", "step", "at", "when the step is shown", field("action", "string", "the text of the step")),
        ],
      },
    };
  },
};

const products = ["Kettle", "Lamp", "Drill", "Tent", "Radio", "Chair", "Watch", "Bike"];

/** Forty mentions in ten minutes: more than a model lists when it stops early. Some products occur several times. */
const mentions: Style = {
  name: "mentions",
  make(draw) {
    const durationMs = 600_000;
    const events = placeEvents(draw, { durationMs, count: 40, minMs: 1000, maxMs: 8000 }).map((span) => {
      const [product, number] = [draw.one(products), draw.whole(1, 20)];
      const show = text(`${product} ${number}`, draw.one([18, 24]), "top");
      return event("mention via text", span, { product, number }, show, shape("circle", draw.one(eventColors), false));
    });
    return {
      plan: { durationMs, background: draw.one(backgrounds), facts: {}, events },
      spec: {
        values: [],
        moments: [moment("recall_at", "first start of recall", "when a product is withdrawn")],
        lists: [
          list(
            ...(["mentions", "mention", "start and end", "when the name of the product appears"] as const),
            field("product", "string", "the word in the picture"),
            field("number", "integer", "the number behind the word"),
            field("brand?", "string", "the maker, if it is shown"),
          ),
        ],
      },
    };
  },
};

/** The styles of the cases. A seed draws one of them. */
export const styles: readonly Style[] = [safety, lecture, highlights, texts, alarms, meeting, chapters, bug, mentions];
