import { randomUUID } from "node:crypto";
import type { ErrorInside } from "@video-to-json/contract";
import { type Db, failJob, insertJob } from "@video-to-json/database";
import { answerJob } from "../../extract/held-call.harness.ts";

/** Makes a job of an account that has ended. Returns its id. */
export async function endedJob(
  db: Db,
  accountId: string,
  { keyId = null, fails }: { keyId?: string | null; fails?: boolean } = {},
) {
  const id = randomUUID();
  await db.transaction((tx) =>
    insertJob(tx, {
      id,
      accountId,
      keyId,
      schemaText: '{ "b": 0.0, "2": "string" }',
      instructions: "look closely",
      videoUrl: null,
      hasUpload: true,
      requestHash: id,
      deadlineSeconds: 480,
    }),
  );
  if (fails) {
    const error: ErrorInside = { code: "extraction_failed", message: "m", details: ["/b: is missing"] };
    await db.transaction((tx) => failJob(tx, { id, error }));
  } else await answerJob(db, { id, accountId }, '{ "b": 1.0, "2": "x" }');
  return id;
}
