import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import headless from '@xterm/headless';
import { type Look, type Span, screenOf } from './screen.ts';

const run = promisify(execFile);
const POLL_MS = 50;
const PATIENCE_MS = 30_000;

const SETTINGS = `
set -s escape-time 0
set -g default-terminal "tmux-256color"
set -g status off
`;

export interface TmuxScreenOptions {
  command: readonly string[];
  columns: number;
  rows: number;
  /** A folder for the socket of this terminal. */
  folder: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The background that the terminal reports to the program. */
  background: string;
}

/** A program in a terminal of tmux with a server of its own. */
export class TmuxScreen implements AsyncDisposable {
  readonly #options: TmuxScreenOptions;

  private constructor(options: TmuxScreenOptions) {
    this.#options = options;
  }

  static async open(options: TmuxScreenOptions): Promise<TmuxScreen> {
    const { command, columns, rows, cwd, env, background } = options;
    const screen = new TmuxScreen(options);
    await writeFile(screen.#settings, `${SETTINGS}set -g window-style "bg=${background}"\n`);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const program = ['env', '-i', 'TERM=tmux-256color', ...variables, ...command];
    await screen.#tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-c', cwd, ...program);
    return screen;
  }

  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', '--', text);
  }

  /** Presses keys by their names in tmux: `Enter`, `C-c`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** Resolves when the screen shows it. */
  async saw(shown: string | RegExp): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const text = await this.#tmux('capture-pane', '-p');
      if (typeof shown === 'string' ? text.includes(shown) : shown.test(text)) return;
      if (performance.now() > deadline) throw new Error(`The terminal does not show ${shown}:\n${text}`);
      await sleep(POLL_MS);
    }
  }

  /** The screen with its colours, and the cursor as an inverse cell. */
  async capture(look: Look): Promise<Span[][]> {
    const { columns: cols, rows } = this.#options;
    const cursor = await this.#tmux('display-message', '-p', '#{cursor_flag} #{cursor_y} #{cursor_x}');
    const [isShown, row = 0, column = 0] = cursor.split(' ').map(Number);
    const captured = (await this.#tmux('capture-pane', '-p', '-e')).replace(/\n$/, '');
    const cell = isShown === 1 ? `\u001b[0m\u001b[${row + 1};${column + 1}H\u001b[7m` : '';
    const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
    const write = (text: string) => new Promise<void>((done) => terminal.write(text, done));
    await write(captured.replaceAll('\n', '\r\n'));
    const under = terminal.buffer.active.getLine(row)?.getCell(column)?.getChars();
    if (cell !== '') await write(cell + (under || ' '));
    return screenOf(terminal, look);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server');
  }

  get #settings(): string {
    return join(this.#options.folder, 'tmux.conf');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const server = ['-S', join(this.#options.folder, 'tmux'), '-f', this.#settings];
    const { stdout } = await run('tmux', [...server, ...args], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    return stdout;
  }
}
