/** Whether a type is one text, rather than any text or any of a pattern. */
export type IsLiteral<T extends string> = Record<never, never> extends Record<T, 1> ? false : true;

/** Whether a type is `any`. */
export type IsAny<T> = 0 extends 1 & T ? true : false;

/** A type as one object, without the seams of how it was put together. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** What `JSON.stringify` leaves out of an object. */
export type LeftOut = undefined | symbol | ((...args: never) => unknown);
