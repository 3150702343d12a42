import ffmpeg from "fluent-ffmpeg";

/** A program is missing, cannot start, or has too few resources: this machine is at fault, whatever the video is. */
export class MachineFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MachineFault";
  }
}

/**
 * Returns the path of ffmpeg or ffprobe: from `FFMPEG_PATH` or `FFPROBE_PATH`, or from `PATH`. Throws a
 * MachineFault that names the missing program.
 */
export function findProgram(program: "ffmpeg" | "ffprobe"): Promise<string> {
  const command = ffmpeg() as unknown as Finder;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, path: string) =>
      path ? resolve(path) : reject(new MachineFault(`${program} was not found. Install it.`, { cause: error }));
    if (program === "ffmpeg") command._getFfmpegPath(done);
    else command._getFfprobePath(done);
  });
}

/** The members of a fluent-ffmpeg 2.1.3 command that its types omit. The package is archived, so they cannot change. */
type Finder = {
  _getFfmpegPath(done: (error: Error | null, path: string) => void): void;
  _getFfprobePath(done: (error: Error | null, path: string) => void): void;
};
