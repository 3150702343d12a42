import type { EvidenceSpan } from "@video-to-json/contract/shapes/evidence";
import { useState } from "react";
import { timeText } from "../moments/timestamp.ts";
import type { EvidenceRow } from "./rows.ts";
import { VerdictBadge } from "./verdict-badge.tsx";

type FieldProps = {
  readonly row: EvidenceRow;
  readonly durationMs: number;
  /** Seeks to a time of the video, in seconds. Undefined if the page has no video. */
  readonly onSeek: ((seconds: number) => void) | undefined;
};

const howNames = { visual: "Seen", speech: "Said", text: "On screen" } as const;

/** One value, and below it the parts of the video that show it, as bars. Pointing at a bar shows its quote. */
export function EvidenceField({ row: { pointer, name, value, field }, durationMs, onSeek }: FieldProps) {
  const [shown, setShown] = useState<EvidenceSpan>();
  const { verdict, confidence, spans, checked, nearest_cut_ms: cut } = field;
  const part = (ms: number) => `${Math.min(100, (ms / Math.max(1, durationMs)) * 100)}%`;
  const place = (from: number, to: number) => ({ left: part(from), width: part(to - from) });
  return (
    <li className={`evidence-field verdict-${verdict}`} data-evidence={pointer}>
      <div className="evidence-head">
        <span className="evidence-name">{name}</span>
        <span className="evidence-value" title={value}>
          {value}
        </span>
        {confidence !== null && (
          <span className="evidence-confidence numeric" title="From the checks alone">
            {Math.round(confidence * 100)} %
          </span>
        )}
        <VerdictBadge verdict={verdict} />
      </div>
      <div className="evidence-track">
        {checked && <span className="evidence-checked" style={place(checked.from_ms, checked.to_ms)} />}
        {cut !== null && <span className="evidence-cut" style={{ left: part(cut) }} />}
        {spans.map((span) => (
          <button
            key={`${span.start_ms} ${span.end_ms} ${span.modality} ${span.quote}`}
            type="button"
            className="evidence-span"
            style={place(span.start_ms, span.end_ms)}
            aria-label={textOf(span)}
            onMouseEnter={() => setShown(span)}
            onMouseLeave={() => setShown(undefined)}
            onFocus={() => setShown(span)}
            onBlur={() => setShown(undefined)}
            onClick={() => onSeek?.(span.start_ms / 1000)}
          />
        ))}
      </div>
      <p className="evidence-quote" aria-hidden="true">
        {shown ? textOf(shown) : summaryOf(spans)}
      </p>
    </li>
  );
}

/** The text of a field while the pointer is on none of its bars. */
function summaryOf(spans: readonly EvidenceSpan[]): string {
  const [first, ...more] = spans;
  if (!first) return "No part of the video was named.";
  const times = `${howNames[first.modality]} ${rangeOf(first)}`;
  return more.length > 0 ? `${times} and ${more.length} more` : times;
}

function textOf(span: EvidenceSpan): string {
  const { modality, quote, quote_found: found } = span;
  const said = quote === null ? "" : `: “${quote}”`;
  const check = quote === null || found === null ? "" : found ? " – found there" : " – not found there";
  return `${howNames[modality]} ${rangeOf(span)}${said}${check}`;
}

function rangeOf({ start_ms: from, end_ms: to }: EvidenceSpan): string {
  return `${timeText(from / 1000)} to ${timeText(to / 1000)}`;
}
