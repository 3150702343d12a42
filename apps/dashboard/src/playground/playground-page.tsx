import "./playground.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { Plus } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { isOpen, jobQuery, overviewQuery, sessionQuery } from "../api/queries.ts";
import { signedInAccount } from "../app/session-hint.ts";
import { createClock } from "../clock/clock.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Field } from "../design/field.tsx";
import { countsText, durationText, minutesText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { EvidenceView } from "../evidence/evidence-view.tsx";
import { parseJson } from "../json/parse-json.ts";
import { findMoments } from "../moments/find-moments.ts";
import { Timeline } from "../timeline/timeline.tsx";
import { AnswerCard } from "./answer-card.tsx";
import { CompareRun } from "./compare-run.tsx";
import { estimatedSeconds, refusalOf } from "./cost.ts";
import { readDraft, saveDraft } from "./draft.ts";
import { clipFault, clipOf, type Look, seenSeconds, wholeVideo } from "./look.ts";
import { LookFields } from "./look-fields.tsx";
import { useLit, useRun, useRunShortcut } from "./run.ts";
import { RunBar } from "./run-bar.tsx";
import { RunProgress } from "./run-progress.tsx";
import type { RunState } from "./run-state.ts";
import { SchemaCard } from "./schema-card.tsx";
import { SourceCard, type SourceKind } from "./source-card.tsx";
import { firstTemplate, templates } from "./templates.ts";
import { useSchemaCheck } from "./use-schema-check.ts";
import { playPart } from "./video-player.tsx";

/** Runs an extraction and shows its answer on the video. An address with a job opens that run again. */
export function PlaygroundPage() {
  const account = useQuery(sessionQuery).data?.account_id ?? signedInAccount() ?? "";
  return <Playground key={account} account={account} />;
}

function Playground({ account }: { readonly account: string }) {
  const { jobId } = useParams({ from: "/signed-in/playground/{-$jobId}" });
  const { template: asked } = useSearch({ from: "/signed-in/playground/{-$jobId}" });
  const navigate = useNavigate();
  const overview = useQuery(overviewQuery).data;
  const limits = useQuery(sessionQuery).data?.limits;

  const first = templates.find(({ id }) => id === asked) ?? firstTemplate;
  // A draft belongs to the address where it was written. The plain address shows the last draft of all.
  const at = jobId ?? asked ?? "";
  const [draft] = useState(() => {
    const kept = readDraft(account);
    return at === "" || kept?.at === at ? kept : undefined;
  });
  const [schema, setSchema] = useState(draft?.schema ?? (jobId ? "" : (first?.schema ?? "")));
  const [instructions, setInstructions] = useState(
    draft?.instructions ?? (asked && !jobId ? (first?.instructions ?? "") : ""),
  );
  const [look, setLook] = useState<Look>(draft?.look ?? wholeVideo);
  const [evidence, setEvidence] = useState(draft?.evidence ?? false);
  const isChanged = useRef(draft !== undefined);
  const edit = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      isChanged.current = true;
      set(value);
    };
  };
  useEffect(() => {
    if (isChanged.current) saveDraft(account, { at, schema, instructions, look, evidence });
  }, [account, at, schema, instructions, look, evidence]);
  const [acceptedSchema, setAcceptedSchema] = useState<string>();
  const [kind, setKind] = useState<SourceKind>("file");
  const [file, setFile] = useState<File>();
  const [url, setUrl] = useState("");
  const [length, setLength] = useState<number>();
  const video = useRef<HTMLVideoElement>(null);
  const clock = useMemo(() => createClock(), []);
  const check = useSchemaCheck(schema);

  const opened = useRef<string | undefined>(draft && jobId);
  const run = useRun(account, (id) => {
    opened.current = id;
    void navigate({ to: "/playground/{-$jobId}", params: { jobId: id }, replace: jobId !== undefined });
  });

  const job = useQuery({ ...jobQuery(jobId ?? ""), enabled: jobId !== undefined });
  // A run that was started at another address of this page has its own state, which this page ignores.
  const state = stateFor(run.state, jobId);
  const record = jobId === undefined || isUnadmitted(state) ? undefined : job.data;
  // A run that this page did not start brings its own schema and instructions.
  useEffect(() => {
    if (!record || opened.current === record.id) return;
    opened.current = record.id;
    setSchema(record.schema_text);
    setInstructions(record.instructions ?? "");
    setLook({ start: record.clip?.start ?? "", end: record.clip?.end ?? "", detail: record.detail });
    setEvidence(record.wants_evidence);
  }, [record]);

  const answerText = record?.data_text;
  const answer = useMemo(() => (answerText ? parseJson(answerText) : undefined), [answerText]);
  const duration = record?.video?.duration_seconds ?? length;
  const moments = useMemo(() => (answer ? findMoments(answer, duration) : []), [answer, duration]);
  const lit = useLit(clock, moments);
  const seek = useCallback(
    (seconds: number) => {
      if (video.current?.hasAttribute("src")) video.current.currentTime = seconds;
      clock.set(seconds);
    },
    [clock],
  );

  const stopPart = useRef(() => {});
  const play = useCallback(
    (from: number, to: number) => {
      stopPart.current();
      if (video.current?.hasAttribute("src")) stopPart.current = playPart(video.current, clock, from, to);
      else clock.set(from);
    },
    [clock],
  );

  const choose = (next: File | undefined) => {
    setFile(next);
    setLength(undefined);
    clock.set(0);
  };
  const startAgain = () => {
    run.stop();
    void navigate({ to: "/playground/{-$jobId}", params: {} });
  };

  const source =
    kind === "file" ? file && ({ kind, file } as const) : url.trim() !== "" && ({ kind, url: url.trim() } as const);
  const fileLength = kind === "file" ? length : undefined;
  const lookFault = clipFault(look, fileLength);
  const seen = seenSeconds(look, fileLength);
  // A change of the schema ends the consent to its doubts.
  const acceptWarnings = acceptedSchema === schema;
  const hasDoubt = !acceptWarnings && check.remarks.length > 0;
  const hasFault = check.remarks.some(({ severity }) => severity === "error");
  const obstacle = !source
    ? kind === "file"
      ? "Choose a video first."
      : "Enter an address first."
    : hasFault
      ? "Correct the schema first."
      : hasDoubt
        ? "The schema is doubtful. Correct it, or choose to run it anyway."
        : (lookFault ??
          (kind === "file" && file && limits ? refusalOf({ bytes: file.size, duration: seen }, limits) : undefined));
  const isRunning = state.step === "running" || (record !== undefined && isOpen(record));
  const busy = state.step === "sending" || state.step === "searching" ? "sending" : isRunning ? "running" : "no";

  const start = () => {
    if (!source || obstacle !== undefined || busy !== "no") return;
    run.start({ video: source, schema, instructions, look, acceptWarnings, evidence });
  };
  useRunShortcut(start);
  // While the video plays, the tree scrolls to the field of the moment that it shows.
  useEffect(() => {
    const tree = document.querySelector(".tree");
    if (tree && video.current && !video.current.paused) followLit(tree);
  }, [lit]);

  return (
    <Page
      title="Playground"
      wide
      description="Ask for what you need from a video, and see the answer on it."
      actions={
        jobId !== undefined && (
          <>
            <CopyButton
              text={location.href}
              what="the link to this run"
              label="Copy link"
              withText
              size="medium"
              variant="secondary"
            />
            <Button onClick={startAgain}>
              <Plus aria-hidden="true" />
              New run
            </Button>
          </>
        )
      }
    >
      <div className={answer ? "playground playground-answered" : "playground"}>
        <div className="playground-video">
          <SourceCard
            {...{ kind, file, url, clock, video, limits }}
            onKind={setKind}
            onFile={choose}
            onUrl={setUrl}
            onLength={setLength}
            answered={answer !== undefined}
          >
            {answer && duration !== undefined && (
              <Timeline moments={moments} duration={duration} clock={clock} lit={lit} onSeek={seek}>
                {(zoom) =>
                  record && (
                    <CompareRun
                      key={record.id}
                      jobId={record.id}
                      {...{ answer, duration, zoom, clock }}
                      onSeek={seek}
                    />
                  )
                }
              </Timeline>
            )}
          </SourceCard>
        </div>
        <div className="playground-answer">
          <AnswerCard
            {...{ answer, moments, lit }}
            onSeek={seek}
            request={{
              baseUrl: overview?.base_url ?? location.origin,
              video:
                kind === "url"
                  ? { kind, url: url.trim() || "https://example.com/video.mp4" }
                  : { kind, name: file?.name ?? "video.mp4" },
              schema,
              instructions,
              clip: clipOf(look),
              detail: look.detail === "standard" ? undefined : look.detail,
              acceptWarnings,
              evidence,
            }}
            evidence={
              record?.status === "succeeded" && record.wants_evidence && answer ? (
                <EvidenceView jobId={record.id} answer={answer} onSeek={seek} onPlay={play} />
              ) : undefined
            }
            instead={
              job.error && jobId !== undefined ? (
                <div className="card-body">
                  <ProblemNotice problem={job.error} />
                </div>
              ) : state.step === "idle" && jobId === undefined ? null : (
                <RunProgress state={state} record={record} />
              )
            }
            jsonSchema={check.jsonSchema}
            footer={record && !isOpen(record) ? <AnswerFooter record={record} /> : undefined}
          />
        </div>
        <div className="playground-request stack-tight">
          <SchemaCard
            text={schema}
            instructions={instructions}
            onChange={edit(setSchema)}
            onTemplate={(template) => {
              edit(setSchema)(template.schema);
              setInstructions(template.instructions);
            }}
            check={check}
            accepted={acceptWarnings}
            onAccept={(accepted) => setAcceptedSchema(accepted ? schema : undefined)}
          />
          {check.failure ? <ProblemNotice problem={check.failure} /> : null}
          <Card>
            <Field
              label="Instructions"
              note="Context for the model, such as names or colours. The schema still governs the answer."
            >
              {(ids) => (
                <textarea
                  {...ids}
                  className="input"
                  rows={3}
                  maxLength={10_000}
                  placeholder="The home team wears red."
                  value={instructions}
                  onChange={(event) => edit(setInstructions)(event.target.value)}
                />
              )}
            </Field>
            <LookFields look={look} fault={lookFault} onChange={edit(setLook)} />
            <label className="check">
              <input type="checkbox" checked={evidence} onChange={(event) => edit(setEvidence)(event.target.checked)} />
              <span>
                Gather evidence
                <small>Where the video shows each value, with a second look. It takes longer at no extra cost.</small>
              </span>
            </label>
          </Card>
          <RunBar
            estimate={seen === undefined || !limits ? undefined : estimatedSeconds(seen, limits)}
            available={overview && overview.balance_seconds - overview.held_seconds}
            obstacle={obstacle}
            busy={busy}
            onRun={start}
            onStop={run.stop}
          />
        </div>
      </div>
    </Page>
  );
}

