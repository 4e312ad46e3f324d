/** Whether the next character after the text is in code, in a quotation, or after a quotation mark. */
export function isQuoted(text: string): boolean {
  const lines = text.split('\n');
  const line = lines.at(-1) ?? '';
  const fences = lines.slice(0, -1).filter((before) => /^\s*(?:```|~~~)/.test(before)).length;
  const inFence = fences % 2 === 1 || /^\s*(?:```|~~~)/.test(line);
  const inCode = (line.split('`').length - 1) % 2 === 1;
  return inFence || inCode || /^\s*>/.test(line) || /^(?: {4}|\t)/.test(line) || /["'“„‘«(]$/.test(line);
}
