/** What `public/early.js` has asked for while the code of this page was loading. */
interface EarlyAnswers {
  token: string;
  answers: Map<string, Promise<Response>>;
}

declare global {
  var longhaulEarly: EarlyAnswers | undefined;
}

/**
 * Takes the answer to a request that was sent before the code of the page ran. Each answer is used once, and only with
 * the token that it was asked for with.
 */
export function takeEarlyAnswer(address: string, token: string | undefined): Promise<Response> | undefined {
  const early = globalThis.longhaulEarly;
  if (early === undefined || early.token !== token) return undefined;
  const { pathname, search } = new URL(address, location.origin);
  const answer = early.answers.get(pathname + search);
  early.answers.delete(pathname + search);
  return answer;
}
