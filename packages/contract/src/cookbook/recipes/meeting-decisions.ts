import type { Recipe } from "../recipe.ts";

/** What a recorded meeting decided. */
export const meetingDecisions: Recipe = {
  id: "meeting-decisions",
  title: "The decisions of a meeting",
  about: "Decisions, tasks and open questions of a recorded meeting, each with the moment in which they were said.",
  schema: `{
  "decisions": [
    {"at": "timestamp", "decision": "string — one sentence", "reason": "string?"}
  ],
  "tasks": [
    {
      "at": "timestamp",
      "task": "string — one sentence that begins with a verb",
      "owner": "string? — the person who agrees to do it",
      "due": "string? — as it is said"
    }
  ],
  "open_questions": [
    {"at": "timestamp", "question": "string"}
  ]
}`,
  instructions:
    "A recorded video call. Names are below the pictures. Only what the group agrees on is a decision; a proposal without an answer is an open question. Write in English.",
  answer: `{
  "decisions": [
    {"at": "03:12", "decision": "The release moves to Thursday.", "reason": "The migration has to run over night."}
  ],
  "tasks": [
    {"at": "03:40", "task": "Tell the customers about the new date.", "owner": "Ines", "due": "by tomorrow noon"}
  ],
  "open_questions": [
    {"at": "05:05", "question": "Who answers the telephone during the migration?"}
  ]
}`,
  pitfalls: [
    "Proposals come back as decisions. The instructions have to say what a decision is.",
    "“By Friday” is kept as it is said, because the video does not know its date. Name the date in the instructions if you want one.",
    "A required `owner` gets a name that was never said. Keep it optional.",
    "Meetings are longer than the service takes at once. Send parts, and give each the names and the subject in the instructions.",
  ],
};
