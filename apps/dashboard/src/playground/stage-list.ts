/** The stages of a run in order, as the page names them. */
export const stageList = [
  { id: "sending", doing: "Sending the video", done: "Video sent" },
  { id: "queued", doing: "Waiting for a worker", done: "A worker has started it" },
  { id: "obtaining", doing: "Fetching the video", done: "Video fetched" },
  { id: "probing", doing: "Measuring the video", done: "Video measured" },
  { id: "uploading", doing: "Sending it to the model", done: "Sent to the model" },
  { id: "analysing", doing: "Watching and checking the answer", done: "Answer conforms" },
  { id: "settling", doing: "Storing the answer", done: "Answer stored" },
] as const;

/** Returns the index of a stage in the list. An unknown stage counts as one in the middle. */
export function stageIndex(stage: string): number {
  const index = stageList.findIndex(({ id }) => id === stage);
  return index === -1 ? stageList.findIndex(({ id }) => id === "obtaining") : index;
}

/** Returns the current stage of a job whose record the page polls: the last stage with a time. */
export function stageOfRecord(status: string, timings: readonly { readonly stage: string }[] | null): string {
  return status === "queued" ? "queued" : (timings?.at(-1)?.stage ?? "obtaining");
}
