import { existsSync } from "node:fs";

const fonts = [
  "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
  "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf",
  "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
  "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
  "/System/Library/Fonts/Supplemental/Arial Bold.ttf",
  "/System/Library/Fonts/Helvetica.ttc",
];

/** Returns the path of a bold font with which ffmpeg can draw text, or undefined if no known one is installed. */
export function findFont(): string | undefined {
  return fonts.find((file) => existsSync(file));
}
