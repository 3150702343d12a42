/** What an Idempotency-Key looks like: 1 to 255 printable ASCII characters (docs/decisions/0001, "Idempotency"). */
export const idempotencyKeyPattern = /^[ -~]{1,255}$/;
