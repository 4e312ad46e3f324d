import type { ViewMessage } from '@longhaul/context/engine';
import type { NextRequest } from '@longhaul/core';
import { plural } from './format.ts';

type Part = ViewMessage['content'][number];

/** Returns a request as the model reads it, as plain text. A heading names the role and the source of each message. */
export function requestText({ system, tools, messages }: NextRequest): string {
  const names = tools.map(({ name }) => name).join(', ');
  const blocks = [
    `=== system\n${system}`,
    `=== ${plural(tools.length, 'tool')} (--json has their schemas)\n${names}`,
    ...messages.map(({ message, handle }) => {
      const source = handle ?? 'not in the log: a summary, or a note after it';
      return `=== ${message.role} (${source})\n${message.content.map(partText).join('\n\n')}`;
    }),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function partText(part: Part): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'reasoning') return `--- reasoning\n${part.text}`;
  if (part.type !== 'tool') return `--- ${part.type}, ${part.mediaType}`;
  const output = part.output.map((each) => (each.type === 'text' ? each.text : `[${each.mediaType}]`));
  return `--- call ${part.name} ${JSON.stringify(part.input)}\n--- result\n${output.join('\n')}`;
}
