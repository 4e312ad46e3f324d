import type { JsonObject } from '@longhaul/protocol';

const OUTPUT_FENCE = /^```text\s*$/;
const SUMMARY = /<summary>Tool use: \*\*[^*]*\*\*\s*•?\s*(.*?)<\/summary>/;

/** Reads the body of a call as SpecStory shows it: a description, code, and the output in a fence named `text`. */
export function readToolUse(lines: readonly string[]): { input: JsonObject; output: string | undefined } {
  const text = lines
    .join('\n')
    .replace(SUMMARY, '$1')
    .replace(/<\/?(?:details|summary)>/g, '')
    .trim()
    .split('\n');
  const start = text.findIndex((line) => OUTPUT_FENCE.test(line));
  if (start === -1) return { input: inputOf(text), output: undefined };
  const isClosed = /^```\s*$/.test(text.at(-1) ?? '') && text.length - 1 > start;
  const output = text.slice(start + 1, isClosed ? -1 : undefined).join('\n');
  return { input: inputOf(text.slice(0, start)), output };
}

/** What is in backticks is the command or the path, what is in a fence is the content, and the rest describes it. */
function inputOf(lines: readonly string[]): JsonObject {
  const text = lines.join('\n').trim();
  const fence = /(?:^|\n)```[^\n]*\n([\s\S]*)\n```\s*$/.exec(text);
  const rest = fence === null ? text : text.slice(0, fence.index);
  const code = /(?:^|\n)\s*`([^`][\s\S]*)`\s*$/.exec(rest);
  const description = (code === null ? rest : rest.slice(0, code.index)).trim().replace(/^•\s*/, '');
  return {
    ...(description === '' ? {} : { description }),
    ...(code?.[1] === undefined ? {} : { argument: code[1] }),
    ...(fence?.[1] === undefined ? {} : { content: fence[1] }),
  };
}
