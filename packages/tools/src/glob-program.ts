import { LonghaulError } from '@longhaul/protocol';

/**
 * One step of a glob's program. `next` and `targets` are indexes of steps. The program is a nondeterministic automaton:
 * it is run with the set of all steps that can be reached, so it never backtracks.
 */
export type Step =
  | { kind: 'char'; accepts: (code: number) => boolean; next: number }
  | { kind: 'split'; targets: readonly number[] }
  | { kind: 'end' };

export interface GlobProgram {
  steps: readonly Step[];
  start: number;
}

/** A longer glob is refused. The cost of a match is the product of the glob's and the path's length. */
const MAX_GLOB_CHARS = 1_024;

const SLASH = 47;
const isNoSlash = (code: number) => code !== SLASH;
const isSlash = (code: number) => code === SLASH;
const isAny = () => true;

/**
 * Compiles a glob: `*`, `?`, `**` as a whole segment, `[a-z]`, `[!a]`, `{a,b}`, `{a..z}`, `@(a|b)`, `?(a)`, `*(a)`,
 * `+(a)`, and `\` before a literal character. Only `**` matches a slash. Everything else is literal, also a bracket
 * without its counterpart.
 *
 * @throws {LonghaulError} `invalid_request` for `!(a)` and for a glob longer than `MAX_GLOB_CHARS`.
 */
export function compileGlob(glob: string): GlobProgram {
  if (glob.length > MAX_GLOB_CHARS) {
    throw new LonghaulError(
      'invalid_request',
      `The glob has ${glob.length} characters; at most ${MAX_GLOB_CHARS} are allowed. Use a shorter one.`,
    );
  }
  const compiler = new GlobCompiler(glob.replace(/^(?:\.\/)+/, ''));
  return compiler.compile();
}

class GlobCompiler {
  readonly #glob: string;
  readonly #groups: ReadonlyMap<number, Group>;
  readonly #steps: Step[] = [];

  constructor(glob: string) {
    this.#glob = glob;
    this.#groups = findGroups(glob);
  }

  compile(): GlobProgram {
    const end = this.#add({ kind: 'end' });
    return { start: this.#sequence(0, this.#glob.length, end), steps: this.#steps };
  }

  /** Compiles `from` to `to` as a sequence that continues with `next`, last item first. Returns its first step. */
  #sequence(from: number, to: number, next: number): number {
    return this.#items(from, to).reduceRight((following, item) => item(following), next);
  }

  /** Each item takes the step that follows it and returns its own first step. */
  #items(from: number, to: number): ((next: number) => number)[] {
    const items: ((next: number) => number)[] = [];
    for (let at = from; at < to; ) {
      const { length, item } = this.#itemAt(at, to);
      items.push(item);
      at += length;
    }
    return items;
  }

  #itemAt(at: number, to: number): { length: number; item: (next: number) => number } {
    const glob = this.#glob;
    const char = glob[at] ?? '';
    if (char === '\\' && at + 1 < to) return { length: 2, item: this.#literal(glob.charCodeAt(at + 1)) };
    const group = this.#groups.get(at);
    if (group !== undefined) return { length: group.end + 1 - at, item: this.#group(group) };
    const globstar = this.#globstarAt(at, to);
    if (globstar !== undefined) return globstar;
    if (char === '*')
      return { length: 1, item: (next) => this.#loop((loop) => this.#char(isNoSlash, loop), next) };
    if (char === '?') return { length: 1, item: (next) => this.#char(isNoSlash, next) };
    return { length: 1, item: this.#literal(glob.charCodeAt(at)) };
  }

  /** `**` as a whole segment: `**` + `/` is any number of folders, a slash + `**` at the end also matches nothing. */
  #globstarAt(at: number, to: number): { length: number; item: (next: number) => number } | undefined {
    const glob = this.#glob;
    const ends = (index: number) => index >= to || '},|)'.includes(glob[index] ?? '');
    const begins = at === 0 || '/{,(|'.includes(glob[at - 1] ?? '');
    const anything = (next: number) => this.#loop((loop) => this.#char(isAny, loop), next);
    if (glob.startsWith('/**', at) && ends(at + 3)) {
      return { length: 3, item: (next) => this.#split(this.#char(isSlash, anything(next)), next) };
    }
    if (!begins || !glob.startsWith('**', at)) return undefined;
    if (ends(at + 2)) return { length: 2, item: anything };
    if (glob[at + 2] !== '/') return undefined;
    const folder = (loop: number) =>
      this.#loop((again) => this.#char(isNoSlash, again), this.#char(isSlash, loop));
    return { length: 3, item: (next) => this.#loop(folder, next) };
  }

  #group(group: Group): (next: number) => number {
    if (group.kind === 'class') return (next) => this.#char(group.accepts, next);
    const options = (next: number) =>
      this.#split(...group.options.map(([from, to]) => this.#sequence(from, to, next)));
    switch (group.kind) {
      case '?':
        return (next) => this.#split(options(next), next);
      case '*':
        return (next) => this.#loop(options, next);
      case '+':
        return (next) => {
          const again = this.#add({ kind: 'split', targets: [] });
          const first = options(again);
          this.#steps[again] = { kind: 'split', targets: [first, next] };
          return first;
        };
      default:
        return options;
    }
  }

  #literal(code: number): (next: number) => number {
    return (next) => this.#char((other) => other === code, next);
  }

  #char(accepts: (code: number) => boolean, next: number): number {
    return this.#add({ kind: 'char', accepts, next });
  }

  /** Zero or more times `body`. */
  #loop(body: (loop: number) => number, next: number): number {
    const loop = this.#add({ kind: 'split', targets: [] });
    this.#steps[loop] = { kind: 'split', targets: [body(loop), next] };
    return loop;
  }

  #split(...targets: number[]): number {
    return this.#add({ kind: 'split', targets });
  }

  #add(step: Step): number {
    this.#steps.push(step);
    return this.#steps.length - 1;
  }
}

