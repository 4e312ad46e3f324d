/** How full the window is, in percent of what can be used. Undefined if the size of the window is not known. */
export function fillPercent(tokens: number, usableTokens: number | undefined): number | undefined {
  if (usableTokens === undefined || usableTokens <= 0) return undefined;
  return Math.round((100 * tokens) / usableTokens);
}
