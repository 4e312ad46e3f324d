import type { Tool, WorkspaceFiles } from '@longhaul/core';
import { displayPath, plural } from '@longhaul/core/tool-output';
import { WRITE_DIALECT } from './dialect/file-dialects.ts';
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
    aliases: WRITE_DIALECT.names,
    runsAlone: true,
    schema: {
      name: 'write',
      description: 'Create or overwrite a file and its folders. To change a part, use edit.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
    },
    parse: (value) =>
      parseInput(value, WRITE_DIALECT, (fields) => ({
        path: fields.text('path'),
        content: fields.text('content'),
      })),
    execute: ({ path, content }, { sandbox: { toolFiles: files }, signal }) =>
      reportRefusals(async () => {
        const relative = await files.resolve(path);
        const name = displayPath(relative);
        if ((await files.stat(relative))?.kind === 'directory') {
          return failedResult(`${name} is a folder: give the path of a file.`);
        }
        signal.throwIfAborted();
        const before = await readText(files, relative);
        const form = await formOf(files, relative);
        const text = inForm(content, form);
        const { created } = await files.write(relative, text);
        const change = created || before === undefined ? {} : await describeChange(before, text);
        const bytes = Buffer.byteLength(text);
        const kept = keptRemark(content, form);
        const size = `${plural(countLines(content), 'line')}, ${plural(bytes, 'byte')}`;
        return textResult(`${created ? 'Created' : 'Overwrote'} ${name} (${size}).${kept}`, {
          title: `${name} (${created ? 'new' : 'overwritten'}, ${plural(countLines(content), 'line')})`,
          metadata: { path: relative, created, bytes, ...change },
        });
      }),
  };
}

/** What an overwritten text file keeps, because its readers may depend on it. */
interface TextForm {
  hasMark: boolean;
  /** Every line end in its beginning is CRLF. */
  isCrlf: boolean;
}

const FORM_BYTES = 64 * 1024;

async function formOf(files: WorkspaceFiles, path: string): Promise<TextForm> {
  if ((await files.stat(path))?.kind !== 'file') return { hasMark: false, isCrlf: false };
  const text = Buffer.from(await files.read(path, { start: 0, length: FORM_BYTES })).toString();
  const ends = text.split('\n').length - 1;
  return { hasMark: text.startsWith(MARK), isCrlf: ends > 0 && text.split('\r\n').length - 1 === ends };
}

const MARK = '\ufeff';

/** A model writes line feeds and no mark. Text that has either kind of its own is written as it is. */
function inForm(content: string, { hasMark, isCrlf }: TextForm): string {
  const text = isCrlf && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
  return hasMark && !text.startsWith(MARK) ? MARK + text : text;
}

function keptRemark(content: string, form: TextForm): string {
  const marked = inForm(content, { ...form, isCrlf: false }) !== content ? ['byte order mark'] : [];
  const ended = inForm(content, { ...form, hasMark: false }) !== content ? ['CRLF line ends'] : [];
  const kept = [...marked, ...ended];
  if (kept.length === 0) return '';
  return ` Its ${kept.join(' and ')} ${ended.length > 0 ? 'were' : 'was'} kept.`;
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
