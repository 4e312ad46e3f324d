import { once } from 'node:events';
import type { SenderSettings } from '../agent/sender-process.ts';
import { type Child, startChild } from './child.ts';

/** The process that sends messages to a session. It may be killed too, and then sends again what was not acknowledged. */
export class Sender {
  readonly #settings: SenderSettings;
  #child: Child | undefined;
  #lives = 0;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<void> {
    this.#lives += 1;
    const { seed } = this.#settings;
    this.#child = await startChild('sender-process.ts', { ...this.#settings, seed: seed + this.#lives });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.process.kill('SIGKILL');
    await child?.ended;
  }

  /**
   * Lets it deliver what it began, and waits for its end.
   *
   * @throws {Error} when it failed.
   */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.process.stdin?.end();
    const { code, errors } = await child.ended;
    if (code !== 0) throw new Error(`The sender failed:\n${errors}`);
  }

  /** Starts it, waits until it has sent again what was not acknowledged, and lets it send one more. */
  async sendOnce(): Promise<void> {
    await this.start();
    const { stdout } = this.#child?.process ?? {};
    if (stdout !== null && stdout !== undefined) await once(stdout, 'data');
    await this.stop();
  }
}
