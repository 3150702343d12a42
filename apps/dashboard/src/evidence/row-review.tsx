import { useState } from "react";
import { Button } from "../design/button.tsx";
import type { JsonNode } from "../json/json-node.ts";
import { type Decision, literalOf } from "./review.ts";
import type { EvidenceRow } from "./rows.ts";

type RowReviewProps = {
  readonly row: EvidenceRow;
  readonly was: JsonNode | undefined;
  readonly correcting: boolean;
  readonly onCorrect: (correcting: boolean) => void;
  readonly decide: (decision: Decision) => void;
  /** Plays the seconds around the value; undefined without a video. */
  readonly onPlay: (() => void) | undefined;
};

/** What a reviewer can say about the current value. */
export function RowReview({ row, was, correcting, onCorrect, decide, onPlay }: RowReviewProps) {
  const [text, setText] = useState(row.value);
  const json = was && literalOf(text, was);
  if (!correcting) {
    return (
      <div className="review-bar">
        <Button size="small" variant="primary" aria-keyshortcuts="a" onClick={() => decide({ right: true })}>
          It is right
        </Button>
        <Button size="small" aria-keyshortcuts="c" onClick={() => onCorrect(true)}>
          Correct it
        </Button>
        {onPlay && (
          <Button size="small" aria-keyshortcuts="p" onClick={onPlay}>
            Play again
          </Button>
        )}
      </div>
    );
  }
  return (
    <form
      className="review-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (json !== undefined) decide({ right: false, json });
      }}
    >
      <input
        className="input review-input"
        aria-label={`What is right instead of ${row.value}`}
        aria-invalid={json === undefined}
        // biome-ignore lint/a11y/noAutofocus: the reviewer chose to write here
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onCorrect(false)}
      />
      <Button size="small" variant="primary" type="submit" disabled={json === undefined}>
        Save
      </Button>
      <Button size="small" onClick={() => onCorrect(false)}>
        Cancel
      </Button>
      {json === undefined && <p className="evidence-note">Write a {was?.kind ?? "value"}, or null.</p>}
    </form>
  );
}
