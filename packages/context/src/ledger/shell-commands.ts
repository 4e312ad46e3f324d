/** A command of a shell line without its operators: `sed -i s/a/b/ x.py`. */
export interface ShellCommand {
  /** Without quotes. */
  readonly words: readonly string[];
  /** Files that it writes with `>` or `>>`. */
  readonly writes: readonly { path: string; isAppend: boolean }[];
}

/** A longer text is only read up to this length. Most of it is the content of a file. */
const MAX_CHARS = 100_000;

/**
 * Returns the commands of a shell line in their order, and those of each line of several. It only reads what the ledger
 * needs: words, quotes, redirections and here documents. It does not expand variables, and substitutions are words.
 */
export function shellCommands(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let current: Draft = newDraft();
  const end = () => {
    if (current.words.length + current.writes.length > 0) commands.push(current);
    current = newDraft();
  };
  for (const token of tokensOf(withoutHereDocuments(text.slice(0, MAX_CHARS)))) {
    if (token.operator === undefined) addWord(current, token.word);
    else if (token.operator.includes('>') || token.operator.includes('<'))
      current.redirection = token.operator;
    else end();
  }
  end();
  return commands;
}

/** Drops wrappers such as `sudo`, `rtk` and `env`, `timeout 60`, `NAME=value` and the path of the program. */
export function withoutPrefix(words: readonly string[]): string[] {
  const first = words.findIndex(
    (word, index) =>
      !(word.startsWith('-') && /^(?:xargs|npx|bunx)$/.test(words[0] ?? '')) &&
      !/^(?:sudo|rtk|env|command|time|nohup|xargs|npx|bunx|timeout|then|do|else|if|!|\w+=.*)$/s.test(word) &&
      !(words[index - 1] === 'timeout' && /^\d/.test(word)),
  );
  if (first === -1) return [];
  const [program = '', ...others] = words.slice(first);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const run = others.indexOf(INNER[name] ?? '\0');
  return run === -1
    ? [name, ...others]
    : withoutPrefix(others.slice(others[run + 1] === '--' ? run + 2 : run + 1));
}

/** The subcommand after which a program runs another one: `pnpm --filter api exec jest` is `jest`. */
const INNER: Readonly<Record<string, string>> = {
  pnpm: 'exec',
  npm: 'exec',
  mise: 'exec',
  uv: 'run',
  poetry: 'run',
};

interface Draft extends ShellCommand {
  words: string[];
  writes: { path: string; isAppend: boolean }[];
  /** The operator before the next word. */
  redirection?: string | undefined;
}

function newDraft(): Draft {
  return { words: [], writes: [] };
}

function addWord(draft: Draft, word: string): void {
  const { redirection } = draft;
  draft.redirection = undefined;
  if (redirection === undefined) draft.words.push(word);
  else if (redirection.startsWith('>') || redirection === '&>')
    draft.writes.push({ path: word, isAppend: redirection === '>>' });
}

type Token = { operator: string; word?: undefined } | { operator?: undefined; word: string };

/**
 * In this order: an operator with the number of a stream, a quoted or plain piece of a word, another operator, a blank, a quote without end.
 * Every repetition consumes what it matched.
 */
const TOKEN =
  /((?<![^\s|;&()])\d>&?>?[\d-]?)|((?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\|;&<>()#]|(?<=\S)#)+)|(>&\d?-?|&>|>>|>\|?|<<<|<|\|\||&&|[|;&()\n])|#[^\n]*|[^\S\n]+|['"][\s\S]*/g;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [, stream, word, plain] of text.matchAll(TOKEN)) {
    const operator = stream ?? plain;
    if (word !== undefined) tokens.push({ word: unquoted(word) });
    // `2>&1` has no file. `2>` writes messages, not a result.
    else if (operator !== undefined && !/^\d?>&/.test(operator))
      tokens.push({ operator: operator.replace(/^1(?=>)/, '') });
  }
  return tokens;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
    (_, single, double, escaped) =>
      single ?? (double === undefined ? escaped : double.replace(/\\(["\\$`])/g, '$1')),
  );
}

const HERE_DOCUMENT = /<<-?[^\S\n]*(['"]?)([A-Za-z_]\w*)\1/;

/** Drops the lines of here documents, which are contents of files. */
export function withoutHereDocuments(text: string): string {
  if (!text.includes('<<')) return text;
  const kept: string[] = [];
  let end: string | undefined;
  for (const line of text.split('\n')) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined;
      continue;
    }
    end = HERE_DOCUMENT.exec(line)?.[2];
    kept.push(end === undefined ? line : line.replace(HERE_DOCUMENT, ''));
  }
  return kept.join('\n');
}
