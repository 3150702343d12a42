export { type AccountState, readAccountState } from "./account-state.ts";
export { available, balance } from "./balance.ts";
export { cancel } from "./cancel.ts";
export { failAndRelease } from "./fail-and-release.ts";
export { failUnconfirmed } from "./fail-unconfirmed.ts";
export { grant } from "./grant.ts";
export { hold } from "./hold.ts";
export { openAccount } from "./open-account.ts";
export { settle } from "./settle.ts";
