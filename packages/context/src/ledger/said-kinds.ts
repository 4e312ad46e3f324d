/** Whether a sentence says what comes next: `Let me run the tests.`, `Now update a.md.`, `It is slow, so I add an index.` */
export function isIntent(sentence: string): boolean {
  return INTENT.test(sentence) || NOW.test(sentence);
}

/**
 * Whether a sentence says that something is done or found: `Added the index.`, `All 40 tests pass.`, `The root cause is
 * the cache.` It is no plan, question, order or remark about work that goes on.
 */
export function isResultSentence(sentence: string): boolean {
  return (
    /^(?![a-z]+ )/.test(sentence) && RESULT.test(sentence) && !OPEN.test(sentence) && !isIntent(sentence)
  );
}

const LEAD = '(?:(?:now|next|first|then|and|but|so|ok|okay|good|great|perfect|wait|actually)\\b[,!.:]? )*';
const INTENT = new RegExp(
  `^${LEAD}(?:let me(?! know)|let['’]s|let us|i['’]ll|i will|i(?:['’]m| am) (?:now )?\\w+ing|i need to|i should)\\b` +
    '|^(?:next|remaining)\\b[^.]*:|, so i (?!have\\b|did\\b|built\\b|wrote\\b|found\\b|\\w+ed\\b)',
  'i',
);
/** `Now update a.md.`, but not `Now clients can read it.` */
const NOW = /^(?:Now|Next|Then),? (?!the\b|that\b|this\b|it\b|all\b|we\b|there\b)[a-z]+(?<![^s]s) /;

const PAST = '(?:\\w{2,}[^e\\W]ed|built|wrote|rewrote|written|found|done)\\b';
const RESULT = new RegExp(
  [
    // `Added the index.`, `All 4 files created and committed.`, `Found the root cause.`
    `^(?:(?:now|all|both|done[.!:—–-]*|\\d+|(?!this|was|has|its|does|always)[\\w./-]{3,}s) )*${PAST}(?! by| on| to\\b)`,
    `\\b(?:i|we|has|have)(?:['’]ve| have)? (?:(?:now|been|just|also|already|successfully) )*${PAST}`,
    `\\b(?:is|are) (?:(?:now|all|also|both|already) )*(?:done|complete|green|clean|in place|gone|stored|up to date|closed)\\b`,
    `\\b(?:tests?|checks?|suite|build|lint)\\b.{0,60}\\b(?:pass|passes|passed|green|clean)\\b`,
    `\\b(?:[1-9]\\d* passed|compiles|successfully|(?:is|are) now|root cause|the (?:bug|problem|issue|cause|reason) (?:is|was))\\b`,
  ].join('|'),
  'i',
);

/** Negated, in the future, in progress, or a question. */
const OPEN =
  /(?:n['’]t|\bnot|\bnever|\bnothing|\bno) (?:\w+ ){0,3}(?:done|\w+ed|complete|found|pass|passes|green|clean|built)\b|\b(?:will|would|could|should|might|may|if|once|until|when|whether|still|after that|instead|maybe|perhaps|seems?|think|probably|tried|wanted|needed|asked|realized|allowed|nested|corrupted|going to|needs? to)\b|['’]ll\b|\?$|:$/i;
