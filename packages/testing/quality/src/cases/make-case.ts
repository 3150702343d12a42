import type { Case } from "./case.ts";
import { createDraw } from "./draw.ts";
import { findTruth } from "./find-truth.ts";
import type { Style } from "./styles/style.ts";
import { styles } from "./styles/styles.ts";
import { writeJsonSchema, writeSketch } from "./write-schema.ts";

/** Returns the case of a seed. The same seed always gives the same case. Seeds that follow each other have all styles. */
export function makeCase(seed: number): Case {
  const draw = createDraw(seed);
  const style = styles[seed % styles.length] as Style;
  const isSketch = draw.chance(0.5);
  const { plan, spec } = style.make(draw);
  return {
    id: `${seed}-${style.name}`,
    seed,
    style: style.name,
    needsSpeech: style.needsSpeech,
    plan,
    schema: isSketch ? writeSketch(spec) : writeJsonSchema(spec),
    isSketch,
    truth: findTruth(spec, plan),
  };
}
