import { noPalette, type Palette } from "./palette.ts";

/** A part of a video: its start and end in milliseconds. */
export type Span = { startMs: number; endMs: number };

/** The part of a video between two cuts. */
type Scene = Span & Appearance;

/** The appearance of a part of a video. */
export type Appearance = {
  palette: Palette;
  /** 0 (black) to 1 (white). */
  brightness: number;
  /** The text in the picture, as one line. */
  text: string | null;
};

/**
 * A machine-readable mark in the picture (README, "Marks"): what happens while it is visible, its attributes, and whether
 * one sees it or hears it (`sight`, `text`, `sound`, `speech`).
 */
export type Mark = Span & { label: string; via: string; attributes: Record<string, string> };

/** What a video shows and plays. */
export type Evidence = {
  durationMs: number;
  width: number;
  height: number;
  hasAudio: boolean;
  /** The parts between hard cuts, in order. */
  scenes: Scene[];
  black: Span[];
  frozen: Span[];
  loud: Span[];
  silent: Span[];
  /** The texts in the picture, and when each is visible. */
  texts: (Span & Appearance & { text: string })[];
  /** The marks in the picture, in order of time. Undefined if the video has no strip of marks. */
  marks?: Mark[];
  /** The appearance of the whole video. `text` is its first text. */
  appearance: Appearance;
};

/** The evidence of a request without a video. */
export const noEvidence: Evidence = {
  durationMs: 0,
  width: 0,
  height: 0,
  hasAudio: false,
  scenes: [],
  black: [],
  frozen: [],
  loud: [],
  silent: [],
  texts: [],
  appearance: { palette: noPalette, brightness: 0, text: null },
};
