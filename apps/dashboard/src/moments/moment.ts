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
