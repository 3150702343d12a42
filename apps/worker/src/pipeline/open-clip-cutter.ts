import type { AnalysisProvider, CutClip } from "@video-to-json/analysis";
import { type Confinement, cutClip, type MeasuredVideo } from "@video-to-json/media";
import type { FairPlaces } from "@video-to-json/timing";

type CutterDeps = {
  readonly provider: Pick<AnalysisProvider, "capabilities">;
  readonly confinement: Confinement;
  readonly processor: FairPlaces;
};

/**
 * Returns a function that cuts clips of a job's video, each in a place of the processor.
 *
 * @param source `path`: the file that the provider got, whose time stamps begin at 0.
 */
export function openClipCutter(
  { provider, confinement, processor }: CutterDeps,
  accountId: string,
  { path, video, scratch }: { path: string; video: MeasuredVideo; scratch: string },
): CutClip {
  const { media, maxClipBytes } = provider.capabilities;
  const fixed = { readable: media, hasSound: video.audioCodec !== null, scratchDir: scratch, maxBytes: maxClipBytes };
  return (window, framesPerSecond, signal) =>
    processor.run(accountId, signal, () =>
      cutClip(path, { ...fixed, ...window, framesPerSecond, confinement, signal }),
    );
}
