const steps = [1, 2, 5, 10, 15, 30, 60, 120];
const most = 6;

/** Returns the seconds at which a timeline shows a time: round ones, six at most, from 0 on. */
export function ticksOf(duration: number): number[] {
  const step = steps.find((candidate) => duration / candidate < most) ?? 300;
  const count = Math.floor(duration / step) + 1;
  // A time close to the end would be cut off.
  return Array.from({ length: count }, (_, index) => index * step).filter(
    (tick) => tick === 0 || tick < duration * 0.96,
  );
}
