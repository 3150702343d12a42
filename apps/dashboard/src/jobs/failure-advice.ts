/** Advice for each code with which a job can fail. */
const advice: Readonly<Record<string, string>> = {
  extraction_failed:
    "Mark fields that the video may not show as optional with a question mark, loosen the parts that are listed, or say in the instructions where to look.",
  media_unreadable: "Re-encode the video. H.264 in MP4 is safe.",
  video_unreachable: "Check that the address is public and answers with the video file itself, not with a page.",
  video_too_long: "Trim the video to ten minutes, or split it.",
  file_too_large: "Re-encode the video at a lower bitrate.",
  out_of_minutes: "The minutes left do not cover this video. A shorter one may fit.",
  too_many_jobs: "It waited too long behind other jobs. Send it again when one of them has finished.",
  provider_unavailable: "The model could not be reached. Send it again in a few minutes.",
  internal_error: "The fault is ours. Send it again, and tell the operator the id of the job if it fails again.",
};

/** The codes with which a job can end, for the filter of the list. */
export const failureCodes = Object.keys(advice);

/** Returns what to do about a failed job. */
export function failureAdvice(code: string): string {
  return advice[code] ?? "Look up the code in the API reference.";
}
