import { deleteAccountRoute, minuteMailsRoute, retentionRoute, setMinuteMailsRoute } from "./account.ts";
import { checkSchemaRoute } from "./check-schema.ts";
import { connectHostRoute, hostRequestRoute } from "./connect.ts";
import { playgroundRoute, runRoute } from "./extract.ts";
import { deleteJobRoute, jobEvidenceRoute, jobRoute } from "./job.ts";
import { jobsRoute } from "./jobs.ts";
import { changeKeyRoute, createKeyRoute, keysRoute, refusalsRoute, revokeKeyRoute, rotateKeyRoute } from "./keys.ts";
import { ledgerCsvRoute, ledgerRoute } from "./ledger.ts";
import { overviewRoute } from "./overview.ts";
import { addPasskeyRoute, passkeyOptionsRoute, passkeysRoute, removePasskeyRoute } from "./passkeys.ts";
import { deleteSchemaRoute, saveSchemaRoute, schemaRoute, schemasRoute } from "./schemas.ts";
import { endSessionRoute, sessionRoute, sessionsRoute } from "./sessions.ts";
import {
  passkeyChallengeRoute,
  passkeySignInRoute,
  revokeSessionsRoute,
  sendCodeRoute,
  signInRoute,
  signInSettingsRoute,
  signOutRoute,
} from "./sign-in.ts";
import { statusRoute } from "./status.ts";
import { usageRoute } from "./usage.ts";

/** The JSON routes of the dashboard, in the order of docs/decisions/0011. */
export const dashboardRoutes = [
  signInSettingsRoute,
  sendCodeRoute,
  signInRoute,
  passkeyChallengeRoute,
  passkeySignInRoute,
  statusRoute,
  signOutRoute,
  revokeSessionsRoute,
  sessionRoute,
  sessionsRoute,
  endSessionRoute,
  passkeysRoute,
  passkeyOptionsRoute,
  addPasskeyRoute,
  removePasskeyRoute,
  overviewRoute,
  keysRoute,
  createKeyRoute,
  changeKeyRoute,
  rotateKeyRoute,
  revokeKeyRoute,
  hostRequestRoute,
  connectHostRoute,
  ledgerRoute,
  ledgerCsvRoute,
  usageRoute,
  jobsRoute,
  jobRoute,
  jobEvidenceRoute,
  deleteJobRoute,
  refusalsRoute,
  schemasRoute,
  saveSchemaRoute,
  schemaRoute,
  deleteSchemaRoute,
  retentionRoute,
  minuteMailsRoute,
  setMinuteMailsRoute,
  deleteAccountRoute,
  playgroundRoute,
  runRoute,
  checkSchemaRoute,
] as const;
