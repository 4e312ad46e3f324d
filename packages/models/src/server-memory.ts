import type { LearnedSettings } from './call-settings.ts';
import type { ServedModel, WindowMemory } from './window-memory.ts';

/**
 * A port that keeps settings learned from refusals between runs and processes, by server and model. A configured
 * setting takes precedence. What was learned expires after thirty days without another refusal.
 */
export interface SettingsMemory {
  /** Returns undefined if nothing was learned, or if it has expired. */
  learnedSettings(server: ServedModel): Promise<LearnedSettings | undefined>;
  /** Replaces what was learned before. */
  learnSettings(server: ServedModel, settings: LearnedSettings): Promise<void>;
}

/** What the refusals of model servers have taught. */
export interface ServerMemory extends WindowMemory, SettingsMemory {}
