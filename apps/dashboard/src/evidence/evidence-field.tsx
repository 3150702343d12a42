import type { EvidenceSpan, EvidenceVerdict } from "@video-to-json/contract/shapes/evidence";
import { ArrowLeftRight, Check, CircleHelp, CircleSlash, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Badge, type Tone } from "../design/display.tsx";
import { parseJson } from "../json/parse-json.ts";
import { timeText } from "../moments/moment.ts";
import type { Decision } from "./review.ts";
import { type EvidenceRow, shownText } from "./rows.ts";

const verdicts = {
  confirmed: { tone: "good", words: "Confirmed", icon: Check },
  moved: { tone: "warn", words: "Moved", icon: ArrowLeftRight },
  contradicted: { tone: "bad", words: "Contradicted", icon: X },
  unconfirmed: { tone: "warn", words: "Not confirmed", icon: CircleHelp },
  not_checked: { tone: "neutral", words: "Not checked", icon: CircleSlash },
} as const satisfies Record<EvidenceVerdict, { tone: Tone; words: string; icon: unknown }>;

/** The verdict on a value: in words, with an icon and a colour. */
function VerdictBadge({ verdict }: { readonly verdict: EvidenceVerdict }) {
  const { tone, words, icon: Icon } = verdicts[verdict];
  return (
    <Badge tone={tone} plain>
      <Icon aria-hidden="true" className="verdict-icon" />
      {words}
    </Badge>
  );
}

type FieldProps = {
  readonly row: EvidenceRow;
  readonly durationMs: number;
  /** Seeks to a time of the video, in seconds. Undefined if the page has no video. */
  readonly onSeek: ((seconds: number) => void) | undefined;
  /** What a reviewer said about it. */
  readonly decision: Decision | undefined;
  /** Whether the reviewer looks at it. */
  readonly isCurrent: boolean;
  readonly children: ReactNode;
};

const howNames = { visual: "Seen", speech: "Said", text: "On screen" } as const;

/** One value, and below it the parts of the video that show it, as bars. Pointing at a bar shows its quote. */
export function EvidenceField({ row: { pointer, name, value, field }, durationMs, onSeek, ...rest }: FieldProps) {
  const { decision, isCurrent, children } = rest;
  const [shown, setShown] = useState<EvidenceSpan>();
  const { verdict, confidence, spans, checked, nearest_cut_ms: cut } = field;
  const part = (ms: number) => `${Math.min(100, (ms / Math.max(1, durationMs)) * 100)}%`;
  const place = (from: number, to: number) => ({ left: part(from), width: part(to - from) });
  return (
    <li
      className={`evidence-field verdict-${verdict}`}
      data-evidence={pointer}
      {...(isCurrent && { "aria-current": true, tabIndex: -1 })}
    >
      <div className="evidence-head">
        <span className="evidence-name">{name}</span>
        <span className="evidence-value" title={value}>
          {decision?.right === false ? (
            <>
              <del>{value}</del> <ins>{shownText(parseJson(decision.json))}</ins>
            </>
          ) : (
            value
          )}
        </span>
        {decision && <Badge plain>{decision.right ? "You accepted it" : "You corrected it"}</Badge>}
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
      {children}
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
