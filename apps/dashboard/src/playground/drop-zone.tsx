import { Upload } from "lucide-react";
import { type DragEvent, useState } from "react";

type DropZoneProps = {
  /** The text of the empty zone: "Drop a video here". */
  readonly title: string;
  readonly note: string;
  readonly onFile: (file: File) => void;
};

/** Accepts a video file, dropped or chosen by mouse or keyboard. */
export function DropZone({ title, note, onFile }: DropZoneProps) {
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
