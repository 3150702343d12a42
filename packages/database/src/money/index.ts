export { type AccountState, readAccountState } from "./account-state.ts";
export { available, balance, balances, granted, type LedgerEntry, type LedgerPlace, listLedger } from "./balance.ts";
export { cancel, failAndRelease } from "./cancel.ts";
export { type AccountCost, addCost, isFree, listCosts } from "./cost.ts";
export { deleteAccount } from "./delete-account.ts";
export { grant } from "./grant.ts";
export { hold } from "./hold.ts";
export { type GrantCap, openAccount, openFirstAccount, signUp } from "./open-account.ts";
export { settle } from "./settle.ts";
