import type { TSchema } from "typebox";

const shapeName = Symbol("name of a shape");

/** Sets the name of a shape under `components.schemas` of the interface description. Returns the shape. */
export function named<Shape extends TSchema>(name: string, shape: Shape): Shape {
  return Object.defineProperty(shape, shapeName, { value: name });
}

/** Returns the name of a shape, or undefined for anything without one. */
export function nameOf(value: object): string | undefined {
  return (value as { [shapeName]?: string })[shapeName];
}
