/** Whether a string type is a literal, not `string` or a template pattern. */
export type IsLiteral<T extends string> = Record<never, never> extends Record<T, 1> ? false : true;

/** Whether a type is `any`. */
export type IsAny<T> = 0 extends 1 & T ? true : false;

/** An intersection of object types as one object type. */
export type Flat<T> = { [K in keyof T]: T[K] };

/** The values that `JSON.stringify` omits from an object. */
export type LeftOut = undefined | symbol | ((...args: never) => unknown);
