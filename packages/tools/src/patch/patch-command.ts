import { posix } from 'node:path';

/** A patch that was typed as a command. */
export interface PatchCommand {
  patch: string;
  /** Folder of `cd FOLDER && apply_patch …`. */
  folder: string | undefined;
  /** The commands after it. Empty: none. */
  rest: string;
}

const CALL =
  /^\s*(?:cd\s+(?<folder>'[^'\n]+'|"[^"\n$`\\]+"|[^\s;&|'"$`\\()<>]+)\s*(?:&&|;|\n)\s*)?(?:\S*\/)?(?:apply_patch|applypatch)(?:\s+|(?=<))/;
const HEREDOC = /^<<-?\s*(?<quote>['"]?)(?<end>[A-Za-z_]\w*)\k<quote>[ \t]*(?<after>[^\n]*)\n/;
const SHELL_CALL =
  /^\s*(?:\S*\/)?(?:ba|z|da|k|a)?sh\s+-[a-z]*c\s+(?<quote>['"])(?<line>[\s\S]*)\k<quote>\s*$/;

/**
 * Returns the patch of a command that calls `apply_patch`, with a here-document or an argument, directly or through a
 * shell. Undefined: it is another command. Runs and expands nothing: the text of the patch is taken as it is.
 */
export function readPatchCommand(command: string): PatchCommand | undefined {
  const inner = innerLine(command);
  if (inner !== undefined) return readPatchCommand(inner);
  const piped = readPiped(command);
  if (piped !== undefined) return piped;
  const call = CALL.exec(command);
  if (call === null) return undefined;
  const folder = call.groups?.['folder']?.replace(/^(['"])(.*)\1$/, '$2');
  const tail = command.slice(call[0].length);
  const read = readHeredoc(tail) ?? readArgument(tail);
  return read === undefined ? undefined : { folder, ...read };
}

/** The line of `bash -lc "…"`, if it is a call of `apply_patch`. */
function innerLine(command: string): string | undefined {
  const inner = readShellCall(command);
  return inner !== undefined && (CALL.test(inner) || PIPED.test(inner)) ? inner : undefined;
}

/** Returns the line of a command that only starts a shell with it. */
export function readShellCall(command: string): string | undefined {
  const { quote, line } = SHELL_CALL.exec(command)?.groups ?? {};
  return line === undefined || quote === undefined ? undefined : unquote(line, quote);
}

const PIPED =
  /^\s*(?<cd>cd\s+[^\n]+?(?:&&|;|\n)\s*)?cat\s*(?<open><<-?\s*(?<quote>['"]?)[A-Za-z_]\w*\k<quote>)[ \t]*\|[ \t]*(?:apply_patch|applypatch)\b(?<after>[^\n|]*\n)/;

/** Reads `cat <<EOF | apply_patch` as the same here-document for `apply_patch`. */
function readPiped(command: string): PatchCommand | undefined {
  const { 0: opening, groups } = PIPED.exec(command) ?? {};
  if (opening === undefined || groups === undefined) return undefined;
  const { cd = '', open = '', after = '' } = groups;
  return readPatchCommand(`${cd}apply_patch ${open}${after}${command.slice(opening.length)}`);
}

function readHeredoc(tail: string): { patch: string; rest: string } | undefined {
  const { groups, 0: opening } = HEREDOC.exec(tail) ?? {};
  if (groups === undefined || opening === undefined) return undefined;
  const { end = '', after = '' } = groups;
  const lines = tail.slice(opening.length).split('\n');
  const last = lines.findIndex((line) => line.trim() === end);
  if (last === -1) return undefined;
  const patch = lines.slice(0, last).join('\n');
  const next = lines.slice(last + 1).join('\n');
  const first = /^(?:&&|;)\s*(.*)$/.exec(after.trim())?.[1];
  // Another continuation, such as a pipe, means something else.
  if (after.trim() !== '' && first === undefined) return undefined;
  const rest = [first ?? '', next]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n');
  return isPatch(patch) ? { patch, rest: rest.replace(/^(?:&&|;)\s*/, '') } : undefined;
}

/** Reads a quoted argument that is the whole rest of the command. */
function readArgument(tail: string): { patch: string; rest: string } | undefined {
  const { quote, text } = /^(?<quote>['"])(?<text>[\s\S]*)\k<quote>\s*$/.exec(tail)?.groups ?? {};
  if (text === undefined || quote === undefined) return undefined;
  const patch = unquote(text, quote);
  return patch !== undefined && isPatch(patch) ? { patch, rest: '' } : undefined;
}

/** Undefined if it is not clear where the quotes end. */
function unquote(text: string, quote: string): string | undefined {
  if (quote === "'") {
    const plain = text.replaceAll("'\\''", '\0');
    const isEscaped = plain !== text;
    return isEscaped && plain.includes("'") ? undefined : plain.replaceAll('\0', "'");
  }
  const isEscaped = /\\"/.test(text);
  if (isEscaped && /(?<!\\)"/.test(text)) return undefined;
  return isEscaped ? text.replace(/\\(["\\$`])/g, '$1') : text;
}

function isPatch(text: string): boolean {
  return /^\s*\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/.test(text);
}

/** The patches of a command, in order, with the folders in which they apply, and the commands after them. */
export interface PatchCommands {
  patches: { patch: string; folder: string | undefined }[];
  rest: string;
  folder: string | undefined;
}

/** Reads all patches at the beginning of a command that runs in a folder. */
export function readPatchCommands(command: string, workdir: string | undefined): PatchCommands {
  const read: PatchCommands = { patches: [], rest: command, folder: workdir };
  for (let found = readPatchCommand(command); found !== undefined; found = readPatchCommand(read.rest)) {
    read.folder = inFolders(found.folder ?? '', read.folder) || undefined;
    read.patches.push({ patch: found.patch, folder: read.folder });
    read.rest = found.rest;
  }
  return read;
}

/** Returns a path that is relative to one folder inside another. */
export function inFolders(path: string, ...folders: readonly (string | undefined)[]): string {
  return [...folders, path].reduce<string>((base, next) => {
    if (next === undefined || next === '') return base;
    return posix.isAbsolute(next) ? posix.normalize(next) : posix.join(base, next);
  }, '');
}
