const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800];
const mostOfWindow = 6;
const hour = 3600;

/** Returns the labelled seconds of a timeline: round numbers from 0 on, six at most for each width of the window. */
export function ticksOf(duration: number, zoom = 1): number[] {
  const most = mostOfWindow * zoom;
  const step = steps.find((candidate) => duration / candidate < most) ?? Math.ceil(duration / most / hour) * hour;
  const count = Math.floor(duration / step) + 1;
  // A label close to the end would be cut off.
  return Array.from({ length: count }, (_, index) => index * step).filter(
    (tick) => tick === 0 || tick < duration * 0.96,
  );
}
