/** The output of a terminal, a pipe, a file or a test. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The streams and the environment of a command. */
export interface Terminal {
  out: OutputStream;
  err: OutputStream;
  input: NodeJS.ReadStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

export function processTerminal(): Terminal {
  return {
    out: process.stdout,
    err: process.stderr,
    get input() {
      return process.stdin;
    },
    env: process.env,
    cwd: process.cwd(),
  };
}

/** Text is laid out for at least this many columns, and at most as many as are easy to read. */
const MIN_COLUMNS = 40;
const MAX_COLUMNS = 120;
const DEFAULT_COLUMNS = 80;

export function columnsOf(stream: OutputStream): number {
  const columns = stream.isTTY ? stream.columns : DEFAULT_COLUMNS;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns || DEFAULT_COLUMNS));
}

/**
 * Whether to use colours. NO_COLOR (https://no-color.org) and `--no-color` come first. A dumb terminal and a pipe have
 * none.
 */
export function wantsColors(terminal: Terminal, noColor: boolean | undefined): boolean {
  const { NO_COLOR, TERM, FORCE_COLOR } = terminal.env;
  if (noColor === true || (NO_COLOR !== undefined && NO_COLOR !== '')) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== '') return true;
  return terminal.out.isTTY === true && TERM !== 'dumb';
}

/** Whether lines can be redrawn: only in a terminal with colours. */
export function canAnimate(terminal: Terminal, colors: boolean): boolean {
  return terminal.out.isTTY === true && colors && terminal.env['TERM'] !== 'dumb';
}
