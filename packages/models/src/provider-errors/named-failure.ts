/** Words of a server that is not sending a keep-alive or a report of its own. */
const FAILURE =
  /\b(?:error|exception|traceback|fail(?:s|ed|ure)?|fatal|crash(?:ed)?|refused|denied|forbidden|unauthori[sz]ed|unavailable|overloaded|exceed(?:s|ed)|invalid|rate.?limit(?:ed)?|timed?.?out|abort(?:ed)?|not found|out of memory)\b|error$/i;

/** Whether a text that a server sends in place of an event says that something failed. */
export function namesFailure(text: string): boolean {
  return FAILURE.test(text.slice(0, 1_000));
}
