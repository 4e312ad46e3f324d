/** A terminal's, or that of a pipe, a file or a test. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Where a command reads and writes. */
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

/** Narrower than this, nothing is laid out; wider, lines are hard to read. */
const MIN_COLUMNS = 40;
const MAX_COLUMNS = 120;
const DEFAULT_COLUMNS = 80;

export function columnsOf(stream: OutputStream): number {
  const columns = stream.isTTY ? stream.columns : DEFAULT_COLUMNS;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns || DEFAULT_COLUMNS));
}

/** NO_COLOR (https://no-color.org) and `--no-color` win over everything; a dumb terminal and a pipe have none. */
export function wantsColors(terminal: Terminal, noColor: boolean | undefined): boolean {
  const { NO_COLOR, TERM, FORCE_COLOR } = terminal.env;
  if (noColor === true || (NO_COLOR !== undefined && NO_COLOR !== '')) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== '') return true;
  return terminal.out.isTTY === true && TERM !== 'dumb';
}

/** Whether a line may be drawn over: only where a person looks, and colours are welcome. */
export function canAnimate(terminal: Terminal, colors: boolean): boolean {
  return terminal.out.isTTY === true && colors && terminal.env['TERM'] !== 'dumb';
}
