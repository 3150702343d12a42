import { Check } from "lucide-react";
import { bytesText } from "../design/format.ts";
import { stageIndex, stageList } from "./stage-list.ts";

type StagesProps = {
  /** `sending`, `queued`, or a stage of the job. */
  readonly stage: string;
  readonly attempt: number;
  readonly upload?: { readonly sent: number; readonly total: number } | undefined;
};

/** The stages of a run, with the current one marked. */
export function Stages({ stage, attempt, upload }: StagesProps) {
  const now = stageIndex(stage);
  return (
    <ol className="stages">
      {stageList.map(({ id, doing, done }, index) => {
        const state = index < now ? "done" : index === now ? "now" : "next";
        return (
          <li key={id} className={`stage stage-${state}`} aria-current={state === "now" ? "step" : undefined}>
            <span className="stage-sign" aria-hidden="true">
              {state === "done" ? <Check /> : state === "now" ? <span className="spinner" /> : null}
            </span>
            <span>
              {state === "done" ? done : doing}
              {state === "now" && id === "analysing" && attempt > 1 && (
                <span className="muted"> · attempt {attempt} of 3</span>
              )}
              {state === "now" && id === "sending" && upload && upload.total > 0 && (
                <UploadProgress sent={upload.sent} total={upload.total} />
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function UploadProgress({ sent, total }: { readonly sent: number; readonly total: number }) {
  return (
    <span className="upload">
      <progress value={sent} max={total} aria-label="Upload" />
      <span className="muted numeric">
        {bytesText(sent)} of {bytesText(total)}
      </span>
    </span>
  );
}
