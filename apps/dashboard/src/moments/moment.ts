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

/** How many seconds a moment without an end stays highlighted, unless the next one of its lane begins earlier. */
const pointSeconds = 4;

/**
 * Returns the moments at `time` (seconds): spans from their start to their end, points for a few seconds or until the
 * next moment of their lane.
 */
export function activeMoments(moments: readonly Moment[], time: number): Moment[] {
  return moments.filter((moment) => {
    if (time < moment.from) return false;
    // A span that starts and ends in the same second lasts that second.
    if (moment.kind === "span") return time < Math.max(moment.to, moment.from + 1);
    return time < Math.min(moment.from + pointSeconds, nextPoint(moments, moment));
  });
}

function nextPoint(moments: readonly Moment[], { lane, from }: Moment): number {
  const later = moments.filter((other) => other.kind === "point" && other.lane === lane && other.from > from);
  return Math.min(...later.map((other) => other.from));
}

/** Returns the pointers that some moments light up: their fields and the objects that they describe. */
export function litPointers(active: readonly Moment[]): Set<string> {
  return new Set(active.flatMap(({ fields, container }) => [...fields, ...(container === "" ? [] : [container])]));
}

/**
 * Returns the moment that a field seeks to: the moment whose time it holds, else that of the closest object around it.
 * It ignores times of the answer's outermost object.
 */
export function momentOfField(moments: readonly Moment[], pointer: string): Moment | undefined {
  const own = moments.find(({ fields }) => fields.includes(pointer));
  if (own) return own;
  return moments
    .filter(({ container }) => container !== "" && (pointer === container || pointer.startsWith(`${container}/`)))
    .reduce<Moment | undefined>(
      (closest, moment) => (closest && closest.container.length >= moment.container.length ? closest : moment),
      undefined,
    );
}
