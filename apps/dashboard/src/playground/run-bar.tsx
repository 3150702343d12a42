import { Play, Square } from "lucide-react";
import { Button } from "../design/button.tsx";
import { minutesText } from "../design/format.ts";

type RunBarProps = {
  /** The cost of the video in seconds, or undefined while its length is unknown. */
  readonly estimate: number | undefined;
  /** The available seconds of the account. */
  readonly available: number | undefined;
  /** Why the video cannot be run, or undefined if it can. */
  readonly obstacle: string | undefined;
  readonly busy: "no" | "sending" | "running";
  readonly onRun: () => void;
  readonly onStop: () => void;
};

/** The button that starts a run, with the cost in front. */
export function RunBar({ estimate, available, obstacle, busy, onRun, onStop }: RunBarProps) {
  return (
    <div className="run-bar card">
      <div className="run-cost">
        <Cost estimate={estimate} available={available} />
        {obstacle !== undefined && busy === "no" && <span className="run-obstacle">{obstacle}</span>}
      </div>
      {busy === "sending" ? (
        <Button size="large" onClick={onStop}>
          <Square aria-hidden="true" />
          Cancel
        </Button>
      ) : (
        <Button
          variant="primary"
          size="large"
          disabled={obstacle !== undefined}
          busy={busy === "running"}
          onClick={onRun}
          title="Ctrl Enter"
        >
          {busy === "no" && <Play aria-hidden="true" />}
          {busy === "running" ? "Running" : "Run"}
        </Button>
      )}
    </div>
  );
}

function Cost({ estimate, available }: Pick<RunBarProps, "estimate" | "available">) {
  const left = available === undefined ? "" : `of ${minutesText(available)} left`;
  if (estimate === undefined) {
    return (
      <span className="muted">
        Costs the length of the video, one minute at least {left && `· ${minutesText(available ?? 0)} left`}
      </span>
    );
  }
  return (
    <span>
      Costs <strong className="numeric">{minutesText(estimate)}</strong>{" "}
      <span className="muted">{left}, if it succeeds</span>
    </span>
  );
}
