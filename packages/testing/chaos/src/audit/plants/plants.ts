import { accountPlants } from "./account-plants.ts";
import { evidencePlants } from "./evidence-plants.ts";
import { jobPlants } from "./job-plants.ts";
import { leftoverPlants } from "./leftover-plants.ts";
import { moneyPlants } from "./money-plants.ts";
import type { Plant } from "./plant.ts";

/** All violations that can be planted. */
export const plants: readonly Plant[] = [
  ...moneyPlants,
  ...jobPlants,
  ...evidencePlants,
  ...accountPlants,
  ...leftoverPlants,
];
