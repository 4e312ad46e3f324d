import type { ChatMessage } from '@longhaul/protocol';

/**
 * Removes the engine's references to the tool `recall` and its handles, because a gateway's models do not have that
 * tool. Must only be called with messages that the engine has written or changed, never with a received one.
 */
export function withoutRecall(message: ChatMessage): ChatMessage {
  const { content, tool_calls } = message;
  return {
    ...message,
    ...(content === undefined ? {} : { content: cleanContent(content) }),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map(cleanCall) }),
  };
}

function cleanContent(content: ChatMessage['content']): ChatMessage['content'] {
  if (typeof content === 'string') return textWithoutRecall(content);
  return content?.map((part) => ('text' in part ? { ...part, text: textWithoutRecall(part.text) } : part));
}

function cleanCall(call: NonNullable<ChatMessage['tool_calls']>[number]) {
  const { function: called } = call;
  return { ...call, function: { ...called, arguments: textWithoutRecall(called.arguments) } };
}

/** The engine's phrases and their replacements. They must match the texts in `@longhaul/context`. */
const PHRASES: readonly (readonly [RegExp, string | ((match: string) => string)])[] = [
  [/; read it with recall, handle m[\d.]+ …\]/g, ' …]'],
  [/; recall handle m[\d.]+, (\d+ lines\])/g, ', $1'],
  [/\((and \d+ more); recall finds them\)/g, '($1)'],
  [/\(Instructions left out: [^\n]*\)$/gm, instructionsLeftOut],
  [/: read the file, or use `recall` with a handle such as m12, before/g, ': check it there before'],
  [/ are computed from them, and recall reads them\./g, ' are computed from them.'],
  [/ left out; handle m[\d.]+\]/g, ' left out]'],
  [/\n*### Cut outputs \(read with recall\)\n(?:- m[^\n]*\n?|\(and [^\n]*\n?)*/g, '\n\n'],
];

/** `(Instructions left out: 3 (m1, m4), 2 short or repeated (m7–m9). recall …)` without handles. */
function instructionsLeftOut(note: string): string {
  return note.replace(/ \(m[^)]*\)/g, '').replace(/ recall reads them by handle\./, '');
}

/** The same for a text of the engine. */
export function textWithoutRecall(text: string): string {
  return PHRASES.reduce(
    (cleaned, [pattern, value]) =>
      typeof value === 'string' ? cleaned.replace(pattern, value) : cleaned.replace(pattern, value),
    text,
  ).trimEnd();
}
