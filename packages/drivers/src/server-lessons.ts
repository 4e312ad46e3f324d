import type { StepEvent } from '@longhaul/core';
import { type CallSettings, type LearnedSettings, MAX_TOKENS_FIELDS } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import type { WireProfile } from './wire-profile.ts';

interface Refused {
  profile: WireProfile;
  configured: CallSettings;
  /** Of the refused request. */
  maxOutputTokens?: number | undefined;
}

/** Returns the setting that a refusal asks for, or undefined if it asks for none or for one that is already in use. */
function lessonOf(error: LonghaulError, refused: Refused): LearnedSettings | undefined {
  return reasoningLesson(error, refused) ?? fieldLesson(error, refused) ?? lengthLesson(error, refused);
}

function reasoningLesson(
  { data }: LonghaulError,
  { profile, configured }: Refused,
): LearnedSettings | undefined {
  const isOpen = configured.reasoning?.return === undefined && !profile.signedReasoning;
  if (!isOpen) return undefined;
  const wanted = data['reasoning'] === 'required' ? 'all-or-empty' : 'none';
  if (data['reasoning'] === undefined || profile.reasoning === wanted) return undefined;
  return { reasoning: { return: wanted } };
}

function fieldLesson({ data }: LonghaulError, { profile, configured }: Refused): LearnedSettings | undefined {
  const wanted = MAX_TOKENS_FIELDS.find((field) => field === data['maxTokensField']);
  if (wanted === undefined || configured.maxTokensField !== undefined || wanted === profile.maxTokensField)
    return undefined;
  return { maxTokensField: wanted };
}

/** The least that is tried, if a server does not say how long an answer may be. */
const MIN_OUTPUT_TOKENS = 256;

function lengthLesson(
  { data }: LonghaulError,
  { profile, maxOutputTokens = 0 }: Refused,
): LearnedSettings | undefined {
  const named = data['maxOutputTokens'];
  if (typeof named !== 'number') return undefined;
  const sent = Math.min(maxOutputTokens, profile.maxOutputTokens);
  const wanted = named > 0 ? named : Math.floor(sent / 2);
  return wanted < sent && (named > 0 || wanted >= MIN_OUTPUT_TOKENS)
    ? { maxOutputTokens: wanted }
    : undefined;
}

export interface LessonOptions {
  configured: CallSettings;
  /** What earlier refusals taught. */
  learned: LearnedSettings | undefined;
  /** Keeps what was learned, for later runs. */
  onLearned?: ((settings: LearnedSettings) => Promise<void>) | undefined;
  profileFor: (settings: LearnedSettings) => WireProfile;
}

interface AttemptOptions {
  /** Of the request. */
  maxOutputTokens: number | undefined;
  /** Adds to an error what the request says about it. */
  describe: (error: LonghaulError) => LonghaulError;
}

/** How requests to one server are made: as configured, else as its refusals have taught, else by its profile. */
export class ServerLessons {
  readonly #options: LessonOptions;
  #learned: LearnedSettings;
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
   * Makes a model call. If the server refuses the request and the refusal names the form that it accepts, sends the
   * request again in that form, and keeps the form for later requests. Such a refusal costs no tokens.
   *
   * @param describe Completes the error of a call.
   * @throws {LonghaulError} Errors of the store that keeps the lessons.
   */
  async *attempt(
    call: () => AsyncIterable<StepEvent>,
    { maxOutputTokens, describe }: AttemptOptions,
  ): AsyncGenerator<StepEvent, void> {
    const tried = new Set<string>();
    for (;;) {
      let lesson: LearnedSettings | undefined;
      let isFirst = true;
      for await (const event of call()) {
        if (isFirst && event.type === 'error')
          lesson = this.#lessonOf(event.error, { maxOutputTokens }, tried);
        if (lesson === undefined)
          yield event.type === 'error' ? { ...event, error: describe(event.error) } : event;
        isFirst = false;
      }
      if (lesson === undefined) return;
      await this.#learn(lesson);
    }
  }

  #lessonOf(
    error: LonghaulError,
    { maxOutputTokens }: { maxOutputTokens?: number | undefined },
    tried: Set<string>,
  ): LearnedSettings | undefined {
    const { configured } = this.#options;
    const lesson = lessonOf(error, { profile: this.#profile, configured, maxOutputTokens });
    const key = JSON.stringify(lesson);
    // Otherwise, a server that refuses both forms would get requests without end.
    if (lesson === undefined || tried.has(key)) return undefined;
    tried.add(key);
    return lesson;
  }

  async #learn(lesson: LearnedSettings): Promise<void> {
    this.#learned = { ...this.#learned, ...lesson };
    this.#profile = this.#currentProfile();
    await this.#options.onLearned?.(this.#learned);
  }

  #currentProfile(): WireProfile {
    const { configured, profileFor } = this.#options;
    const reasoning = configured.reasoning?.return ?? this.#learned.reasoning?.return;
    const maxTokensField = configured.maxTokensField ?? this.#learned.maxTokensField;
    return profileFor({ ...this.#learned, ...configured, maxTokensField, reasoning: { return: reasoning } });
  }
}
