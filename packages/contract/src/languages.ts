/**
 * The languages whose words for dates, times and large numbers the service takes from ICU. Croatian is not among them, because its
 * October is November in Polish.
 */
export const languages =
  "en de fr es it pt nl ru pl uk tr sv da nb fi ja zh ko ar he hi id vi cs hu ro el bg ca sk sl sr lt lv et fa ms th".split(
    " ",
  );

/** Matches a character of a script that puts no spaces between words. Part of a regular expression with the flag `u`. */
export const unspaced = "[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]";