type Group =
  | { kind: 'class'; end: number; accepts: (code: number) => boolean }
  /** `{a,b}` is an `@` group. Options are ranges of the glob. `end` is the index of the closing character. */
  | { kind: '@' | '?' | '*' | '+'; end: number; options: [from: number, to: number][] };

interface OpenGroup {
  kind: '@' | '?' | '*' | '+';
  isBrace: boolean;
  /** Where the group begins, with its `@`, `?`, `*` or `+`. */
  start: number;
  /** Where its current option begins. */
  option: number;
  options: [from: number, to: number][];
}

/** Finds the groups of a glob by the index of their first character. Reads the glob once. */
function findGroups(glob: string): Map<number, Group> {
  const found = new Map<number, Group>();
  const open: OpenGroup[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at] ?? '';
    if (char === '\\') at += 1;
    else if (char === '[') {
      const group = readClass(glob, at);
      if (group === undefined) continue;
      found.set(at, group);
      at = group.end;
    } else if (char === '{') open.push({ kind: '@', isBrace: true, start: at, option: at + 1, options: [] });
    else if ('@?*+!'.includes(char) && glob[at + 1] === '(') {
      if (char === '!') throw unsupportedNegation();
      open.push({ kind: toKind(char), isBrace: false, start: at, option: at + 2, options: [] });
      at += 1;
    } else if (char === ',' || char === '|') endOption(open.at(-1), { char, at });
    else if (char === '}' || char === ')') closeGroup(glob, { open, found, at });
  }
  return found;
}

function toKind(char: string): OpenGroup['kind'] {
  return char === '?' || char === '*' || char === '+' ? char : '@';
}

function endOption(group: OpenGroup | undefined, { char, at }: { char: string; at: number }): void {
  if (group === undefined || group.isBrace !== (char === ',')) return;
  group.options.push([group.option, at]);
  group.option = at + 1;
}

function closeGroup(
  glob: string,
  { open, found, at }: { open: OpenGroup[]; found: Map<number, Group>; at: number },
): void {
  const isBrace = glob[at] === '}';
  const index = open.findLastIndex((group) => group.isBrace === isBrace);
  // A closing brace inside parentheses does not close a brace around them.
  if (index === -1 || (isBrace && index !== open.length - 1)) return;
  const [group] = open.splice(index);
  if (group === undefined) return;
  const { kind, start, option, options } = group;
  if (isBrace && options.length === 0) {
    const range = readRange(glob.slice(start + 1, at));
    if (range !== undefined) found.set(start, { kind: 'class', end: at, accepts: range });
    return;
  }
  found.set(start, { kind, end: at, options: [...options, [option, at]] });
}

/** `{a..z}`, with single characters. */
function readRange(text: string): ((code: number) => boolean) | undefined {
  const match = /^([^.])\.\.([^.])$/.exec(text);
  if (match === null) return undefined;
  const [first = 0, last = 0] = match.slice(1).map((char) => char.charCodeAt(0));
  return (code) => code >= first && code <= last && code !== SLASH;
}

/** Reads `[…]`. Undefined without a closing bracket. */
function readClass(glob: string, start: number): (Group & { kind: 'class' }) | undefined {
  const isNegated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  const ranges: [from: number, to: number][] = [];
  for (let at = first; at < glob.length; at += 1) {
    if (glob[at] === ']' && at > first) {
      const isListed = (code: number) => ranges.some(([from, to]) => code >= from && code <= to);
      return { kind: 'class', end: at, accepts: (code) => code !== SLASH && isListed(code) !== isNegated };
    }
    if (glob[at] === '\\') at += 1;
    const from = glob.charCodeAt(at);
    const isRange = glob[at + 1] === '-' && at + 2 < glob.length && glob[at + 2] !== ']';
    if (isRange) at += 2;
    ranges.push([from, isRange ? glob.charCodeAt(at) : from]);
  }
  return undefined;
}

function unsupportedNegation(): LonghaulError {
  return new LonghaulError(
    'invalid_request',
    'A glob cannot contain `!(…)`. Use a glob for the wanted names, or write \\!( for the characters themselves.',
  );
}
