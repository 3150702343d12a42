import "./evidence.css";
import { useQuery } from "@tanstack/react-query";
import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { evidenceQuery } from "../api/queries.ts";
import { Button } from "../design/button.tsx";
import { Skeleton } from "../design/display.tsx";
import { type JsonNode, nodeAt } from "../json/json-node.ts";
import { readReview, saveReview } from "../playground/draft.ts";
import { EvidenceField } from "./evidence-field.tsx";
import { countText, type Decision, reviewFile } from "./review.ts";
import { RowReview } from "./row-review.tsx";
import { namesOf, rowsOf } from "./rows.ts";

type ViewProps = {
  readonly jobId: string;
  readonly answer: JsonNode;
  readonly onSeek?: (seconds: number) => void;
  /** Plays a part of the video, in seconds. */
  readonly onPlay?: (from: number, to: number) => void;
};

/** The evidence of an answer, value by value, for a review. The least certain values come first. */
export function EvidenceView({ jobId, answer, ...player }: ViewProps) {
  const { data, error, refetch } = useQuery(evidenceQuery(jobId));
  if (error) {
    return (
      <div className="card-body">
        <ProblemNotice problem={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data) return <Skeleton width={26} height={16} />;
  return <Loaded key={jobId} {...{ jobId, answer, evidence: data }} {...player} />;
}

// Long lists are shown in parts, as in the tree.
const shownAtOnce = 50;

/** How much of the video is played around a time, in seconds. */
const playedSeconds = 3;

function Loaded({ jobId, evidence, answer, onSeek, onPlay }: ViewProps & { readonly evidence: Evidence }) {
  const rows = useMemo(() => rowsOf(evidence, answer), [evidence, answer]);
  const [shown, setShown] = useState(shownAtOnce);
  const [review, setReview] = useState(() => readReview(jobId));
  const [current, setCurrent] = useState<number>();
  const [correcting, setCorrecting] = useState(false);
  const list = useRef<HTMLUListElement>(null);

  const look = (index: number) => {
    const row = rows[index];
    if (!row) return;
    setShown(Math.max(shown, index + 1));
    setCurrent(index);
    setCorrecting(false);
    const ms = row.field.spans[0]?.start_ms ?? row.field.checked?.from_ms;
    if (ms !== undefined) onPlay?.(Math.max(0, ms / 1000 - playedSeconds / 2), ms / 1000 + playedSeconds / 2);
  };
  // The keys work in the row, so it has the focus.
  useEffect(() => {
    if (current !== undefined && !correcting) list.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [current, correcting]);
  const decide = (decision: Decision) => {
    const row = current === undefined ? undefined : rows[current];
    if (!row) return;
    const next = { ...review, [row.pointer]: decision };
    setReview(next);
    saveReview(jobId, next);
    setCorrecting(false);
    if (current !== undefined && current + 1 < rows.length) look(current + 1);
  };
  const begin = () =>
    look(
      Math.max(
        0,
        rows.findIndex(({ pointer }) => review[pointer] === undefined),
      ),
    );
  const onKeyDown = (event: KeyboardEvent) => {
    if (current === undefined || event.ctrlKey || event.metaKey || event.altKey || correcting) return;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => look(current + 1),
      ArrowUp: () => look(current - 1),
      a: () => decide({ right: true }),
      c: () => setCorrecting(true),
      p: () => look(current),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <div className="evidence">
      {evidence.status !== "complete" && <p className="evidence-note">{statusTexts[evidence.status]}</p>}
      {rows.length > 0 && (
        <div className="review-bar">
          <p className="evidence-note" role="status">
            {current === undefined ? countText(review, rows.length) : `${countText(review, rows.length)} ${keysText}`}
          </p>
          {current === undefined && (
            <Button size="small" onClick={begin}>
              {Object.keys(review).length > 0 ? "Continue the review" : "Review the values"}
            </Button>
          )}
          {Object.keys(review).length > 0 && (
            <Button size="small" onClick={() => download(jobId, reviewFile(jobId, answer, review, rows.length))}>
              Download the review
            </Button>
          )}
        </div>
      )}
      <ul className="evidence-list" aria-label="Evidence" ref={list} onKeyDown={onKeyDown}>
        {rows.slice(0, shown).map((row, index) => (
          <EvidenceField
            key={row.pointer}
            row={row}
            durationMs={evidence.duration_ms}
            onSeek={onSeek}
            decision={review[row.pointer]}
            isCurrent={index === current}
          >
            {index === current && (
              <RowReview
                {...{ row, correcting, decide }}
                was={nodeAt(answer, row.pointer)}
                onCorrect={setCorrecting}
                onPlay={onPlay && (() => look(index))}
              />
            )}
          </EvidenceField>
        ))}
      </ul>
      {rows.length > shown && (
        <button type="button" className="tree-more" onClick={() => setShown(shown + shownAtOnce)}>
          Show {Math.min(shownAtOnce, rows.length - shown)} more of {rows.length}
        </button>
      )}
      <Names title="About the whole video" pointers={evidence.whole_video} />
      <Names title="Left out by the answer" pointers={evidence.absent} />
    </div>
  );
}

const keysText = "↓ and ↑ move, A accepts, C corrects, P plays.";

function download(jobId: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `review-${jobId}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const statusTexts = {
  partial: "There was not enough time for every check.",
  unavailable: "No evidence could be gathered. The answer is not affected.",
} as const;

function Names({ title, pointers }: { readonly title: string; readonly pointers: readonly string[] }) {
  if (pointers.length === 0) return null;
  return (
    <p className="evidence-note">
      {title}: <span className="evidence-names">{namesOf(pointers).join(", ")}</span>
    </p>
  );
}
