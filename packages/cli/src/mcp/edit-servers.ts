import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkServer,
  loadEditedDocument,
  type McpServerConfig,
  replaceFile,
  userFolder,
} from '@longhaul/config';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import { type Document, isMap, parseDocument } from 'yaml';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the user's own configuration. */
export function userFileOf(user: { env: Environment; home: string }): string {
  return join(userFolder(user), 'longhaul.yml');
}

/**
 * Adds a server to the user's file. Everything else in the file stays as it is, with its comments.
 *
 * @throws {LonghaulError} `config_invalid` if the file or the server is not valid; `usage` if the name is taken.
 */
export async function addServer(
  file: string,
  { name, server, env }: { name: string; server: McpServerConfig; env: Environment },
): Promise<void> {
  const { document, text } = await readDocument(file);
  if (document.hasIn(['mcp', 'servers', name])) {
    throw new LonghaulError(
      'usage',
      `${file} has a server ${name} already. Remove it first: longhaul mcp remove ${name}`,
    );
  }
  const { documentText, setInFile } = await loadEditedDocument();
  setInFile(document, ['mcp', 'servers', name], document.createNode(server));
  await checkServer(name, server, env);
  await replaceFile(file, documentText(document, text));
}

/** @throws {LonghaulError} `not_found` if the user's file does not have the server. */
export async function removeServer(file: string, name: string): Promise<void> {
  const { document, text } = await readDocument(file);
  if (!document.hasIn(['mcp', 'servers', name])) {
    const servers = document.getIn(['mcp', 'servers']);
    const names = isMap(servers) ? servers.items.map(({ key }) => String(key)) : [];
    throw new LonghaulError(
      'not_found',
      `${file} has no server ${JSON.stringify(name)}.${suggestion(name, names)}`,
    );
  }
  document.deleteIn(['mcp', 'servers', name]);
  const { documentText } = await loadEditedDocument();
  await replaceFile(file, documentText(document, text));
}

async function readDocument(file: string): Promise<{ document: Document; text: string }> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new LonghaulError('file_unreadable', `Cannot read ${file} (${error.code}).`, { cause: error });
  });
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new LonghaulError('config_invalid', `${file}: ${error.message}`);
  return { document, text };
}
