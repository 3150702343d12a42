/**
 * A place of the video that the answer names: a point (`from` equals `to`) or a span. Times are in seconds from the
 * start of the video.
 */
export type Moment = {
  /** Names it: the pointer of its field, for a span that of its object. */
  readonly pointer: string;
  readonly kind: "point" | "span";
  readonly from: number;
  readonly to: number;
  /** The pointers of the fields that hold its times. */
  readonly fields: readonly string[];
  /** The pointer of the object or list that it tells about: what lights up with it. */
  readonly container: string;
  /** Moments of one lane are drawn in one row. It is a pointer with `*` for each index. */
  readonly lane: string;
  /** What happens, from the other fields of its object; may be empty. */
  readonly label: string;
};

/** The moments of one kind of thing, such as all goals. */
export type Lane = { readonly id: string; readonly name: string; readonly moments: readonly Moment[] };
