import { useMutation } from "@tanstack/react-query";
import type { PageLimits } from "@video-to-json/contract/dashboard/account";
import { FileVideo, Film, Link2, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, type RefObject, useState } from "react";
import type { Clock } from "../clock/clock.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Field } from "../design/field.tsx";
import { bytesText } from "../design/format.ts";
import { Tabs } from "../design/tabs.tsx";
import { lengthText, sizeText } from "./cost.ts";
import { VideoPlayer } from "./video-player.tsx";

export type SourceKind = "file" | "url";

type SourceCardProps = {
  readonly kind: SourceKind;
  readonly onKind: (kind: SourceKind) => void;
  readonly file: File | undefined;
  readonly onFile: (file: File | undefined) => void;
  readonly url: string;
  /** The limits of the service, once they are loaded. */
  readonly limits: PageLimits | undefined;
  readonly onUrl: (url: string) => void;
  readonly clock: Clock;
  readonly video: RefObject<HTMLVideoElement | null>;
  readonly onLength: (seconds: number | undefined) => void;
  /** The file can be played along with the answer. */
  readonly answered: boolean;
  /** The timeline, below the picture. */
  readonly children: ReactNode;
};

/** Twelve seconds of a match: kick-off, a goal, the end. */
const sampleUrl = new URL("./sample.mp4", import.meta.url).href;

/** The video: a file that is played here, or an address that the service fetches. */
export function SourceCard(props: SourceCardProps) {
  const { kind, onKind, file, onFile, url, onUrl, clock, video, onLength, limits, answered, children } = props;
  const sample = useMutation({
    mutationFn: async () => {
      const answer = await fetch(sampleUrl);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return new File([await answer.blob()], "sample.mp4", { type: "video/mp4" });
    },
    onSuccess: onFile,
  });
  const picture = file ? (
    <VideoPlayer key={file.name + file.lastModified} file={file} clock={clock} video={video} onLength={onLength} />
  ) : (
    <div className="player player-empty">
      <DropZone
        title={answered ? "Choose the video again" : "Drop a video here, or choose one"}
        note={
          answered
            ? "The service has deleted its copy. The answer is shown on your local file."
            : `${limits ? `Up to ${lengthText(limits.max_video_seconds)} and ${sizeText(limits.max_upload_bytes)}. ` : ""}It is deleted when the job finishes.`
        }
        onFile={onFile}
      />
      {!answered && (
        <Button size="small" variant="quiet" busy={sample.isPending} onClick={() => sample.mutate()}>
          <Film aria-hidden="true" />
          Use a sample video
        </Button>
      )}
      {sample.isError && (
        <p className="field-error" role="alert">
          The sample video did not load. Try again, or choose a file of your own.
        </p>
      )}
    </div>
  );
  return (
    <Card flush className="source-card">
      <Tabs
        label="Where the video is"
        value={kind}
        onChange={onKind}
        actions={
          file && (
            <div className="row file-row">
              <span className="file-name" title={file.name}>
                {file.name}
              </span>
              <span className="muted numeric">{bytesText(file.size)}</span>
              <Button size="small" variant="quiet" onClick={() => onFile(undefined)}>
                Change
              </Button>
            </div>
          )
        }
        tabs={[
          { value: "file", label: "File", content: picture },
          {
            value: "url",
            label: "URL",
            content: (
              <>
                <div className="card-body">
                  <Field label="Address of the video file" note="A public http or https address of the file itself.">
                    {(ids) => (
                      <input
                        {...ids}
                        className="input"
                        type="url"
                        inputMode="url"
                        placeholder="https://example.com/video.mp4"
                        value={url}
                        onChange={(event) => onUrl(event.target.value)}
                      />
                    )}
                  </Field>
                </div>
                {answered && picture}
              </>
            ),
          },
        ]}
      />
      {children}
      {kind === "file" && !file && !answered && (
        <p className="source-note">
          <FileVideo aria-hidden="true" /> The file leaves this browser only as the upload to the service.
        </p>
      )}
      {kind === "url" && (
        <p className="source-note">
          <Link2 aria-hidden="true" /> The service fetches it. This page never opens other addresses.
        </p>
      )}
    </Card>
  );
}

type DropZoneProps = {
  /** The text of the empty zone: "Drop a video here". */
  readonly title: string;
  readonly note: string;
  readonly onFile: (file: File) => void;
};

/** Accepts a video file, dropped or chosen by mouse or keyboard. */
function DropZone({ title, note, onFile }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onFile(file);
  };
  return (
    <label
      className={over ? "drop-zone drop-over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        type="file"
        accept="video/*,.mkv,.ts,.mts,.avi,.flv,.wmv"
        className="visually-hidden"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) onFile(file);
        }}
      />
      <span className="empty-icon" aria-hidden="true">
        <Upload />
      </span>
      <strong>{title}</strong>
      <span className="muted">{note}</span>
    </label>
  );
}
