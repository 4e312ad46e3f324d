import type { StepEvent } from '@longhaul/core';
import type { CallSettings } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import type { WireProfile } from './wire-profile.ts';

/** Returns the setting that a refusal asks for, or undefined if it asks for none or for one that is already in use. */
function lessonOf(
  { data }: LonghaulError,
  { profile, configured }: { profile: WireProfile; configured: CallSettings },
): CallSettings | undefined {
  const isOpen = configured.reasoning?.return === undefined && !profile.signedReasoning;
  if (!isOpen) return undefined;
  const wanted = data['reasoning'] === 'required' ? 'all-or-empty' : 'none';
  if (data['reasoning'] === undefined || profile.reasoning === wanted) return undefined;
  return { reasoning: { return: wanted } };
}

export interface LessonOptions {
  configured: CallSettings;
  /** What earlier refusals taught. */
  learned: CallSettings | undefined;
  /** Keeps what was learned, for later runs. */
  onLearned?: ((settings: CallSettings) => Promise<void>) | undefined;
  profileFor: (settings: CallSettings) => WireProfile;
}

/** How requests to one server are made: as configured, else as its refusals have taught, else by its profile. */
export class ServerLessons {
  readonly #options: LessonOptions;
  #learned: CallSettings;
  #profile: WireProfile;

  constructor(options: LessonOptions) {
    this.#options = options;
    this.#learned = options.learned ?? {};
    this.#profile = this.#currentProfile();
  }

  get profile(): WireProfile {
    return this.#profile;
  }

  /**
   * Makes a model call. If the server refuses the request and the refusal says how to make it, makes it once more in
   * that form, and keeps that form for later requests. Such a refusal costs no tokens.
   *
   * @param describe Completes the error of a call.
   * @throws {LonghaulError} Errors of the store that keeps the lessons.
   */
  async *attempt(
    call: () => AsyncIterable<StepEvent>,
    describe: (error: LonghaulError) => LonghaulError,
  ): AsyncGenerator<StepEvent, void> {
    const tried = new Set<string>();
    for (;;) {
      let lesson: CallSettings | undefined;
      let isFirst = true;
      for await (const event of call()) {
        if (isFirst && event.type === 'error') lesson = this.#lessonOf(event.error, tried);
        if (lesson === undefined)
          yield event.type === 'error' ? { ...event, error: describe(event.error) } : event;
        isFirst = false;
      }
      if (lesson === undefined) return;
      await this.#learn(lesson);
    }
  }

  #lessonOf(error: LonghaulError, tried: Set<string>): CallSettings | undefined {
    const { configured } = this.#options;
    const lesson = lessonOf(error, { profile: this.#profile, configured });
    const key = JSON.stringify(lesson);
    // A server that refuses both forms must not be asked for ever.
    if (lesson === undefined || tried.has(key)) return undefined;
    tried.add(key);
    return lesson;
  }

  async #learn(lesson: CallSettings): Promise<void> {
    this.#learned = { ...this.#learned, ...lesson };
    this.#profile = this.#currentProfile();
    await this.#options.onLearned?.(this.#learned);
  }

  #currentProfile(): WireProfile {
    const { configured, profileFor } = this.#options;
    const reasoning = configured.reasoning?.return ?? this.#learned.reasoning?.return;
    return profileFor({ ...this.#learned, ...configured, reasoning: { return: reasoning } });
  }
}
