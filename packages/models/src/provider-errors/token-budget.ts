/** How many tokens a provider accepts in a minute, and how many a request needs. */
const BUDGET =
  /\blimit:? (?<limit>\d[\d,]{0,12}),? (?:used:? \d[\d,]*,? )?requested:? (?<requested>\d[\d,]{0,12})/i;

/**
 * Returns the tokens of input and output that one request may have, if a rate limit can never be met: it needs more in
 * one minute than a minute has (Groq, OpenAI: "Limit 8000, Requested 33094"). Undefined if waiting helps.
 */
export function readTokenBudget(text: string): number | undefined {
  if (!/token/i.test(text)) return undefined;
  const groups = BUDGET.exec(text)?.groups;
  const [limit, requested] = [toCount(groups?.['limit']), toCount(groups?.['requested'])];
  return limit > 0 && requested > limit ? limit : undefined;
}

function toCount(digits: string | undefined): number {
  const count = Number(digits?.replaceAll(',', ''));
  return Number.isSafeInteger(count) ? count : 0;
}
