import type { AnalysisProvider, CutClip } from "@video-to-json/analysis";
import type { VideoPart } from "@video-to-json/contract";
import { type Confinement, cutClip, type MeasuredVideo } from "@video-to-json/media";
import type { FairPlaces } from "@video-to-json/runtime/timing";

type CutterDeps = {
  readonly provider: Pick<AnalysisProvider, "capabilities">;
  readonly confinement: Confinement;
  readonly processor: FairPlaces;
};

/**
 * Returns a function that cuts clips of a job's video, each in a place of the processor.
 *
 * @param source `path`: the file that the provider got, whose time stamps begin at 0. `part`: the part of the video
 *   that the file contains; a clip ends where the part ends.
 */
export function openClipCutter(
  { provider, confinement, processor }: CutterDeps,
  accountId: string,
  { path, video, part, scratch }: { path: string; video: MeasuredVideo; part: VideoPart | null; scratch: string },
): CutClip {
  const { media, maxClipBytes } = provider.capabilities;
  const fixed = { readable: media, hasSound: video.audioCodec !== null, scratchDir: scratch, maxBytes: maxClipBytes };
  const held = part ?? { fromMs: 0, toMs: video.durationMs };
  return ({ fromMs, toMs }, framesPerSecond, signal) => {
    const window = { fromMs: Math.max(fromMs, held.fromMs), toMs: Math.min(toMs, held.toMs), fileStartMs: held.fromMs };
    return processor.run(accountId, signal, () =>
      cutClip(path, { ...fixed, ...window, framesPerSecond, confinement, signal }),
    );
  };
}
