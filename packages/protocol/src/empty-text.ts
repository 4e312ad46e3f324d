/** Characters without a glyph: blanks, control and format characters, halves of characters, fillers. */
const INVISIBLE = String.raw`[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]`;
const VISIBLE = new RegExp(INVISIBLE.replace('[', '[^'), 'u');

/** Whether a reader would see nothing of the text. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** Tokens of chat templates: `<|im_end|>`, `</s>`, `<end_of_turn>`, with roles, and the thoughts of gpt-oss. */
const TOKENS = [
  String.raw`<\|channel\|>analysis<\|message\|>(?:(?!<\|)[\s\S])*(?:<\|end\|>|$)`,
  String.raw`<\|channel\|>(?:analysis|commentary|final)(?=<\|message\|>)`,
  String.raw`<\|endoftext\|>(?:Human|User|Assistant):`,
  '<0x[0-9A-F]{2}>',
  `<[|｜](?:start_header_id|im_start|start)[|｜]>(?:assistant|user|system|tool|model)?`,
  String.raw`<[|｜][\w▁ .:/-]{1,60}[|｜]>`,
  '</?(?:s|eos|bos|pad|unk|end_of_turn|end_of_utterance|EOT|eot)>',
  '<start_of_turn>(?:model|user)?',
  String.raw`\[/?INST\]|<<?/?SYS>?>`,
];
/** Tags that enclose thoughts, calls and answers in templates, without content. */
const TAGS = [
  '</?(?:(?:seed:|mm:)?think|thinking|thought|reasoning|answer|response|tool_call|tool_calls|tools)>',
  String.raw`\[/?THINK\]|◁/?think▷`,
  String.raw`<br\s*/?>|&nbsp;`,
];
const LEFTOVER = new RegExp(
  [`${INVISIBLE}+`, '[.…]+', String.raw`(?:${'`'}{3,}|~{3,})\w*(?=\s|$)`, ...TOKENS, ...TAGS].join('|'),
  'uy',
);
const RESULT = ['<tool_response>', '</tool_response>'] as const;

/**
 * Whether an answer says nothing: it is blank, or consists of leftovers of a chat template, dots, empty code fences,
 * and results of tools that the model has made up. The only definition of an empty answer.
 */
export function saysNothing(answer: string): boolean {
  for (let at = 0; at < answer.length; ) {
    const end = endOfLeftover(answer, at);
    if (end === undefined) return false;
    at = end;
  }
  return true;
}

function endOfLeftover(text: string, at: number): number | undefined {
  const [open, close] = RESULT;
  if (text.startsWith(open, at)) {
    const end = text.indexOf(close, at);
    return end === -1 ? undefined : end + close.length;
  }
  LEFTOVER.lastIndex = at;
  const found = LEFTOVER.exec(text);
  return found === null ? undefined : at + found[0].length;
}

/** After a sentence or directly after code, where nobody writes about the token. */
const TURN_END =
  /(?:(?<=[`)*])|(?<=[.!?…。！？])\s*)(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|eot)\|>|<｜end▁of▁sentence｜>)\s*$/;

/** Returns an answer without the token of a chat template that ends it. */
export function withoutTurnEnd(answer: string): string {
  return answer.replace(TURN_END, '');
}
