import { sanitizeText } from '@longhaul/core/tool-output';
import type { ServerTool } from '../tools/server-tool.ts';
import { FIND_TOOLS } from './find-tools.ts';
import { USE_TOOL } from './use-tool.ts';

const HEADING = `# Tools of servers

Your list of tools does not have these tools. Get the parameters of a tool with ${FIND_TOOLS} before you call it with ${USE_TOOL}.`;

const LINE_CHARS = 80;

/** Lists tools for the system text: with a line each if that fits, else with as many names as fit. */
export function toolList(
  tools: readonly ServerTool[],
  { maxTokens, countTokens }: { maxTokens: number; countTokens: (text: string) => number },
): string {
  const servers = Map.groupBy(tools, ({ source }) => source);
  const fits = (text: string) => countTokens(text) <= maxTokens;
  const described = withHeading(
    tools.map(({ name, schema }) => `- ${name}: ${firstLine(schema.description)}`),
  );
  if (fits(described)) return described;
  const named = (each: number) =>
    withHeading([...servers].map(([server, own]) => namesLine(server, own, each)));
  return named(
    largest((each) => fits(named(each)), Math.max(...[...servers.values()].map((own) => own.length))),
  );
}

function withHeading(lines: readonly string[]): string {
  return `${HEADING}\n\n${lines.join('\n')}`;
}

function firstLine(description: string): string {
  const text = sanitizeText(description).replaceAll(/\s+/g, ' ');
  const sentence = /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
  return sentence.length <= LINE_CHARS ? sentence.replace(/\.$/, '') : `${sentence.slice(0, LINE_CHARS)}…`;
}

function namesLine(server: string, tools: readonly ServerTool[], shown: number): string {
  const names = tools.slice(0, shown).map(({ name }) => name);
  const more = tools.length - names.length;
  if (names.length === 0) return `- ${server}: ${more} tools`;
  return `- ${server}: ${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Returns the largest number up to `most` that fits, or 0. */
function largest(fits: (number: number) => boolean, most: number): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
