import { argumentText } from '@longhaul/context/engine';
import type { JsonValue } from '@longhaul/protocol';

const CANDIDATE = /[A-Za-z_][\w-]*(?:[./:][\w-]+)+|[A-Za-z_]\w{5,}|\b[0-9a-f]{7,40}\b|\b\d{4,}\b/g;
const MIN_FACT_CHARS = 6;
const EXACT = /[/.:_\d]|[a-z][A-Z]/;

/**
 * Returns the facts of a text, each once, in order of appearance. A fact is an identifier of at least six characters
 * that contains one of `/ . : _`, a digit, or a change from lower to upper case. Plain words are not facts.
 */
export function factsIn(text: string): Set<string> {
  const facts = new Set<string>();
  for (const [candidate] of text.matchAll(CANDIDATE)) if (isFact(candidate)) facts.add(candidate);
  return facts;
}

function isFact(candidate: string): boolean {
  return candidate.length >= MIN_FACT_CHARS && EXACT.test(candidate);
}

/**
 * Splits a path of at least two components into its folder and its last component. Returns undefined for any other
 * fact.
 */
export function splitPath(fact: string): { folder: string; name: string } | undefined {
  const slash = fact.lastIndexOf('/');
  return slash === -1 ? undefined : { folder: fact.slice(0, slash), name: fact.slice(slash + 1) };
}

const PATH_KEYS = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file', 'notebook_path'];
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+)?$/;

/**
 * Returns the file that a tool call is about: its path argument, or else the first path with an extension in its
 * arguments, or else the first path. Returns undefined if the arguments contain no path.
 */
export function fileOfCall(input: JsonValue): string | undefined {
  const named = pathArgument(input);
  if (named !== undefined) return named;
  const paths = [...argumentText(input).matchAll(CANDIDATE)].map(([found]) => found);
  const file = paths.find((found) => EXTENSION.test(found) && /^[^:]*$/.test(found) && isFileName(found));
  return file ?? paths.find((found) => found.includes('/') && !found.includes('://'));
}

/**
 * Returns a file without the workspace at its beginning, so that one file has one name. A view names it if it contains
 * this name, also as the end of an absolute path.
 */
export function fileInWorkspace(file: string, workspace: string | undefined): string {
  const folders = workspace === undefined ? ['workspace'] : [withoutOuterSlashes(workspace), 'workspace'];
  const folder = folders.find((each) => each !== '' && file.startsWith(`${each}/`));
  return folder === undefined ? file : file.slice(folder.length + 1);
}

function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

function pathArgument(input: JsonValue): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(input));
  for (const key of PATH_KEYS) {
    const value = values.get(key);
    if (typeof value === 'string' && value !== '') return withoutLeadingSlash(value);
  }
  return undefined;
}

function withoutLeadingSlash(path: string): string {
  return path.replace(/^[./~]*\/+/, '') || path;
}

/** Whether a name is likely a file. `a/b.ts` and `b.py` are files; `self.items` and `os.path` are mostly not. */
function isFileName(found: string): boolean {
  return (
    found.includes('/') ||
    /\.(?:[cm]?[jt]sx?|py|md|json|ya?ml|toml|cfg|txt|sh|html|css|rs|go|c|h|java|rb)$/.test(found)
  );
}
