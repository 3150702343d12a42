import { type RefObject, useEffect, useState } from "react";
import type { Clock } from "../clock/clock.ts";

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

/** Makes a clock follow a video: at every frame while it plays, and at every seek. Returns a function that stops it. */
function followVideo(clock: Clock, video: HTMLVideoElement): () => void {
  let frame = 0;
  const read = () => clock.set(video.currentTime);
  const tick = () => {
    read();
    frame = requestAnimationFrame(tick);
  };
  const start = () => {
    cancelAnimationFrame(frame);
    tick();
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    read();
  };
  const listeners = { play: start, pause: stop, ended: stop, seeking: read, seeked: read, timeupdate: read };
  for (const [event, listener] of Object.entries(listeners)) video.addEventListener(event, listener);
  return () => {
    cancelAnimationFrame(frame);
    for (const [event, listener] of Object.entries(listeners)) video.removeEventListener(event, listener);
  };
}

/**
 * Plays a part of a video, and stops at its end. Returns a function that stops it earlier.
 * @param from, to seconds
 */
export function playPart(video: HTMLVideoElement, clock: Clock, from: number, to: number): () => void {
  const end = () => {
    leave();
    video.pause();
  };
  const leave = clock.subscribe(() => {
    if (clock.now() >= to) end();
  });
  video.currentTime = from;
  clock.set(from);
  // A browser may refuse to play; the picture is there then, too.
  video.play().catch(leave);
  return end;
}
