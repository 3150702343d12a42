import { placeEvents } from "../place-events.ts";
import { names, type Style, secondsBetween } from "./style.ts";

const kinds = ["goal", "save", "chance", "foul", "card"];

/** Scenes of a match with a scoreboard, a running clock of the match, and players who are named only sometimes. */
export const highlights: Style = {
  name: "highlights",
  needsSpeech: false,
  make(draw) {
    const durationMs = secondsBetween(draw, 120, 300);
    const score = { home: 0, away: 0 };
    const board: { at: number; text: string }[] = [{ at: 0, text: "0:0" }];
    const spans = placeEvents(draw, { durationMs, count: draw.whole(5, 9), minMs: 1500, maxMs: 20_000 });
    const events = spans.map(({ startMs, endMs }) => {
      const event = draw.one(kinds);
      const team = draw.one(["home", "away"] as const);
      const player = draw.chance(0.6) ? draw.one(names) : undefined;
      if (event === "goal") {
        score[team] += 1;
        board.push({ at: endMs, text: `${score.home}:${score.away}` });
      }
      const color = team === "home" ? "red" : "cyan";
      const text = [event.toUpperCase(), team, ...(player ? [player] : [])].join(" ");
      return {
        ...{ label: "highlight", startMs, endMs, via: "sight" as const },
        attributes: { event, team, ...(player ? { player } : {}) },
        shows: [
          { kind: "shape" as const, shape: "circle" as const, color, moves: true },
          { kind: "text" as const, text, size: draw.one([16, 20]), place: "bottom" as const },
        ],
      };
    });
    const boards = board.map(({ at, text }, index) => ({
      ...{
        label: "board",
        startMs: at,
        endMs: board[index + 1]?.at ?? durationMs,
        via: "text" as const,
        attributes: {},
      },
      shows: [{ kind: "text" as const, text, size: 26, place: "top" as const }],
    }));
    const from = draw.whole(13, 20) * 3600 + draw.whole(0, 3599);
    const clock = { label: "clock", startMs: 0, endMs: durationMs, via: "text" as const, attributes: {} };
    const all = [{ ...clock, shows: [{ kind: "clock" as const, from }] }, ...boards, ...events];
    return {
      plan: {
        ...{ durationMs, background: "darkgreen", facts: { final_score: `${score.home}:${score.away}` } },
        events: all,
      },
      spec: {
        values: [{ key: "final_score", type: "string", about: "as the scoreboard shows it at the end" }],
        moments: [
          {
            key: "last_highlight_end",
            label: "highlight",
            nth: "last",
            edge: "end",
            about: "when the last one is over",
          },
          { key: "injury_at", label: "injury", nth: "first", edge: "start", about: "when a player is carried off" },
        ],
        lists: [
          {
            ...{ key: "highlights", label: "highlight", startKey: "start", endKey: "end" },
            about: "when the circle with the caption appears",
            fields: [
              { key: "event", type: kinds, about: "the first word of the caption" },
              { key: "team", type: ["home", "away"], about: "the second word of the caption" },
              { key: "player", type: "string", about: "the name in the caption", optional: true },
            ],
          },
        ],
      },
    };
  },
};
