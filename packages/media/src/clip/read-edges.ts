/** The sudden changes in a clip, in milliseconds from the start of the whole video. */
export type ClipEdges = {
  /** Hard cuts between pictures. */
  cutsMs: number[];
  /** Spans without sound. A span that lasts to the end of the clip ends there. */
  silences: { fromMs: number; toMs: number }[];
};

/** The filters that print the lines for `readEdges`, for a picture and for its sound. */
export const edgeFilters = { picture: "scdet=threshold=12", sound: "silencedetect=noise=-50dB:duration=0.4" };

/** Reads the lines that ffmpeg prints with `edgeFilters`. */
export function readEdges(stderr: string, clip: { fromMs: number; toMs: number }): ClipEdges {
  const inVideo = (seconds: string | undefined) => {
    const ms = clip.fromMs + Math.round(Number(seconds) * 1000);
    return Math.min(Math.max(ms, clip.fromMs), clip.toMs);
  };
  const cutsMs = [...stderr.matchAll(/lavfi\.scd\.time: ?(\d+(?:\.\d+)?)/g)].map(([, seconds]) => inVideo(seconds));
  const silences: ClipEdges["silences"] = [];
  for (const [, edge, seconds] of stderr.matchAll(/silence_(start|end): (-?\d+(?:\.\d+)?(?:e-?\d+)?)/g)) {
    const last = silences.at(-1);
    if (edge === "start") silences.push({ fromMs: inVideo(seconds), toMs: clip.toMs });
    else if (last) last.toMs = inVideo(seconds);
  }
  return { cutsMs: [...new Set(cutsMs)].sort((a, b) => a - b), silences };
}