/** Returns the state of the run at an address. */
function stateFor(state: RunState, jobId: string | undefined): RunState {
  return "jobId" in state && state.jobId !== undefined && state.jobId !== jobId ? { step: "idle" } : state;
}

/** Returns whether a run has no job yet, so that no address names it. */
function isUnadmitted(state: RunState): boolean {
  return (
    state.step === "sending" || state.step === "searching" || (state.step === "failed" && state.jobId === undefined)
  );
}

/**
 * Scrolls the first lit part of an answer into view, if the answer has its own scroll bar. The page never moves by
 * itself, so on small screens the reader scrolls.
 */
function followLit(tree: Element): void {
  const lit = tree.querySelector(".lit");
  const room = tree.closest(".tab-panel");
  if (!lit || !room || room.scrollHeight <= room.clientHeight) return;
  const [part, view] = [lit.getBoundingClientRect(), room.getBoundingClientRect()];
  if (part.top >= view.top && part.bottom <= view.bottom) return;
  room.scrollTop += part.top - view.top - view.height / 4;
}

/** The cost of a finished run, and the link to its page. */
function AnswerFooter({ record }: { readonly record: DashboardJob }) {
  const { id, billed_seconds: billed, started_at: started, finished_at: finished, second_look: counts } = record;
  return (
    <>
      <span>
        {billed > 0 ? (
          <>
            Billed <strong className="numeric">{minutesText(billed)}</strong>
          </>
        ) : (
          "Nothing was charged"
        )}
        {started && finished && <> · took {durationText(Date.parse(finished) - Date.parse(started))}</>}
        {counts && <> · times: {countsText(counts)}</>}
      </span>
      <Link to="/jobs/$jobId" params={{ jobId: id }} className="text-link">
        Open the job
      </Link>
    </>
  );
}
