import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '../pi-tui.ts';

/** A command as the composer completes it. */
export interface CommandName {
  name: string;
  description: string;
  /** What follows the name, such as `[words]`. */
  hint?: string;
  /** The values of its argument. */
  values?: () => Promise<readonly AutocompleteItem[]>;
}

export interface CompletionSources {
  commands: () => readonly CommandName[];
  /** Prompts of MCP servers that begin with what was typed after the slash. */
  prompts: (typed: string) => Promise<readonly CommandName[]>;
  /** Resources of MCP servers that match what was typed after the at sign. */
  resources: (typed: string) => Promise<readonly string[]>;
  /** Paths of the workspace that match words, the best first. Folders end with a slash. */
  paths: (words: string, signal: AbortSignal) => Promise<readonly string[]>;
}

const MAX_ITEMS = 50;
/** A path being typed after `@`, at the end of the text before the cursor. */
const MENTION = /(?:^|[\s([{"'`<])(@(?:"[^"\n]*|[^\s"'`<>]*))$/u;
const COMMAND = /^\/[\w.:-]*$/;
const ARGUMENT = /^\/([\w:-]+) +(\S*)$/;

/** Completes `/` to commands and their values, and `@` to paths of the workspace. */
export class Completions implements AutocompleteProvider {
  readonly triggerCharacters = ['/', '@'];
  readonly #sources: CompletionSources;
  #completed = '';

  constructor(sources: CompletionSources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { signal }: { signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
    this.#completed = before;
    const mention = MENTION.exec(before)?.[1];
    if (mention !== undefined) return await this.#paths(mention, signal);
    // A command is the whole message: a slash elsewhere begins a path.
    if (cursorLine > 0) return null;
    if (COMMAND.test(before)) return await this.#commands(before);
    const [, name, word = ''] = ARGUMENT.exec(before) ?? [];
    return name === undefined ? null : await this.#values(name, word);
  }

  /**
   * Whether the suggestions are for this text before the cursor. While keys arrive fast, they can be for an older one.
   */
  areFor(before: string): boolean {
    return before === this.#completed;
  }

  applyCompletion(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    item: AutocompleteItem,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const line = lines[cursorLine] ?? '';
    const start = cursorCol - prefix.length;
    const text = textOf(item.value);
    const changed = lines.with(cursorLine, line.slice(0, start) + text + line.slice(cursorCol));
    return { lines: changed, cursorLine, cursorCol: start + text.length };
  }

  async #commands(typed: string): Promise<AutocompleteSuggestions | null> {
    const word = typed.slice(1).toLowerCase();
    const own = this.#sources.commands().filter(({ name }) => name.toLowerCase().startsWith(word));
    const items = [...own, ...(await this.#sources.prompts(typed))].map(
      ({ name, hint = '', description }) => ({
        value: `/${name}`,
        label: hint === '' ? `/${name}` : `/${name} ${hint}`,
        description,
      }),
    );
    return items.length === 0 ? null : { items, prefix: typed };
  }

  async #values(name: string, word: string): Promise<AutocompleteSuggestions | null> {
    const command = this.#sources.commands().find((known) => known.name === name);
    const values = (await command?.values?.()) ?? [];
    // A whole value needs no completion: Enter sends the command.
    if (values.some(({ value }) => value === word)) return null;
    const items = values
      .filter(({ value }) => value.toLowerCase().includes(word.toLowerCase()))
      .slice(0, MAX_ITEMS);
    return items.length === 0 ? null : { items: [...items], prefix: word };
  }

  async #paths(mention: string, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
    const words = mention.slice(1).replace(/^"/, '');
    const [resources, paths] = await Promise.all([
      this.#sources.resources(`@${words}`),
      this.#sources.paths(words, signal),
    ]);
    const found = [...resources, ...paths];
    const [best] = found;
    if (best === undefined || signal.aborted) return null;
    // The same for a whole path. A folder is completed further.
    if (mention === mentionOf(best) && !best.endsWith('/')) return null;
    const items = found.slice(0, MAX_ITEMS).map((path) => ({ value: mentionOf(path), label: path }));
    return { items, prefix: mention };
  }
}

function mentionOf(path: string): string {
  return /[\s"'`<>]/.test(path) ? `@"${path}"` : `@${path}`;
}

/** A folder is completed further; what is whole is followed by a blank. */
function textOf(value: string): string {
  return value.endsWith('/') ? value : `${value} `;
}
