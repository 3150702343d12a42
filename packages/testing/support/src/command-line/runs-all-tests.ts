/** Whether the slowest tests run too: `./scripts/test --all`. */
export const runsAllTests = process.env.VIDEO_TO_JSON_TEST_ALL === "1";
