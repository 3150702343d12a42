import type { Clock } from "./clock.ts";

/** Makes a clock follow a video: at every frame while it plays, and at every seek. Returns a function that stops it. */
export function followVideo(clock: Clock, video: HTMLVideoElement): () => void {
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
