/**
 * A place of the video that the answer names: a point (`from` equals `to`) or a span. Times are in seconds from the
 * start of the video.
 */
export type Moment = {
  /** Its id: the pointer of its field, or for a span the pointer of its object. */
  readonly pointer: string;
  readonly kind: "point" | "span";
  readonly from: number;
  readonly to: number;
  /** The pointers of the fields that hold its times. */
  readonly fields: readonly string[];
  /** The pointer of the object or list that it describes and lights up. */
  readonly container: string;
  /** The lane, a pointer with `*` for each index. Moments of one lane are drawn in one row. */
  readonly lane: string;
  /** The description, from the other fields of its object; may be empty. */
  readonly label: string;
};

/** The moments of one kind of thing, such as all goals. */
export type Lane = { readonly id: string; readonly name: string; readonly moments: readonly Moment[] };

const pattern = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)$/;

/** Returns the seconds of a time such as "01:12" or "1:00:05", or undefined for other texts. */
export function secondsOf(text: string): number | undefined {
  const [, hours = "0", minutes, seconds] = pattern.exec(text) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Returns seconds as a time of the video: "00:05", "12:40". A fraction is cut off. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`;
}
