import "./evidence.css";
import { useQuery } from "@tanstack/react-query";
import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import { useMemo, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { evidenceQuery } from "../api/queries.ts";
import { Skeleton } from "../design/skeleton.tsx";
import type { JsonNode } from "../json/json-node.ts";
import { EvidenceField } from "./evidence-field.tsx";
import { namesOf, rowsOf } from "./rows.ts";

type ViewProps = {
  readonly jobId: string;
  readonly answer: JsonNode;
  readonly onSeek?: (seconds: number) => void;
};

/** The evidence of an answer, value by value. Values that failed a check come first. */
export function EvidenceView({ jobId, answer, onSeek }: ViewProps) {
  const { data, error, refetch } = useQuery(evidenceQuery(jobId));
  if (error) {
    return (
      <div className="card-body">
        <ProblemNotice problem={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data) return <Skeleton width={26} height={16} />;
  return <Loaded evidence={data} answer={answer} onSeek={onSeek} />;
}

// Long lists are shown in parts, as in the tree.
const shownAtOnce = 50;

type LoadedProps = { readonly evidence: Evidence; readonly answer: JsonNode; readonly onSeek: ViewProps["onSeek"] };

function Loaded({ evidence, answer, onSeek }: LoadedProps) {
  const rows = useMemo(() => rowsOf(evidence, answer), [evidence, answer]);
  const [shown, setShown] = useState(shownAtOnce);
  return (
    <div className="evidence">
      {evidence.status !== "complete" && <p className="evidence-note">{statusTexts[evidence.status]}</p>}
      <ul className="evidence-list" aria-label="Evidence">
        {rows.slice(0, shown).map((row) => (
          <EvidenceField key={row.pointer} row={row} durationMs={evidence.duration_ms} onSeek={onSeek} />
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
