/** The size of the decoded frames, and their number per second. */
export const frameSize = { width: 128, height: 72, perSecond: 25 };
