import type { Fault } from "./fault.ts";
import { diskFaults } from "./kinds/disk-faults.ts";
import { lockFaults } from "./kinds/lock-faults.ts";
import { networkFaults } from "./kinds/network-faults.ts";
import { partFaults } from "./kinds/part-faults.ts";
import { postgresFaults } from "./kinds/postgres-faults.ts";
import { providerFaults } from "./kinds/provider-faults.ts";
import { redisFaults } from "./kinds/redis-faults.ts";
import { s3Faults } from "./kinds/s3-faults.ts";

/** All kinds of faults. */
export const allFaults: readonly Fault[] = [
  ...partFaults,
  ...redisFaults,
  ...postgresFaults,
  ...networkFaults,
  ...lockFaults,
  ...diskFaults,
  ...s3Faults,
  ...providerFaults,
];
