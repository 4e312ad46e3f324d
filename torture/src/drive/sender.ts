import { once } from 'node:events';
import type { SenderSettings } from '../agent/sender-process.ts';
import { type Child, startChild } from './child.ts';

/** Controls the process that sends messages to a session. A restarted sender sends unacknowledged messages again. */
export class Sender {
  readonly #settings: SenderSettings;
  readonly #environment: () => Readonly<Record<string, string>>;
  #child: Child | undefined;
  #lives = 0;

  constructor(settings: SenderSettings, environment: () => Readonly<Record<string, string>>) {
    this.#settings = settings;
    this.#environment = environment;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<void> {
    this.#lives += 1;
    const { seed } = this.#settings;
    const settings = { ...this.#settings, seed: seed + this.#lives };
    this.#child = await startChild('sender-process.ts', settings, this.#environment());
  }

  /**
   * Cancels the session's run from the sender's process.
   *
   * @returns Whether the cancel was answered; false if no sender is running.
   */
  async cancel(): Promise<boolean> {
    const child = this.#child;
    const { stdout, stdin } = child?.process ?? {};
    if (child === undefined || stdout === null || stdout === undefined) return false;
    stdin?.write('cancel\n');
    return Promise.race([
      once(stdout, 'data').then(async ([text]) => String(text).includes('cancelled') || this.#next(stdout)),
      child.ended.then(() => false),
    ]);
  }

  /** Reads the next line. The previous one reported that the sender was ready. */
  async #next(stdout: NonNullable<Child['process']['stdout']>): Promise<boolean> {
    const [text] = await once(stdout, 'data');
    return String(text).includes('cancelled');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.process.kill('SIGKILL');
    await child?.ended;
  }

  /**
   * Lets the sender deliver the messages it has begun to send, and waits until it ends.
   *
   * @throws {Error} If the sender failed.
   */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.process.stdin?.end();
    const { code, errors } = await child.ended;
    if (code !== 0) throw new Error(`The sender failed:\n${errors}`);
  }

  /**
   * Starts the sender, waits until it has resent unacknowledged messages, and lets it send at least one more before it
   * stops.
   */
  async sendOnce(): Promise<void> {
    await this.start();
    const { stdout } = this.#child?.process ?? {};
    if (stdout !== null && stdout !== undefined) await once(stdout, 'data');
    await this.stop();
  }
}
