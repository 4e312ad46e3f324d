import type { NamedContent } from '@longhaul/core';
import { sanitizeText } from '@longhaul/core/tool-output';
import { findMentions, type Mention, type ToolOutputContent, toLonghaulError } from '@longhaul/protocol';
import type { ServerConnection } from '../connection/server-connection.ts';
import { readResource } from '../tools/read-resource.ts';
import { limitMedia } from '../tools/tool-content.ts';
import { getPrompt } from './get-prompt.ts';

const MAX_RESOURCES = 20;
/** As for a file that is attached. */
const MAX_TEXT_CHARS = 100_000;

/** `/SERVER:prompt words`. */
const PROMPT = /^\s*\/([\w.-]+):(\S+)(?:\s+([\s\S]*))?$/;
const PUNCTUATION = /[.,;:!?)\]}]+$/;

/**
 * Reads what a text names: `@SERVER:uri` is a resource, and a text that begins with `/SERVER:prompt` is a prompt. Names of
 * other servers are text. What cannot be read is a warning, and a line for the model.
 */
export async function readNamed(
  text: string,
  connections: readonly ServerConnection[],
  signal: AbortSignal,
): Promise<NamedContent | undefined> {
  const find = (name: string | undefined) => connections.find((each) => each.name === name);
  const named: Named[] = [];
  const [, server, name = '', words = ''] = PROMPT.exec(text) ?? [];
  const ofPrompt = find(server);
  if (ofPrompt !== undefined) {
    const read = () => getPrompt(ofPrompt, { name, words }, { signal });
    named.push({ title: `Prompt ${ofPrompt.name}:${name}`, reads: [read] });
  }
  const resources = new Map<string, Named>();
  for (const mention of findMentions(text)) {
    const connection = find(/^([\w.-]+):./.exec(mention.written)?.[1]);
    if (connection === undefined) continue;
    const uris = urisIn(mention, connection.name);
    const reads = uris.map((uri) => () => readResource(connection, uri, { signal }));
    resources.set(`${connection.name}:${uris[0]}`, {
      title: `Resource ${connection.name}:${uris[0]}`,
      reads,
    });
  }
  named.push(...[...resources.values()].slice(0, MAX_RESOURCES));
  if (named.length === 0) return undefined;
  const contents = await Promise.all(named.map((each) => readOne(each, signal)));
  const left = resources.size - MAX_RESOURCES;
  return {
    content: limitMedia(contents.flatMap(({ content }) => content)),
    warnings: [
      ...contents.flatMap(({ warnings }) => warnings),
      ...(left > 0 ? [`Only the first ${MAX_RESOURCES} resources of the message are attached.`] : []),
    ],
  };
}

interface Named {
  title: string;
  /** Ways to read it. The first that succeeds counts. */
  reads: (() => Promise<ToolOutputContent[]>)[];
}

/** What follows an address can belong to the sentence. */
function urisIn({ written, isQuoted }: Mention, server: string): string[] {
  const uri = written.slice(server.length + 1);
  const without = uri.replace(PUNCTUATION, '');
  return isQuoted || without === uri || without === '' ? [uri] : [without, uri];
}

async function readOne({ title, reads }: Named, signal: AbortSignal): Promise<NamedContent> {
  let failure: unknown;
  for (const read of reads) {
    try {
      const content = (await read()).map(fitted);
      return { content: [{ type: 'text', text: `${title}:` }, ...content], warnings: [] };
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  const warning = `${title} could not be read: ${toLonghaulError(failure).message}`;
  return { content: [{ type: 'text', text: `[${warning}]` }], warnings: [warning] };
}

function fitted(part: ToolOutputContent): ToolOutputContent {
  if (part.type !== 'text') return part;
  const text = sanitizeText(part.text);
  if (text.length <= MAX_TEXT_CHARS) return { type: 'text', text };
  const more = text.length - MAX_TEXT_CHARS;
  return { type: 'text', text: `${text.slice(0, MAX_TEXT_CHARS)}\n[${more} more characters are left out]` };
}
