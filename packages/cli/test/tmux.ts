import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning } from '@longhaul/core/host-processes';
import { expect } from 'vitest';
import type { Bench } from './harness.ts';

const run = promisify(execFile);

const POLL = { interval: 40 };

/** Keys come at once, nothing is styled, and what ended stays to be looked at. */
const SETTINGS = `
set -s escape-time 0
set -g default-terminal "tmux-256color"
set -g history-limit 100000
set -g remain-on-exit on
set -g status off
set -g focus-events on
`;

export interface WindowOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** The background that the terminal reports. Default: it reports none. */
  background?: string;
}

let opened = 0;

/** A terminal of tmux with a server of its own, in which the real command runs. */
export class TmuxWindow implements AsyncDisposable {
  readonly #socket: string;
  readonly #settings: string;

  private constructor(bench: Bench) {
    opened += 1;
    this.#socket = join(bench.root, `tmux-${opened}`);
    this.#settings = `${this.#socket}.conf`;
  }

  static async open(
    bench: Bench,
    args: readonly string[],
    { columns = 80, rows = 24, env = {}, background }: WindowOptions = {},
  ): Promise<TmuxWindow> {
    const window = new TmuxWindow(bench);
    const style = background === undefined ? '' : `set -g window-style "bg=${background}"\n`;
    await writeFile(window.#settings, SETTINGS + style);
    const { command, environment } = bench.invocation(args, env);
    const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const size = ['-x', String(columns), '-y', String(rows)];
    const program = ['env', '-u', 'TMUX', ...given, ...command];
    await window.#tmux(['new-session', '-d', ...size, '-c', bench.workspace, ...program]);
    return window;
  }

  /** Types a text as a person does. Its line breaks are Enter. */
  async type(text: string): Promise<void> {
    await this.#tmux(['send-keys', '-l', '--', text]);
  }

  /** Presses keys by their names in tmux: `Enter`, `C-c`, `M-Up`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux(['send-keys', ...keys]);
  }

  async enter(text: string): Promise<void> {
    await this.type(text);
    await this.press('Enter');
  }

  /** Pastes as a terminal does: between the marks of a paste. Without `isMarked`, as terminals do that know no marks. */
  async paste(text: string, { isMarked = true }: { isMarked?: boolean } = {}): Promise<void> {
    const loading = spawn('tmux', [...this.#server, 'load-buffer', '-']);
    loading.stdin.end(text);
    await once(loading, 'close');
    await this.#tmux(['paste-buffer', ...(isMarked ? ['-p', '-r'] : [])]);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux(['resize-window', '-x', String(columns), '-y', String(rows)]);
  }

  /** What a person sees now. */
  async screen(): Promise<string> {
    return await this.#tmux(['capture-pane', '-p']);
  }

  /** The same with its colours. */
  async styledScreen(): Promise<string> {
    return await this.#tmux(['capture-pane', '-p', '-e']);
  }

  /** Everything from the beginning of the scrollback. Lines that the terminal broke are joined. */
  async history(): Promise<string> {
    return await this.#tmux(['capture-pane', '-p', '-J', '-S', '-']);
  }

  /** Resolves when the screen shows it. */
  async saw(shown: string | RegExp): Promise<void> {
    let screen = '';
    const isDone = async () => {
      screen = await this.screen();
      const isShown = typeof shown === 'string' ? screen.includes(shown) : shown.test(screen);
      return isShown || screen.includes('Pane is dead');
    };
    await expect
      .poll(isDone, POLL)
      .toBe(true)
      .catch(() => undefined);
    // The message of this failure is the whole screen.
    expect(screen).toMatch(shown);
  }

  /** Resolves when the screen shows it no longer. */
  async lost(shown: string | RegExp): Promise<void> {
    await expect.poll(() => this.screen(), POLL).not.toMatch(shown);
  }

  /** Resolves with the exit code when the command has ended: 128 plus the signal if a signal ended it. */
  async ended(): Promise<number> {
    let code: number | undefined;
    const isKnown = async () => {
      const end = '#{pane_dead},#{pane_dead_status},#{pane_dead_signal},#{pid}';
      const shown = await this.#tmux(['display-message', '-p', end]);
      const [isDead = '', status = '', signal = '', server = ''] = shown.trim().split(',');
      if (status !== '') code = Number(status);
      else if (signal !== '') code = 128 + Number(signal);
      // Some versions of tmux miss that their child has ended, until the next signal of a child.
      else if (isDead === '1') process.kill(Number(server), 'SIGCHLD');
      return code;
    };
    await expect.poll(isKnown, POLL).toBeTypeOf('number');
    return Number(code);
  }

  /** The process of the command. */
  async pid(): Promise<number> {
    return Number(await this.#tmux(['display-message', '-p', '#{pane_pid}']));
  }

  async title(): Promise<string> {
    return await this.#tmux(['display-message', '-p', '#{pane_title}']);
  }

  async kill(): Promise<void> {
    const pid = await this.pid();
    process.kill(pid, 'SIGKILL');
    await this.ended();
    // The terminal closes before the process is gone.
    await expect.poll(() => isRunning(pid), POLL).toBe(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux(['kill-server']);
  }

  get #server(): string[] {
    return ['-S', this.#socket, '-f', this.#settings];
  }

  async #tmux(args: readonly string[]): Promise<string> {
    const child = run('tmux', [...this.#server, ...args], { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    return (await child).stdout;
  }
}
