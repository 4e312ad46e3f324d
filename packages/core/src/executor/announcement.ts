/** Verbs of steps that an agent takes with its tools. `Let me know` and `I'll wait` announce nothing. */
const VERBS = `add|address|adjust|analy[sz]e|apply|begin|build|change|check|clean|commit|compare|compile|complete|configure|confirm|continue|convert|correct|create|debug|define|delete|dig|do|double-check|edit|enable|ensure|examine|execute|explore|extend|extract|fetch|figure|find|finish|fix|generate|get|grep|handle|implement|improve|inspect|install|investigate|lint|list|load|locate|look|measure|merge|migrate|modify|move|open|patch|port|prepare|proceed|read|rebuild|refactor|remove|rename|replace|reproduce|rerun|re-run|resolve|restart|revert|review|revise|rewrite|run|search|see|set|simplify|split|start|switch|tackle|take a look|test|trace|track|try|tweak|update|use|validate|verify|view|wire|work|write`;

const GERUNDS =
  'adding|applying|building|changing|checking|cleaning|compiling|creating|debugging|editing|fixing|implementing|installing|investigating|looking|reading|refactoring|removing|rerunning|re-running|rewriting|running|searching|starting|testing|updating|verifying|writing';

const ADVERBS =
  '(?:(?:now|next|then|also|just|first|quickly|briefly|finally|go ahead and|go on to|try to|start by \\w+ing and|proceed to) )*';

/** Where a clause begins: at the start of the sentence, or after a comma or a word that joins. */
const CLAUSE = '(?:^|[,;:–—-] ?|\\b(?:and|so|then|now|next|but|also) )';

const ANNOUNCEMENTS: readonly RegExp[] = [
  // "Let me now run the tests", "Next, I'll check", "Now I will update", "I'm going to fix"
  new RegExp(
    `${CLAUSE}(?:let me|let us|let's|i'll|i will|i shall|i'm going to|i am going to|i'm about to|i am about to|we'll|we will|we're going to) ${ADVERBS}(?:start by |begin by |continue by )?(?:${VERBS}|${GERUNDS})\\b`,
  ),
  // "Now I need to update the imports", "I still have to run the tests"
  new RegExp(
    `${CLAUSE}(?:now |next |then )?i (?:now |still |also )?(?:need|have) to ${ADVERBS}(?:${VERBS})\\b`,
  ),
  // "I'm now running the tests", "I am checking the log"
  new RegExp(`${CLAUSE}(?:i'm|i am) (?:now |currently )?(?:${GERUNDS})\\b`),
  // "Running the tests now", "Now updating the docs", "Proceeding to the next file"
  new RegExp(`^(?:${GERUNDS})\\b.* now$`),
  new RegExp(`^(?:now|next)[,:]? (?:${GERUNDS})\\b`),
  /^(?:now )?(?:proceeding (?:to|with)|moving on to|continuing with)\b/,
];

/** A sentence with one of these leaves the step to somebody else, to a condition, or to another time. */
const OTHERS =
  /\b(?:if|unless|until|once|whenever|as soon as|when) (?:you|needed|necessary|required|requested|desired|approved|it|they|this|that|the|we|ci|someone|anything|something)\b|^(?:if|unless|once|when|whenever|should|until|after you)\b|\b(?:you|your|please|next time|later|tomorrow|from now on|in (?:the|a) future|would|not)\b/;

/** "Let me check if the tests pass": the condition is what is checked. */
const CHECKED = /\b(?:check|verify|see|confirm|test|look|find out|figure out)(?:ing)?(?: \w+)? if\b/g;

/**
 * Whether an answer ends with the announcement of a step that it does not contain, such as "Let me now run the tests.".
 *
 * Only the last sentence counts. It must say in the first person what its author does next, with a verb of an agent's
 * work. A question, a list item, a quotation and code announce nothing.
 */
export function announcesStep(answer: string): boolean {
  const sentence = lastSentence(answer);
  if (sentence === undefined || sentence.endsWith('?')) return false;
  const plain = sentence.replace(/[.!:…\s]+$/, '');
  if (OTHERS.test(plain.replace(CHECKED, ''))) return false;
  return ANNOUNCEMENTS.some((pattern) => pattern.test(plain));
}

/** Whether an answer consists of questions only. */
export function asksOnly(answer: string): boolean {
  const sentences = sentencesOf(answer.trim());
  return sentences.length > 0 && sentences.every((sentence) => sentence.endsWith('?'));
}

/** Returns the last sentence in lower case, without marks of Markdown. Undefined if the answer ends with no prose. */
function lastSentence(answer: string): string | undefined {
  // A block that is still open counts to the end.
  const prose = answer.trim().replace(/^(`{3,}|~{3,})[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))/gm, '\n> code');
  const line =
    prose
      .split('\n')
      .findLast((each) => each.trim() !== '')
      ?.trim() ?? '';
  if (/^(?:[-*+•>|#]|\d+[.)]) ?/.test(line) && !/^\*\*/.test(line)) return undefined;
  const plain = line
    .replace(/`[^`]*`/g, 'code')
    .replace(/["“][^"”]*["”]/g, 'text')
    .replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '')
    .replace(/\p{Extended_Pictographic}\uFE0F?/gu, '')
    .replaceAll('’', "'")
    .toLowerCase();
  return sentencesOf(plain).at(-1);
}

/** A point inside a name, such as `app.ts`, ends no sentence. */
function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?…:])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
}
