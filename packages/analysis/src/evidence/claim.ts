import type { EvidenceSpan } from "@video-to-json/contract";

/** A part of the video that shows a field, as the model said it: valid, but unchecked. */
export type ClaimedSpan = Pick<EvidenceSpan, "start_ms" | "end_ms" | "modality" | "quote">;

/** What the model said about a field. Without spans, either nothing shows it or the whole video does. */
export type Claim = { isWholeVideo: boolean; spans: ClaimedSpan[] };
