/** The fields in which compatible servers take the reasoning of earlier answers. */
const FIELD = String.raw`[\`'"]?\breasoning(?:_content|_details)?\b[\`'"]?`;

/** Reasoning of earlier answers is missing: DeepSeek, Moonshot, and proxies in front of them. */
const REQUIRED = new RegExp(
  [
    `${FIELD}[^.]{0,60}(?:must be (?:passed|sent|provided|included|returned|preserved|present)|(?:is|was|are) (?:missing|required)|field required)`,
    `(?:missing|lacks|must (?:include|contain|have|provide)|requires?)[^.]{0,40}${FIELD}`,
  ].join('|'),
  'i',
);

/** The server does not know the field: Groq, Mistral, servers with a strict schema. */
const REFUSED = new RegExp(
  [
    `${FIELD}[^.]{0,60}(?:(?:is|are) (?:unsupported|not (?:supported|allowed|permitted|accepted)|unknown|unrecognized|unexpected|invalid)|extra (?:inputs|fields))`,
    `(?:unsupported|unknown|unrecognized|unexpected|extra|additional|invalid)[^.]{0,40}${FIELD}`,
  ].join('|'),
  'i',
);

/** Returns what a refusal says about the reasoning of earlier answers, or undefined if it says nothing about it. */
export function readReasoningRefusal(text: string): 'required' | 'refused' | undefined {
  if (REFUSED.test(text)) return 'refused';
  return REQUIRED.test(text) ? 'required' : undefined;
}
