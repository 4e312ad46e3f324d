/**
 * What the words before a call say about it. `example`: the call is an example. `content`: it may be the content of a
 * file or an output. `plan`: the model announces what it does next. `plain`: nothing of these.
 */
export type LeadIn = 'example' | 'content' | 'plan' | 'plain';

/** Classifies the last sentence before a call, because only that one can introduce it. */
export function leadInOf(before: string): LeadIn {
  const line = before.replace(TRAILING, '').split('\n').at(-1) ?? '';
  const sentence = line.split(/(?<=[.!?…。！？])\s+/).at(-1) ?? '';
  const plan = planIn(sentence);
  if (EXAMPLE.test(sentence)) return plan === undefined ? 'example' : exampleOf(sentence, plan);
  if (plan !== undefined) return 'plan';
  return CONTENT.some((pattern) => pattern.test(sentence)) ? 'content' : 'plain';
}

/** Blanks and special tokens at the end of the words. */
const TRAILING = /(?:\s|<\|\w+\|>)+$/;

/**
 * In "For example, I call:", the plan is part of an example. In "I'll run an example:", the example is part of a plan.
 */
function exampleOf(sentence: string, plan: number): LeadIn {
  return sentence.search(EXAMPLE) < plan ? 'content' : 'plan';
}

const FIRST_PERSON = String.raw`(?:let me|let us|let['’]s|\b(?:I|we)(?:['’](?:m|re|ll))?\b)`;
/** Verbs after which the words present something, and what the model has already done or would do. */
const PRESENTING =
  /^(?:['’](?:d|ve)\b|\s+(?:(?:now|also|already)\s+)?(?:would|could|have|had)\b(?! to\b))|^\s*(?:(?:['’]ll|will|can|now|also|then|just)\s+)*(?:(?!need|feed|proceed|embed|speed|seed)\w+ed\b|ran\b|read the following|document\w*|show\w*|demonstrat\w*|illustrat\w*|present\w*|quot\w*|past(?:e|ed|ing)|display\w*|describ\w*|explain\w*|g[ai]ve|wrote|written|saw|see|got|found|received|put|added|created|made|sent|used|was|were|had)\b/i;
/** A sentence without a subject that begins with what the model is doing: "Reading a.ts:". */
const ACTIVITY =
  /^\W*(?:now |next,? |first,? |then,? )?(?!(?:no|some|any|every)thing|following|string|during|according|showing|demonstrating|containing|printing|output|logging|string)\w+ing\b/i;

/** Returns the place in a sentence where the model announces what it does. A later subject can present something. */
function planIn(sentence: string): number | undefined {
  if (OTHER_SUBJECT.test(sentence)) return undefined;
  for (const found of sentence.matchAll(new RegExp(FIRST_PERSON, 'gi'))) {
    if (!PRESENTING.test(sentence.slice(found.index + found[0].length))) return found.index;
  }
  return ACTIVITY.test(sentence) ? 0 : undefined;
}

const HOLDING =
  'contains?|contained|includes?|included|holds?|has|have|had|says?|said|reads?|shows?|showed|shown|prints?|printed|outputs|logs|logged|emits?|emitted|writes?|wrote|returns?|returned|responds?|responded|answers?|answered|replies|replied|receives?|received|produces?|produced|expects?|expected|displays?|displayed|echoes|echoed|generates?|generated|sends?|sent|looks? like|becomes?|gives?|gave|enthält|zeigt|contient|affiche|contiene|muestra';
/** Words that present something, after a plan: "I ran it, and it printed:", "Testing shows that the model emits:". */
const OTHER_SUBJECT = new RegExp(
  String.raw`(?<!\b(?:what|whether|if|how|where|why)\s+)\b(?:it|which|that|this|they|(?:the|a|an) [\w./-]+)\s+(?:now |then |also |only )?(?:${HOLDING})\b(?!\s+(?:that|no)\b)[^!?:]*[:：][*_\s]*$`,
  'i',
);

/** Punctuation and marks of emphasis at the end of an introduction. */
const END = String.raw`\s*[:：,.…]?[*_\s]*$`;
const POINTER = String.raw`(?:\s+(?:this|these|so|that|it|now|then|here|below|as follows|the following|like (?:this|so)))*`;
const EXAMPLE = new RegExp(
  [
    String.raw`\b(?:for example|for instance|e\.g\.|an example|examples? (?:of|call))\b[^.!?]*[:：]?[*_]*$`,
    String.raw`\blooks? like (?:this|so)${END}`,
    String.raw`\b(?:is|are) written\b[^.!?]*[:：]?[*_]*$`,
    String.raw`\b(?:syntax|formats?|form)(?: (?:is|are)|(?: (?:of|for) (?:(?!\b(?:is|are|was|were)\b)[^!?:,])*)(?: (?:is|are)|$|[:：]))${POINTER}${END}`,
    String.raw`\bhas this form${END}`,
    String.raw`^\W*(?:an? |the )?(?:examples?|syntax|format|sample|usage|(?:for )?beispiel|(?:zum )?beispiel|(?:par )?exemple|(?:por )?ejemplo|示例|例子|例如|比如|例)s?(?: \d+)?\W*$`,
  ].join('|'),
  'i',
);

const HOLDERS =
  'contents?|outputs?|results?|logs?|stdout|stderr|trace|transcript|snippet|text|lines?|messages?|body|template|prompt|response|answer|reply|syntax|formats?|form|examples?|input|fixture|payload|inhalt|ausgabe|contenu|sortie|contenido|salida';

/** How a sentence ends that introduces content. */
const CONTENT: readonly RegExp[] = [
  // "The file now contains:", "It prints an error:". A clause with "that" states a fact.
  new RegExp(String.raw`\b(?:${HOLDING})\b(?!\s+(?:that|no)\b)[^!?:]*[:：][*_\s]*$`, 'i'),
  // "The output:", "Content of a.txt:", "The output is:".
  new RegExp(
    String.raw`\b(?:${HOLDERS})(?:\s+(?:of|from|in|for)\s[^!?:,]*?)?(?:\s+(?:is|are|was|were))?${POINTER}\s*[:：][*_\s]*$`,
    'i',
  ),
  // "Expected:", "$ cat a.txt", "I changed it to:", "like so:".
  /^\W*(?:expected|actual|before|after|input|old|new|received)\W*$|^\s*[$#] \S|^\s*cat \S+$/i,
  /\b(?:to|with|like so|as follows|in(?:to)? (?:the|a) file)\s*[:：][*_\s]*$/i,
  /\b(?:I|we)(?:['’](?:d|ve))?\s+(?:(?:now|also|already)\s+)?(?:would|could|have|had|see|\w+ed|ran|wrote)\b[^!?:]*[:：][*_\s]*$/i,
  /\bdocument\w*\b[^!?:]*[:：][*_\s]*$/i,
  /\b(?:found|got|saw|put|added|received|made)\s+(?:this|these)\b[^!?:]*[:：][*_\s]*$/i,
  // "Here is what the file looks like now."
  /\b(?:here(?: is| are|['’]s)|(?:the )?following|below|as follows)\b/i,
  // A heading: "## Output".
  new RegExp(String.raw`^\W*(?:${HOLDERS})\W*$`, 'i'),
  // A file's name: "**src/a.ts**:".
  /^\W*[\w./-]+\.\w{1,8}[`*_]*\s*[:：][*_\s]*$/,
  /(?:内容|输出|结果|如下|文件)(?:是|为)?\s*[:：]?$/,
];
