export {
  createFairLine,
  type FairLine,
  type FairPlaces,
  type KindPlaces,
  openFairPlaces,
  openKindPlaces,
} from "./fair-places.ts";
export { type MinimumRate, watchMinimumRate } from "./minimum-rate.ts";
export { type Clock, type RetryPolicy, retry, systemClock } from "./retry.ts";
export { steadyNow, unrefDelay, withTimeLimit } from "./time-limit.ts";
