import type { Tool, WorkspaceFiles } from '@longhaul/core';
import { displayPath, plural } from '@longhaul/core/tool-output';
import { describeChange } from './file-patch.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

export interface WriteInput {
  path: string;
  content: string;
}

export function createWriteTool(): Tool<WriteInput> {
  return {
    name: 'write',
    runsAlone: true,
    schema: {
      name: 'write',
      description: 'Create or overwrite a whole file. Creates missing folders. To change a part, use edit.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
    },
    parse: (value) =>
      parseInput(value, (fields) => ({ path: fields.text('path'), content: fields.text('content') })),
    execute: ({ path, content }, { sandbox: { files }, signal }) =>
      reportRefusals(async () => {
        const relative = await files.resolve(path);
        const name = displayPath(relative);
        if ((await files.stat(relative))?.kind === 'directory') {
          return failedResult(`${name} is a folder: give the path of a file.`);
        }
        signal.throwIfAborted();
        const before = await readText(files, relative);
        const { created } = await files.write(relative, content);
        const change = created || before === undefined ? {} : await describeChange(before, content);
        const bytes = Buffer.byteLength(content);
        const size = `${plural(countLines(content), 'line')}, ${plural(bytes, 'byte')}`;
        return textResult(`${created ? 'Created' : 'Overwrote'} ${name} (${size}).`, {
          title: `${name} (${created ? 'new' : 'overwritten'}, ${plural(countLines(content), 'line')})`,
          metadata: { path: relative, created, bytes, ...change },
        });
      }),
  };
}

/** Larger files are overwritten without a patch in the metadata. */
const MAX_COMPARED_BYTES = 1024 * 1024;

/** Returns the text that is overwritten. Undefined if there is none, or if it is too large, unreadable or not text. */
async function readText(files: WorkspaceFiles, path: string): Promise<string | undefined> {
  try {
    const info = await files.stat(path);
    if (info?.kind !== 'file' || info.size > MAX_COMPARED_BYTES) return undefined;
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await files.read(path));
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function countLines(content: string): number {
  if (content === '') return 0;
  return content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
}
