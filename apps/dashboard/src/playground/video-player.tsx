import { type RefObject, useEffect, useState } from "react";
import type { Clock } from "../clock/clock.ts";
import { followVideo } from "../clock/follow-video.ts";

type VideoPlayerProps = {
  readonly file: File;
  readonly clock: Clock;
  readonly video: RefObject<HTMLVideoElement | null>;
  /** Receives the length in seconds, or undefined if this browser cannot play the file. */
  readonly onLength: (seconds: number | undefined) => void;
};

/** Plays a local file through a `blob:` address, which leads to no server. */
export function VideoPlayer({ file, clock, video, onLength }: VideoPlayerProps) {
  const [failed, setFailed] = useState(false);

  // The address is valid while this file is shown.
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const url = URL.createObjectURL(file);
    setFailed(false);
    clock.set(0);
    element.src = url;
    const unfollow = followVideo(clock, element);
    return () => {
      unfollow();
      element.removeAttribute("src");
      element.load();
      URL.revokeObjectURL(url);
    };
  }, [file, clock]);

  return (
    <div className="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the reader's own video; its captions are not known */}
      <video
        ref={video}
        controls
        playsInline
        preload="metadata"
        aria-label={file.name}
        onLoadedMetadata={({ currentTarget: { duration } }) =>
          onLength(Number.isFinite(duration) ? duration : undefined)
        }
        onError={({ currentTarget }) => {
          if (!currentTarget.hasAttribute("src")) return;
          setFailed(true);
          onLength(undefined);
        }}
      />
      {failed && (
        <p className="player-failed" role="status">
          This browser cannot play the file. The service may still read it.
        </p>
      )}
    </div>
  );
}
