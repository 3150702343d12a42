/** The kind of a metric: it only rises, it goes up and down, or it counts values in buckets. */
type MetricKind = "counter" | "gauge" | "histogram";

/**
 * The values of a label: all of them, so that each series exists from the start, or a sentence that says what limits
 * them.
 */
export type LabelValues = readonly string[] | string;

/** The declaration of one metric. `name` is without the prefix `video_to_json_`. */
export type Metric<Kind extends MetricKind = MetricKind, Label extends string = string> = {
  kind: Kind;
  name: string;
  help: string;
  labels: Readonly<Record<Label, LabelValues>>;
  /** The upper bounds of the buckets of a histogram, in its unit. */
  buckets: readonly number[];
};

type Labels<Label extends string> = Readonly<Record<Label, LabelValues>>;

/** Declares a metric that only rises. Its name ends with `_total`. */
export function counter<Label extends string = never>(
  name: `${string}_total`,
  help: string,
  labels: Labels<Label> = {} as Labels<Label>,
): Metric<"counter", Label> {
  return { kind: "counter", name, help, labels, buckets: [] };
}

/** Declares a metric that goes up and down. */
export function gauge<Label extends string = never>(
  name: string,
  help: string,
  labels: Labels<Label> = {} as Labels<Label>,
): Metric<"gauge", Label> {
  return { kind: "gauge", name, help, labels, buckets: [] };
}

/** Declares a metric that counts values in buckets. */
export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: Labels<Label> = {} as Labels<Label>,
): Metric<"histogram", Label> {
  return { kind: "histogram", name, help, labels, buckets };
}
