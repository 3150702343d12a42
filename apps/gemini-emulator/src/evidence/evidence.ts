import { noPalette, type Palette } from "./palette.ts";

/** From a moment to another, in milliseconds from the start. */
export type Span = { startMs: number; endMs: number };

/** From one cut to the next. */
type Scene = Span & Look;

/** What a stretch of video looks like. */
export type Look = {
  palette: Palette;
  /** 0 (black) to 1 (white). */
  brightness: number;
  /** What is written in the picture, one line. */
  text: string | null;
};

/** What is to be seen and heard in a video. */
export type Evidence = {
  durationMs: number;
  width: number;
  height: number;
  hasAudio: boolean;
  /** Moments of hard cuts. */
  cuts: number[];
  scenes: Scene[];
  black: Span[];
  frozen: Span[];
  loud: Span[];
  silent: Span[];
  /** What is written in the picture, and while it stays. */
  texts: (Span & Look & { text: string })[];
  /** The whole video's look; `text` is the first that is written. */
  look: Look;
};

/** What is known of a request without a video: nothing. */
export const noEvidence: Evidence = {
  durationMs: 0,
  width: 0,
  height: 0,
  hasAudio: false,
  cuts: [],
  scenes: [],
  black: [],
  frozen: [],
  loud: [],
  silent: [],
  texts: [],
  look: { palette: noPalette, brightness: 0, text: null },
};
