import type { ChangedFile } from './changed-file.ts';
import { type ShellCommand, withoutPrefix } from './shell-commands.ts';

/**
 * Returns the files that a shell line changes, as far as the line names them: by redirections, editors in place, copies,
 * moves and removals. A path below a folder that the line changes to contains this folder.
 */
export function shellChanges(
  commands: readonly ShellCommand[],
  { leaveOutLast = false }: { leaveOutLast?: boolean } = {},
): ChangedFile[] {
  const changes: ChangedFile[] = [];
  let folder = '';
  for (const command of commands.slice(0, leaveOutLast ? -1 : undefined)) {
    const [name, ...words] = withoutPrefix(command.words);
    if (name === 'cd') folder = joined(folder, words.find((word) => !word.startsWith('-')) ?? '');
    else
      for (const change of [...redirected(command), ...changesOf(name ?? '', words)]) {
        if (isPlainPath(change.path)) changes.push(inFolder(folder, change));
      }
  }
  return changes;
}

function inFolder(folder: string, { path, from, ...change }: ChangedFile): ChangedFile {
  const whole = { ...change, path: joined(folder, path) };
  return from === undefined ? whole : { ...whole, from: joined(folder, from) };
}

function redirected({ writes }: ShellCommand): ChangedFile[] {
  return writes.map(({ path, isAppend }) => ({ path, action: isAppend ? 'modified' : 'written' }));
}

type Changes = (words: readonly string[]) => ChangedFile[];

const PROGRAMS: Readonly<Record<string, Changes>> = {
  sed: (words) => (words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word)) ? edited(words, 'sed') : []),
  perl: (words) => (words.some((word) => /^-\w*i/.test(word)) ? edited(words, 'perl') : []),
  tee: (words) => {
    const isAppend = words.some((word) => word === '-a' || word === '--append');
    return operands(words).map((path) => ({ path, action: isAppend ? 'modified' : 'written' }));
  },
  touch: (words) => operands(words).map((path) => ({ path, action: 'written' })),
  rm: (words) => operands(words).map((path) => ({ path, action: 'deleted' })),
  mv: (words) => moved(words, true),
  cp: (words) => moved(words, false),
};

function changesOf(name: string, words: readonly string[]): ChangedFile[] {
  if (name === 'git' && (words[0] === 'mv' || words[0] === 'rm')) return changesOf(words[0], words.slice(1));
  const ofProgram = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name]?.(words) : undefined;
  return [...(ofProgram ?? []), ...outputOption(words)];
}

/** The output of a generator: `--output FILE`. A short `-o` means something else in many programs. */
function outputOption(words: readonly string[]): ChangedFile[] {
  return words.flatMap((word, index) => {
    const [option, path = words[index + 1] ?? ''] = word.split('=', 2);
    const names = option !== undefined && OUTPUT_OPTIONS.has(option) && path !== '';
    return names ? [{ path, action: 'written' as const }] : [];
  });
}

const OUTPUT_OPTIONS: ReadonlySet<string> = new Set(['--output', '--outfile', '--out-file']);

function operands(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-') && word !== '');
}

/** Without the script, which is the first operand unless an option has it. */
function edited(words: readonly string[], program: 'sed' | 'perl'): ChangedFile[] {
  const option = program === 'sed' ? /^-[a-zA-Z]*e$|^--expression$/ : /^-\w*e$/;
  const hasScript = words.some((word) => option.test(word) || word.startsWith('--expression='));
  const files = operands(words.filter((_, index) => !option.test(words[index - 1] ?? '')));
  return files.slice(hasScript ? 0 : 1).map((path) => ({ path, action: 'modified' }));
}

function moved(words: readonly string[], isMove: boolean): ChangedFile[] {
  const paths = operands(words);
  const target = paths.pop();
  if (target === undefined || paths.length === 0) return [];
  return paths.flatMap((path): ChangedFile[] => {
    const to = isFolder(target, paths) ? joined(target, nameOf(path)) : target;
    return isMove
      ? [
          { path, action: 'moved' },
          { path: to, action: 'written', from: path },
        ]
      : [{ path: to, action: 'written' }];
  });
}

/** Whether a target is likely a folder. */
function isFolder(target: string, sources: readonly string[]): boolean {
  if (target.endsWith('/') || /^\.{1,2}$/.test(nameOf(target)) || sources.length > 1) return true;
  const hasExtension = (path: string) => nameOf(path).includes('.', 1);
  return hasExtension(sources[0] ?? '') && !hasExtension(target);
}

function nameOf(path: string): string {
  return path.replace(/\/+$/, '').replace(/^.*\//, '');
}

function joined(folder: string, path: string): string {
  if (folder === '' || folder === '.' || /^[/~]/.test(path)) return path;
  const name = path.replace(/^(?:\.\/)+/, '');
  return name === '' ? folder : `${folder.replace(/\/+$/, '')}/${name}`;
}

/** Not a variable, a pattern, a device or a file that only this moment needs. */
function isPlainPath(path: string): boolean {
  return path !== '' && !/[$`*?{}\n]|^\/(?:dev|proc|tmp|var\/tmp)\/|^&/.test(path);
}
